"""Tests of the rules of Dragonheart."""
