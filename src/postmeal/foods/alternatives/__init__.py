"""Healthier alternatives to foods.

``choice``            healthier foods that fit a diet, best match first
``pool``              candidate foods as arrays
``kinds``             kinds of foods, such as bread, soft drink and breakfast cereal
``nutrient_profile``  healthiness of a food by a published model
``amount``            amount of a food that replaces an amount of another food
"""

from postmeal.foods.alternatives.choice import Alternative, Alternatives, alternatives

__all__ = ["Alternative", "Alternatives", "alternatives"]
