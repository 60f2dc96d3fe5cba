"""Words of meal texts.

``connectors``           words that connect foods, ingredients and masses
``filler_words``         filler words before and after the names of foods
``measure_words``        words that are converted to another measure, such as "knob"
``name_words``           weights and meanings of the words in names
``negations``            words before a food that was not eaten
``nutrient_words``       words for nutrients, as in "20 g protein"
``purposes``             words that introduce a reason for eating
``qualifier_words``      words that only describe a food
``sizes_and_measures``   names of sizes and household measures
"""
