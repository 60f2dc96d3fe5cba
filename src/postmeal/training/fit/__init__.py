"""Fitting: what a release is trained from, and how."""
