"""Vectors of texts by a small language model, an optional part of the search."""
