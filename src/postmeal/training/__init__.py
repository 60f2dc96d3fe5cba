"""Data sets, estimators, evaluation: everything that makes a model."""
