"""Fit the portion model to published household portions."""
