"""Personal models, which correct the population model for a person."""
