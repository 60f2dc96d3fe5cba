"""A person's past: CGM readings, meals, the days that can be learned from, and export files."""
