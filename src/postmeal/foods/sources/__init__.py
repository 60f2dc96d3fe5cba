"""Importers for each publisher of food data, and the builder of the shipped table."""
