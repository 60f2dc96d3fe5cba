"""Healthier alternatives to foods.

``choice``            healthier foods that fit a diet, best match first
``candidates``        search for foods that may replace a food, with scores
``pool``              foods that can be recommended, as arrays
``kinds``             kinds of foods, such as bread, soft drink and breakfast cereal
``stand_ins``         order in which a dietitian offers kinds of foods
``vetoes``            foods that are not recommended, whatever their nutrients
``nutrient_profile``  healthiness of a food by a published model
``amount``            amount of a food that replaces an amount of another food
"""

from postmeal.foods.alternatives.choice import Alternative, Alternatives, alternatives

__all__ = ["Alternative", "Alternatives", "alternatives"]
