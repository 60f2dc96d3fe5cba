"""Foods and their nutrients.

``nutrients``     nutrient keys and units; sums and scaling of amounts that may be unknown
``food``          Food, Serving, Selection, Meal
``words``         normalized words of food names
``barcodes``      the five barcode formats of a product
``diets``         verdicts of the diet rules on a food
``glycemic``      glycemic index of a food
``popularity``    ranking of foods by how commonly they are eaten
``table``         table of foods shipped with the package
``catalog``       catalog of foods: lookup by ID or barcode, search by name
``language``      parsing of meal texts such as "1 cup oatmeal, 1 banana"
``alternatives``  healthier foods of the same kind that fit a diet
``sources``       importers for food data, and the catalog compiled from imported foods
"""
