"""Read numbers and quantities in a text; the foods of a catalog are not needed.

``tokens``       splits a text into words, numbers and punctuation marks
``numbers``      the table of numbers: "twelve", "dozen", "third", "½"
``units``        the table of units of mass and volume
``quantities``   reads values, ranges, fractions, multiples, masses, volumes and shares
``plain``        writes the numbers of a text as digits
"""
