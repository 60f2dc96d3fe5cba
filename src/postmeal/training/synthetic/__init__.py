"""Synthetic people: cohorts, large numbers of users, and data sets in their official formats."""
