"""Tests of the service, on real stores and real channels."""
