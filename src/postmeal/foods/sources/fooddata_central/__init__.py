"""Importer for the CSV files of USDA FoodData Central."""
