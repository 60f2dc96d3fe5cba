"""Words of meal texts.

``connectors``           words that connect foods, ingredients and masses, and negations
``filler_words``         filler words around the names of foods, and reasons for eating
``measure_words``        words that are converted to another measure, such as "knob"
``name_words``           weights and meanings of the words in names
``qualifier_words``      words that only describe a food
``sizes_and_measures``   names of sizes and household measures
"""
