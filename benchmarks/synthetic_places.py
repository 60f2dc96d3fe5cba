"""Synthetic places, clustered in towns of very different sizes, and synthetic menus."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from postmeal.foods.catalog import Catalog
from postmeal.restaurants.chains import chains

__all__ = ["write_menus", "write_places"]

_TOWNS = 3_000
_CHAIN_SHARE = 0.2  # of all places
_KINDS = ("Restaurant", "Cafe", "Pizza", "Grill", "Kebab", "Sushi", "Bar", "Bakery", "Kitchen")
_SYLLABLES = ("ba", "ro", "mi", "ka", "lu", "ten", "sor", "vel", "pa", "di", "no", "har", "go")
_MENU_ITEMS = 50  # of one restaurant


def write_places(path: Path, count: int, seed: int = 7) -> None:
    """Write a GeoJSON file of places; a fifth of them belong to chains of equal size."""
    draw = np.random.default_rng(seed)
    town_sizes = 1 / np.arange(1, _TOWNS + 1)
    towns = draw.choice(_TOWNS, count, p=town_sizes / town_sizes.sum())
    town_latitudes = np.degrees(np.arcsin(draw.uniform(-0.8, 0.95, _TOWNS)))
    town_longitudes = draw.uniform(-180, 180, _TOWNS)
    spread = draw.lognormal(-2.5, 0.8, _TOWNS)  # degrees
    latitudes = np.clip(town_latitudes[towns] + draw.normal(0, 1, count) * spread[towns], -90, 90)
    longitudes = town_longitudes[towns] + draw.normal(0, 1, count) * spread[towns]
    longitudes = (longitudes + 180) % 360 - 180
    names = _names(count, draw)
    with path.open("w", encoding="utf-8") as file:
        file.write('{"type":"FeatureCollection","features":[\n')
        for number, name in enumerate(names):
            feature = {
                "type": "Feature",
                "id": f"node/{number + 1}",
                "properties": {
                    "amenity": "restaurant",
                    "name": name,
                    "addr:city": f"Town {towns[number]}",
                    "addr:street": "Main Street",
                },
                "geometry": {
                    "type": "Point",
                    "coordinates": [
                        round(float(longitudes[number]), 6),
                        round(float(latitudes[number]), 6),
                    ],
                },
            }
            file.write((",\n" if number else "") + json.dumps(feature))
        file.write("\n]}\n")


def write_menus(path: Path, count: int, seed: int = 11) -> None:
    """Write menus of restaurants with synthetic names; the dishes come from the catalog."""
    draw = np.random.default_rng(seed)
    dishes = [food.name for food in Catalog.open().foods("generic") if food.is_dish]
    restaurants = list(_names(count // _MENU_ITEMS, draw, chain_share=0.0))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["restaurant", "name", "energy_kcal", "carbs_g", "fat_g"])
        for restaurant in restaurants:
            for dish in draw.choice(dishes, _MENU_ITEMS, replace=False):
                writer.writerow([restaurant, dish, 400, 40, 15])


def _names(
    count: int, draw: np.random.Generator, chain_share: float = _CHAIN_SHARE
) -> Iterator[str]:
    chain_names = list(chains())
    drawn = zip(
        (draw.random(count) < chain_share).tolist(),
        draw.integers(len(chain_names), size=count).tolist(),
        draw.integers(len(_SYLLABLES), size=(count, 4)).tolist(),
        draw.integers(len(_KINDS), size=count).tolist(),
        strict=True,
    )
    for is_chain, chain, syllables, kind in drawn:
        if is_chain:
            yield chain_names[chain]
        else:
            word = "".join(_SYLLABLES[at] for at in syllables)
            yield f"{word.title()} {_KINDS[kind]}"
