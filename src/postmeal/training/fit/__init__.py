"""Fit of the population model and of the prior of personal models."""
