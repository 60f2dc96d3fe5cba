"""Convert OpenStreetMap tags to places."""

from __future__ import annotations

from collections.abc import Mapping

from postmeal.errors import InputError
from postmeal.foods.sources.labels.label_text import clean
from postmeal.restaurants.chains import chain_of
from postmeal.restaurants.place import Place

EATERIES = frozenset(
    ("restaurant", "cafe", "fast_food", "pub", "bar", "food_court", "biergarten", "ice_cream")
)
"""Values of the tag ``amenity`` for places that serve food
(https://wiki.openstreetmap.org/wiki/Key:amenity, section Sustenance)."""

_TYPES = {"node": "n", "way": "w", "relation": "r", "n": "n", "w": "w", "r": "r"}
_TEXT_KEYS = ("brand", "addr:city", "addr:street", "addr:place", "addr:housenumber", "addr:unit")
_MAX_TEXT = 200


def serves_food(tags: Mapping[str, str]) -> bool:
    """Return whether an object with the given tags is a place that serves food."""
    return tags.get("amenity") in EATERIES


def place_from_tags(
    kind: str, number: int, latitude: float, longitude: float, tags: Mapping[str, str]
) -> Place:
    """Build a place from an OpenStreetMap object."""
    name = clean(tags.get("name") or tags.get("brand") or "", _MAX_TEXT)
    if not name:
        raise InputError("name", "must not be empty")
    text = {key: clean(tags[key], _MAX_TEXT) or None for key in _TEXT_KEYS if key in tags}
    city, street = text.get("addr:city"), text.get("addr:street") or text.get("addr:place")
    brand = text.get("brand")
    location = [each for each in (city, street) if each]
    chain = chain_of(name, brand, tags.get("brand:wikidata"), location)
    address = [each for each in (street, text.get("addr:housenumber")) if each]
    return Place(
        id=f"osm-{_TYPES[kind]}{number}",
        name=name,
        latitude=latitude,
        longitude=longitude,
        brand=brand,
        chain=chain.name if chain else None,
        city=city,
        address1=" ".join(address) or None,
        address2=text.get("addr:unit"),
        cuisines=_values(tags.get("cuisine", "")),
        diets=tuple(
            sorted(
                key.removeprefix("diet:")
                for key, value in tags.items()
                if key.startswith("diet:") and value in ("yes", "only")
            )
        ),
        source="OpenStreetMap",
    )


def _values(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (clean(part, _MAX_TEXT) for part in text.split(";"))))
