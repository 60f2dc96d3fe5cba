"""The table of foods that ships with postmeal."""
