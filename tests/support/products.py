"""A small catalog of synthetic foods with barcodes in all formats, pictures and unknown amounts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from postmeal.foods.catalog.file import build_catalog_file, by_kind
from postmeal.foods.food import FoodKind
from postmeal.foods.table import Portion, TableFood

GRAMS = Portion(1, 100, "g", 100)
COLA = "049000006346"
SPREAD = "4006381333931"
GUM = "96385074"
CASE = "10614141000415"
MINTS = "04201359"  # an EAN-8, and also the UPC-E of the chips
CHIPS = "042013000059"
SALSA = "042013000097"  # its UPC-E is also an EAN-8 that no product has


def _food(number: int, name: str, kind: FoodKind = "branded", **more: Any) -> TableFood:
    values: dict[str, Any] = {
        "source": "invented",
        "key": str(number),
        "category": "Shelf",
        "portions": (GRAMS,),
        "per_100_g": {"energy_kcal": 100.0, "carbs_g": 10.0, "fiber_g": 1.0},
    }
    return TableFood(id=100_000_000 + number, name=name, kind=kind, **(values | more))


def _product(number: int, name: str, barcode: str, **more: Any) -> TableFood:
    return _food(number, name, brand_name="Example Foods", barcode=barcode.zfill(14), **more)


COLA_FOOD = _product(
    1,
    "Cola",
    COLA,
    image_url="https://pictures.example/cola.jpg",
    portions=(Portion(2, 1, "can", 355), GRAMS),
    per_100_g={"energy_kcal": 42.0, "carbs_g": 10.6, "sugars_g": 10.6, "fat_g": 0.0},
)

FOODS = (
    COLA_FOOD,
    _product(2, "Hazelnut spread", SPREAD),
    _product(3, "Chewing gum", GUM),
    _product(4, "Lemonade, case of 12", CASE),
    _product(5, "Mints", MINTS),
    _product(6, "Corn chips", CHIPS),
    _product(7, "Salsa", SALSA),
    _food(8, "Sparkling water", brand_name="Example Foods", per_100_g={"energy_kcal": 0.0}),
    _food(9, "Sparkling surprise", brand_name="Example Foods", per_100_g={"carbs_g": 3.0}),
    _food(10, "Spark plug stew", "recipe", per_100_g={"potassium_mg": 90.0}),
    _food(11, "Sparkling apple, raw", "generic", per_100_g={"potassium_mg": 90.0}),
    _food(12, "Earl grey tea", "generic"),
    _food(13, "Vitamin B12 drink", "generic"),
    _food(14, "日本茶", "generic"),
    _food(15, "Sparkling soup", "recipe"),
)


def catalogue_of_products(folder: Path) -> Path:
    """Build the catalog file and return its path."""
    path = folder / "products.sqlite3"
    build_catalog_file(by_kind(FOODS), path)
    return path
