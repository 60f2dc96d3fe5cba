"""How one person differs from the population."""
