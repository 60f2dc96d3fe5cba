"""API version 1.2."""

from postmeal_serve.v1_2.alternatives import ALTERNATIVES
from postmeal_serve.v1_2.autocomplete import AUTOCOMPLETE
from postmeal_serve.v1_2.chat import CREATE_CHAT_COMPLETION
from postmeal_serve.v1_2.client_tokens import CLIENT_TOKEN_OPERATIONS
from postmeal_serve.v1_2.credits import CREDIT_OPERATIONS
from postmeal_serve.v1_2.food_logs import FOOD_LOG_OPERATIONS
from postmeal_serve.v1_2.food_scans import FOOD_SCAN_OPERATIONS
from postmeal_serve.v1_2.foods import FOOD_OPERATIONS
from postmeal_serve.v1_2.glucose import GLUCOSE_OPERATIONS
from postmeal_serve.v1_2.literature import SEARCH_LITERATURE
from postmeal_serve.v1_2.menu_items import SEARCH_MENU_ITEMS
from postmeal_serve.v1_2.photo_scan import SCAN_PHOTO
from postmeal_serve.v1_2.restaurants import RESTAURANT_OPERATIONS
from postmeal_serve.v1_2.version import V1_2

__all__ = ["OPERATIONS", "V1_2"]

OPERATIONS = (
    *CREDIT_OPERATIONS,
    *CLIENT_TOKEN_OPERATIONS,
    AUTOCOMPLETE,  # Must precede /foods/{food_id}, which would match its path.
    *FOOD_OPERATIONS,
    ALTERNATIVES,
    *RESTAURANT_OPERATIONS,
    SEARCH_MENU_ITEMS,
    *FOOD_LOG_OPERATIONS,
    SCAN_PHOTO,
    *FOOD_SCAN_OPERATIONS,
    *GLUCOSE_OPERATIONS,
    SEARCH_LITERATURE,
    CREATE_CHAT_COMPLETION,
)
"""All operations of this version."""
