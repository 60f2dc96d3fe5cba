"""Names and numbers of nutrients in the data of each publisher."""

from __future__ import annotations

SR28_NUMBERS: dict[str, str] = {
    "208": "energy_kcal",
    "203": "protein_g",
    "205": "carbs_g",
    "291": "fiber_g",
    "269": "sugars_g",
    "204": "fat_g",
    "606": "saturated_fat_g",
    "645": "monounsaturated_fat_g",
    "646": "polyunsaturated_fat_g",
    "605": "trans_fat_g",
    "601": "cholesterol_mg",
    "307": "sodium_mg",
    "306": "potassium_mg",
    "301": "calcium_mg",
    "303": "iron_mg",
    "318": "vitamin_a_iu",
    "401": "vitamin_c_mg",
    "324": "vitamin_d_iu",
    "255": "water_g",
    "262": "caffeine_mg",
}
"""Nutrient keys by SR28 nutrient number."""

FOODDATA_CENTRAL_IDS: dict[str, tuple[tuple[int, float], ...]] = {
    "energy_kcal": ((1008, 1.0), (2048, 1.0), (2047, 1.0), (1062, 1 / 4.184)),
    "protein_g": ((1003, 1.0),),
    "carbs_g": ((1005, 1.0), (1050, 1.0)),
    "fiber_g": ((1079, 1.0), (2033, 1.0)),
    "sugars_g": ((2000, 1.0), (1063, 1.0)),
    "added_sugars_g": ((1235, 1.0),),
    "fat_g": ((1004, 1.0), (1085, 1.0)),
    "saturated_fat_g": ((1258, 1.0),),
    "monounsaturated_fat_g": ((1292, 1.0),),
    "polyunsaturated_fat_g": ((1293, 1.0),),
    "trans_fat_g": ((1257, 1.0),),
    "cholesterol_mg": ((1253, 1.0),),
    "sodium_mg": ((1093, 1.0),),
    "potassium_mg": ((1092, 1.0),),
    "calcium_mg": ((1087, 1.0),),
    "iron_mg": ((1089, 1.0),),
    "vitamin_a_iu": ((1104, 1.0),),
    "vitamin_c_mg": ((1162, 1.0),),
    "vitamin_d_iu": ((1110, 1.0), (1114, 40.0)),  # 1 µg of vitamin D is 40 IU
    "water_g": ((1051, 1.0),),
    "caffeine_mg": ((1057, 1.0),),
}
"""IDs in ``nutrient.csv`` for each nutrient, best first, each with the factor that converts the
amount to the unit of the key. Some nutrients have several IDs:

- energy: as published, by specific Atwater factors, by general Atwater factors, and in kJ
- carbohydrate: by difference and by summation
- fiber: by AOAC 991.43 and by AOAC 2011.25
- sugars: total sugars and sugars by NLEA
- fat: total fat and fat by NLEA
- vitamin D: in IU and in µg
"""

OPEN_FOOD_FACTS_COLUMNS: dict[str, tuple[tuple[str, float], ...]] = {
    "energy_kcal": (
        ("energy-kcal_100g", 1.0),
        ("energy-kj_100g", 1 / 4.184),
        ("energy_100g", 1 / 4.184),
    ),
    "protein_g": (("proteins_100g", 1.0),),
    "carbs_g": (("carbohydrates-total_100g", 1.0), ("carbohydrates_100g", 1.0)),
    "fiber_g": (("fiber_100g", 1.0),),
    "sugars_g": (("sugars_100g", 1.0),),
    "added_sugars_g": (("added-sugars_100g", 1.0),),
    "fat_g": (("fat_100g", 1.0),),
    "saturated_fat_g": (("saturated-fat_100g", 1.0),),
    "monounsaturated_fat_g": (("monounsaturated-fat_100g", 1.0),),
    "polyunsaturated_fat_g": (("polyunsaturated-fat_100g", 1.0),),
    "trans_fat_g": (("trans-fat_100g", 1.0),),
    "cholesterol_mg": (("cholesterol_100g", 1e3),),
    "sodium_mg": (
        ("sodium_100g", 1e3),
        ("salt_100g", 1e3 / 2.5),
    ),  # EU 1169/2011: salt = 2.5 × sodium
    "potassium_mg": (("potassium_100g", 1e3),),
    "calcium_mg": (("calcium_100g", 1e3),),
    "iron_mg": (("iron_100g", 1e3),),
    "vitamin_a_iu": (("vitamin-a_100g", 1e6 / 0.3),),  # 1 IU is 0.3 µg of retinol
    "vitamin_c_mg": (("vitamin-c_100g", 1e3),),
    "vitamin_d_iu": (("vitamin-d_100g", 1e6 * 40),),  # 1 µg is 40 IU
    "water_g": (("water_100g", 1.0),),
    "caffeine_mg": (("caffeine_100g", 1e3),),
}
"""Columns with the amount of each nutrient, best first, each with the factor that converts the
amount to the unit of the key."""
