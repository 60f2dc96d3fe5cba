"""Cohorts: a company's users become models, in chunks, on many workers."""
