"""Glycemic index of a food from the parts that supply its carbohydrate.

The index of a mixture is the mean of the indices of its parts, weighted by their available
carbohydrate (Wolever and Jenkins 1986, doi:10.1093/ajcn/43.1.167; FAO/WHO, Carbohydrates in Human
Nutrition, FAO Food and Nutrition Paper 66, 1998).

The parts of a food are the sources of carbohydrate that its name and its food group suggest. The
food's sugars are divided among its sugary parts, and its other available carbohydrate is divided
among its starchy parts. Sugary parts are assumed to supply equal amounts of sugars. Starchy parts
are assumed to have equal weights, so each part supplies carbohydrate in proportion to the
carbohydrate content of its kind of food.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final, NamedTuple

from postmeal.foods.glycemic.name_rules import MIN_AVAILABLE_CARBS_G
from postmeal.foods.glycemic.sources import Source, default_sources, named_sources, sources

_MAX_UNEXPLAINED: Final = 0.3  # maximum share of carbohydrate from unknown sources
_SHARE_CONCENTRATION: Final = 3.0
"""Concentration of the Dirichlet distribution of the shares of inferred parts.

With a concentration of 3, the standard deviation of the share of one of two equal parts is 0.25."""
_INFERENCE_SD: Final = 10.0
"""Standard deviation of the index that is due to inferring the parts from the food's name.

For the six published foods with several parts, the root mean square of the leave-one-out errors is
17.8. The other terms of the standard deviation explain 12. See
`tools/evaluate/glycemic_index.py`."""
_EXCLUDED = ("Spices and Herbs", "Nut and Seed", "Nuts and seeds", "Infant", "Formula")
_ONLY_ALONE = {"batter", "coating", "thickener"}  # used only if there is no other source of starch


class Part(NamedTuple):
    """A part of a food that supplies carbohydrate."""

    value: float
    sd: float
    share: float


class Weighted(NamedTuple):
    """Glycemic index of a mixture and its standard deviation."""

    value: float
    sd: float


def mean_of_parts(parts: Sequence[Part], *, inferred: bool = True) -> Weighted:
    """Return the carbohydrate-weighted index of a mixture, with its standard deviation.

    The errors of the parts are assumed to be fully correlated. This may overestimate the standard
    deviation, but does not underestimate it. If several parts are inferred, two terms are added to
    the variance. One is the variance between the parts divided by 4, as for shares with a Dirichlet
    distribution of concentration 3. The other is 10², for the uncertain choice of the parts.
    """
    total = sum(part.share for part in parts)
    index = sum(part.share * part.value for part in parts) / total
    own_sd = sum(part.share * part.sd for part in parts) / total
    between = sum(part.share * (part.value - index) ** 2 for part in parts) / total
    of_inference = 0.0
    if inferred and len(parts) > 1:
        of_inference = between / (_SHARE_CONCENTRATION + 1) + _INFERENCE_SD**2
    return Weighted(index, sqrt(own_sd**2 + of_inference))


def parts_of(name: str, category: str, per_100_g: Mapping[str, float]) -> list[tuple[Source, Part]]:
    """Return the parts that supply the carbohydrate of a food."""
    carbs_g = per_100_g.get("carbs_g")
    if carbs_g is None or category.startswith(_EXCLUDED):
        return []
    available_g = carbs_g - per_100_g.get("fiber_g", 0.0)
    named = None if available_g < MIN_AVAILABLE_CARBS_G else named_sources(name, category)
    if named is None:
        return []
    sugars_g = per_100_g.get("sugars_g")
    sugar_share = None if sugars_g is None else min(sugars_g / available_g, 1.0)
    starchy = [source for source in named if not source.is_sugary]
    sugary = [source for source in named if source.is_sugary]
    if any(source.name not in _ONLY_ALONE for source in starchy):
        starchy = [source for source in starchy if source.name not in _ONLY_ALONE]
    starchy = starchy or default_sources(category, sugary=False)
    sugary = sugary or default_sources(category, sugary=True)
    shares = _shares(starchy, sugary, sugar_share)
    if shares is None:
        return []
    if shares[1] and not sugary:
        sugary = [sources()["mixed sugars"]]
    weights = [source.carbs_g for source in starchy]
    return [
        *_parts(starchy, weights, shares[0]),
        *_parts(sugary, [1.0] * len(sugary), shares[1]),
    ]


def _shares(
    starchy: Sequence[Source], sugary: Sequence[Source], sugar_share: float | None
) -> tuple[float, float] | None:
    """Return the total shares of starchy and sugary parts; None if too much is unknown."""
    if not starchy and not sugary:
        return None
    if sugar_share is None:
        return (0.5, 0.5) if starchy and sugary else (float(bool(starchy)), float(bool(sugary)))
    if not starchy:
        starch_of_sugary = 1 - min(source.sugar_share for source in sugary)
        explained = 1 - sugar_share <= max(_MAX_UNEXPLAINED, starch_of_sugary)
        return (0.0, 1.0) if explained or _is_whole_food(sugary) else None
    if not sugary:
        sugars_of_starchy = max(source.sugar_share for source in starchy)
        if sugar_share <= max(_MAX_UNEXPLAINED, sugars_of_starchy + _MAX_UNEXPLAINED / 2):
            return 1.0, 0.0
        return (1 - sugar_share, sugar_share) if sugar_share <= 2 * _MAX_UNEXPLAINED else None
    return 1 - sugar_share, sugar_share


def _is_whole_food(sugary: Sequence[Source]) -> bool:
    """Return whether every source contains starch in addition to its sugars."""
    return all(source.sugar_share < 1 for source in sugary)


def _parts(
    listed: Sequence[Source], weights: Sequence[float], share: float
) -> list[tuple[Source, Part]]:
    if not share:
        return []
    return [
        (source, Part(source.value, source.sd, share * weight / sum(weights)))
        for source, weight in zip(listed, weights, strict=True)
    ]
