"""Encode texts as vectors with a small language model, which the search can do without."""
