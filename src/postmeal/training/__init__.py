"""Data sets, training and evaluation of models."""
