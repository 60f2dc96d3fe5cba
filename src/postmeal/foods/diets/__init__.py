"""Dietary restrictions and preferences, and the verdicts of these rules on foods.

``verdicts``  names of the rules, and the verdicts on a food packed into one integer
``food_diets`` verdicts on a food and the reasons for them
``rules``     the diet rules: restrictions and preferences
``signs``     evidence from a food's label, ingredients and name
``words``     meanings of the words in names and labels
``allergens`` names of the allergens in many languages
``additives`` E numbers
``recipes``   evidence from the recipes of our own dishes
``amounts``   evidence from a food's nutrients
"""
