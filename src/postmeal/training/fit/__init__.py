"""Fit the population model and the prior of personal models."""
