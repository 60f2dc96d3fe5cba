"""Predict the two-hour glucose curve of a person after a meal."""
