"""Dietary restrictions and preferences, and the verdicts of these rules on foods.

``rules``        the diet rules: restrictions and preferences
``verdicts``     the possible verdicts, and all verdicts on a food packed into one integer
``food_diets``   verdicts on a food and the reasons for them
``signs``        evidence from a food's label, ingredients and name
``words``        meanings of the words in names and labels
``allergens``    names of the allergens in many languages
``recipes``      evidence from the recipes of postmeal's own dishes
``food_groups``  ingredients that a food group rules out
``amounts``      evidence from a food's nutrients
"""
