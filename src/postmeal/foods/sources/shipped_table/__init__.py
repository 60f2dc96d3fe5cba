"""Build the table of foods that ships with postmeal."""
