"""Dietary restrictions and preferences, and whether a food fits them.

``verdicts``  the rules, and the verdicts on a food in one integer; unknown never counts as safe
``rules``     the verdicts on a food, and the reason for each
``signs``     evidence from a food's label, ingredients and name
``words``     what the words of names and labels mean for the rules
``amounts``   evidence from a food's nutrients
"""
