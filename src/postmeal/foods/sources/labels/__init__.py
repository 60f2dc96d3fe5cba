"""Parsers and plausibility checks for food labels."""
