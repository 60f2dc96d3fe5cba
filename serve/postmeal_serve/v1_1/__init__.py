"""API version 1.1, which is deprecated: it continues to work, but gets no new features."""

from postmeal_serve.v1_1.alternatives import ALTERNATIVES
from postmeal_serve.v1_1.food_logs import FOOD_LOG_OPERATIONS
from postmeal_serve.v1_1.food_search import FOOD_SEARCH_OPERATIONS
from postmeal_serve.v1_1.glucose import GLUCOSE_OPERATIONS
from postmeal_serve.v1_1.meal_text import MEAL_TEXT_OPERATIONS
from postmeal_serve.v1_1.photo_scan import SCAN_PHOTO
from postmeal_serve.v1_1.restaurants import RESTAURANT_OPERATIONS
from postmeal_serve.v1_1.training import TRAINING_OPERATIONS
from postmeal_serve.v1_1.user_glucose import USER_GLUCOSE_OPERATIONS
from postmeal_serve.v1_1.users import USER_OPERATIONS
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.v1_1.vision import VISION_OPERATIONS

__all__ = ["OPERATIONS", "V1_1"]

OPERATIONS = (
    *FOOD_SEARCH_OPERATIONS,
    *MEAL_TEXT_OPERATIONS,
    *RESTAURANT_OPERATIONS,
    SCAN_PHOTO,
    *VISION_OPERATIONS,
    ALTERNATIVES,
    *FOOD_LOG_OPERATIONS,
    *GLUCOSE_OPERATIONS,
    *USER_GLUCOSE_OPERATIONS,
    *USER_OPERATIONS,
    *TRAINING_OPERATIONS,
)
"""All operations of this version."""
