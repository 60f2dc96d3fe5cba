"""Foods and their nutrients.

``nutrients``     nutrient keys, units, sums and scaling; unknown is not zero
``food``          Food, Serving, Selection, Meal
``words``         splitting and normalizing food names
``barcodes``      the five barcode formats of a product
``diets``         whether a food fits each diet rule
``glycemic``      glycemic index of a food, from published means and rules
``popularity``    the order of foods by how commonly they are eaten
``table``         the compact table of foods shipped with the package
``catalog``       a catalog of foods: lookup by ID or barcode, search by name
``language``      "1 cup oatmeal, 1 banana" -> selections
``alternatives``  healthier foods of the same kind that fit a diet
``sources``       importers for each publisher, the collection, and the catalog compiled from it
"""
