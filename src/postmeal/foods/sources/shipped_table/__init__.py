"""Builder of the table of foods shipped with postmeal."""
