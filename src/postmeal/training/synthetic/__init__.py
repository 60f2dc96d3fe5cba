"""Generate synthetic people: cohorts, many users, and data sets in their official formats."""
