"""What is eaten, and the nutrients in it.

``nutrients``     the vocabulary: keys, units, sums and scaling; unknown is not zero
``food``          Food, Serving, Selection, Meal
``catalog``       the shipped foods: look up by id, search by name
``ranking``       which of the matching foods is meant
``language``      "1 cup oatmeal, 1 banana" -> selections
``measures``      how much "2 cups" or "3 large" of a food is
``glycemic``      the glycemic index of a food, by published means and rules
``popularity``    the everyday-popularity order of the foods
``table``         the compact table of foods that ships, and its columns
``catalog_file``  the SQLite file that the catalogue builds from the table and reads
``sources``       one importer a publisher, and the command that joins them into the table
"""
