"""API version 1.2."""

from serve.v1_2.foods import FOOD_OPERATIONS
from serve.v1_2.glucose import GLUCOSE_OPERATIONS
from serve.v1_2.version import V1_2

__all__ = ["OPERATIONS", "V1_2"]

OPERATIONS = (*FOOD_OPERATIONS, *GLUCOSE_OPERATIONS)
"""Every operation of this version."""
