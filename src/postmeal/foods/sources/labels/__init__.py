"""Parsing of food labels: amounts, servings and plausibility checks."""
