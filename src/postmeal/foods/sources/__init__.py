"""Importers for the publishers of food data, and the builder of the shipped table."""
