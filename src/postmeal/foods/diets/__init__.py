"""Dietary restrictions and preferences, and whether a food fits them.

``verdicts``  the rules, and a food's verdicts in one integer; unknown never counts as safe
``rules``     a food's verdicts, and the reason for each
``signs``     evidence from its label, ingredients and name
``words``     what the words of names and labels mean for the rules
``amounts``   evidence from its nutrients
"""
