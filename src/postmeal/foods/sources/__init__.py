"""Importers for the food data of several publishers, and the builder of the shipped table."""
