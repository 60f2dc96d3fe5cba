"""Parser for published measures such as "small or thin slice"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from postmeal.foods.portions.sizes import SIZES, sizes_in
from postmeal.foods.portions.units import BARE, SYNONYMS, UNITS, USUAL, VOLUMES_ML, unit_named
from postmeal.foods.words import words

_NOT_SPECIFIED = "quantity not specified"
_UNUSABLE = re.compile(
    r"^guideline|yields\b|yield \(|yield from|^oz\b|^lb\b|^g$|estimated|unpopped|in shell|^inch\b|"
    r"with (?:shell|bone|refuse|skin and bone)|excluding refuse|recipe|\d+ calorie|"
    r"package yield|dry\b|raw\b"
)
_ASIDE = re.compile(r"\([^()]*\)")
_OUNCES_EACH = re.compile(r"(?:\d+(?:\.\d+)?|\d+/\d+)[ -](?:fl )?(?:oz|ounce)s?\b")
_CHANGED = re.compile(r"mashed|pureed|crushed|packed|crumb|crust not eaten|melted|powder|sifted")
_UNIT = re.compile(
    r"(?<!\w)(?:"
    + "|".join(map(re.escape, sorted(filter(None, UNITS | SYNONYMS.keys()), key=len, reverse=True)))
    + r")(?:e?s)?(?!\w)"
)
_SEVERAL = re.compile(r"\d ?(?:cup|tbsp|tsp|tablespoon|teaspoon)")
_FL_OZ = re.compile(r"^(?:fl\.? oz|fluid ounces?)\b")
_SIZE_FIRST = tuple(f"{size}," for size in SIZES)
_NO_PIECE = frozenset({"cup", "slice", "piece", "small", "medium", "large"})
_FEW_WORDS = 3


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of a food: a unit and a size."""

    unit: str
    size: str = ""
    changed: bool = False


@lru_cache(65_536)
def measures_of(text: str, name: tuple[str, ...]) -> tuple[Measure, ...]:
    """Return all units and sizes that a published measure applies to."""
    plain = text.casefold().strip()
    if plain == _NOT_SPECIFIED:
        return (Measure(USUAL),)
    if _FL_OZ.match(plain):
        return () if "with ice" in plain else (Measure("fl oz"),)
    plain = _OUNCES_EACH.sub(" ", _ASIDE.sub(" ", plain)).strip()
    if _UNUSABLE.search(plain):
        return ()
    main = plain if plain.startswith(_SIZE_FIRST) else plain.partition(",")[0]
    if plain.startswith("serving"):
        main = "serving"
    units = list(dict.fromkeys(unit_named(_singular(found[0])) for found in _UNIT.finditer(main)))
    sizes = sizes_in(plain) or [""]
    if volumes := [unit for unit in units if unit in VOLUMES_ML]:
        keys = [] if _SEVERAL.search(main) else volumes
    else:
        keys = [unit for unit in units if unit != BARE]
        if BARE in units or units == ["drink"] or _is_piece(main, units, sizes, name):
            keys.append(BARE)
    changed = bool(_CHANGED.search(plain))
    return tuple(Measure(unit, size, changed) for unit in keys for size in sizes)


def _is_piece(main: str, units: list[str], sizes: list[str], name: tuple[str, ...]) -> bool:
    """Return whether a measure counts the food itself, such as "large" or "banana" for a banana."""
    main_words = words(main)
    if any(word in name for word in main_words if word not in _NO_PIECE) or any(
        u in name for u in units
    ):
        return True
    return not units and (sizes != [""] or 0 < len(main_words) <= _FEW_WORDS)


def _singular(unit: str) -> str:
    stems = (unit, unit.removesuffix("s"), unit.removesuffix("es"))
    return next((stem for stem in stems if stem in UNITS or stem in SYNONYMS), unit)
