"""postmeal: what will this meal do to this person's glucose over the next two hours?"""

from postmeal.errors import InputError, PostmealError
from postmeal.foods.food import Food, Meal, Selection, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.people import Profile

__all__ = [
    "Food",
    "InputError",
    "Meal",
    "Nutrients",
    "PostmealError",
    "Profile",
    "Selection",
    "Serving",
]
