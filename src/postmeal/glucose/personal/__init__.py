"""Personal models: how a person differs from the population."""
