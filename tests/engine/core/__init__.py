"""Tests of what all games share: luck, codecs, outcomes, and the form of the rules pages."""
