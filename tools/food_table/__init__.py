"""Build the shipped food table and the portion model."""
