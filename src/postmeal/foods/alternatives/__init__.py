"""Healthier alternatives to foods.

``choice``            healthier foods that fit a diet, best match first
``candidates``        search for foods that may replace a food, with scores
``pool``              foods that can be recommended, as arrays
``kinds``             kinds of foods, such as bread, soft drink and breakfast cereal
``vetoes``            foods that a dietitian recommends first, and foods that are never recommended
``nutrient_profile``  healthiness of a food according to a published model
``amount``            amount of a replacement that stands in for a given amount of a food
"""

from postmeal.foods.alternatives.choice import Alternative, Alternatives, alternatives

__all__ = ["Alternative", "Alternatives", "alternatives"]
