"""The population model, and what everything about a curve is made of."""
