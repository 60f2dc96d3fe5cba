"""CGM readings and meals of a person, their training days, and readers for export files."""
