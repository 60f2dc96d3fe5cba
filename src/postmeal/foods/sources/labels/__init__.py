"""What food labels say: amounts, servings and their plausibility."""
