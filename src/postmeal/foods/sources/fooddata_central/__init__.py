"""USDA FoodData Central, in its CSV files."""
