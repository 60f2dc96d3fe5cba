"""What a person may or wants to eat, and what is known of a food by each rule.

``verdicts``  the rules, and a food's verdicts in one integer; unknown never counts as safe
``rules``     the verdicts of a food, and the reason for each
``signs``     what its label, its ingredients and its name say
``words``     what words of names and labels stand for
``amounts``   what its nutrients say
"""
