"""Fitting of the portion model to published household portions."""
