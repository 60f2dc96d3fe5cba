"""What is eaten, and the nutrients in it.

``nutrients``     the vocabulary: keys, units, sums and scaling; unknown is not zero
``food``          Food, Serving, Selection, Meal
``words``         words of names, made comparable
``barcodes``      the five forms of a product's number
``diets``         what is known of a food by each diet rule
``glycemic``      the glycemic index of a food, by published means and rules
``popularity``    the everyday-popularity order of the foods
``table``         the compact table of foods that ships, and its columns
``catalog``       a catalogue of foods: look up by id or barcode, search by name
``language``      "1 cup oatmeal, 1 banana" -> selections
``alternatives``  healthier foods of the same kind that fit a diet
``sources``       one importer a publisher; the collection and the catalogue made of it
"""
