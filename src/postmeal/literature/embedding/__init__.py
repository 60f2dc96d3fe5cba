"""Vectors of texts from a small language model, which the search can use optionally."""
