"""USDA FoodData Central, from its CSV files."""
