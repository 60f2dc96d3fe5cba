"""Encode texts as vectors with a small language model. The literature search works without it."""
