"""What could be eaten instead.

``choice``            healthier foods that fit a diet, the best match first
``pool``              the foods that may be chosen, as arrays
``kinds``             what a food is eaten as: bread, a soft drink, a breakfast cereal
``nutrient_profile``  how healthy a food is, by a published model
``amount``            how much of one food stands for an amount of another
"""

from postmeal.foods.alternatives.choice import Alternative, Alternatives, alternatives

__all__ = ["Alternative", "Alternatives", "alternatives"]
