"""Figures of many matches between bots, for the pages in docs/figures."""
