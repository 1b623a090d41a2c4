"""Tournaments between bots: paired deals, honest error bars, a runner that survives everything."""
