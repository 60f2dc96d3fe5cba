"""Split a text into phrases: the name and amount of each food.

``phrase``               a food and its amount, as written in the text
``run_ons``              separates foods that follow one another without a comma
``phrase_splitting``     splits a text into clauses and phrases
``phrase_parsing``       parses a clause that names at most one food
``masses_and_volumes``   finds masses and volumes such as "50 g"
``counted_names``        parses the count, unit and size before a name
``later_amounts``        assigns amounts that follow the names of foods
``qualifiers``           adds descriptions after the name of a food, as in "eggs, scrambled"
``foods_on_bases``       separates a food from the food under it, as in "goulash over noodles"
``uncertain_phrases``    removes uncertain parts: "or pasta", unknown measures
``phrase_joining``       joins phrases that together name a single food
"""
