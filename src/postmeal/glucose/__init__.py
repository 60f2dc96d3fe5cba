"""From a meal and a person to a two-hour curve."""
