"""Total carbohydrate of labels that give fibre beside it, not as a part of it.

`carbs_g` counts fibre in, as labels of the United States do (21 CFR 101.9(c)(6)). Regulation (EU)
1169/2011, annex I, point 4, calls carbohydrate what humans metabolise, and fibre is a figure of its
own; so do Iceland, Liechtenstein and Norway, which apply it, the United Kingdom, which kept it,
Switzerland (ordinance SR 817.022.16) and Australia and New Zealand (Food Standards Code, schedule
11). There the two are added up.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["LABELLED_WITHOUT_FIBRE", "total_carbohydrate"]

LABELLED_WITHOUT_FIBRE = frozenset(
    (
        "australia", "austria", "belgium", "bulgaria", "croatia", "cyprus", "czech-republic",
        "denmark", "estonia", "european-union", "finland", "france", "french-guiana", "germany",
        "greece", "guadeloupe", "hungary", "iceland", "ireland", "italy", "latvia",
        "liechtenstein", "lithuania", "luxembourg", "malta", "martinique", "mayotte",
        "netherlands", "new-zealand", "norway", "poland", "portugal", "reunion", "romania",
        "slovakia", "slovenia", "spain", "sweden", "switzerland", "united-kingdom",
    )
)  # fmt: skip
"""Countries as Open Food Facts tags them, without its ``en:``."""

_ENERGY_KCAL = {"protein_g": 4.0, "carbs_g": 4.0, "fat_g": 9.0}
"""Of one gram (Regulation (EU) 1169/2011, annex XIV); of fibre it is 2 kcal."""
_MOST_G = 100.0


def total_carbohydrate(amounts: Mapping[str, float], countries_tags: str) -> float | None:
    """Add fibre to the carbohydrate of a label that leaves it out.

    The law of the countries where the product is sold decides, if all of them agree. The label may
    contradict: where protein, carbohydrate, fat and fibre are together above 100 g, or where its
    energy is nearer to that of a label whose carbohydrate has the fibre in it (2 kcal less for each
    gram of fibre than by the factors 4, 4 and 9) than to these factors.

    Parameters
    ----------
    amounts : mapping of str to float
        Amounts per 100 g or 100 ml as labelled.
    countries_tags : str
        Where it is sold: tags of Open Food Facts, joined by commas.

    Returns
    -------
    float or None
        Carbohydrate with fibre, in g per 100 g or 100 ml; None where it stays as it is labelled.

    Examples
    --------
    A French biscuit and a cracker of the United States:

    >>> biscuit = {"energy_kcal": 462.0, "protein_g": 5.0, "carbs_g": 62.6, "fat_g": 21.0,
    ...            "fiber_g": 1.5}
    >>> total_carbohydrate(biscuit, "en:france,en:belgium")
    64.1
    >>> total_carbohydrate(biscuit, "en:united-states") is None
    True
    """
    countries = {tag.strip().removeprefix("en:") for tag in countries_tags.split(",")} - {""}
    if not countries or not countries <= LABELLED_WITHOUT_FIBRE:
        return None
    carbs_g, fiber_g = amounts.get("carbs_g"), amounts.get("fiber_g")
    if carbs_g is None or not fiber_g:
        return None
    if fiber_g + sum(amounts.get(key, 0.0) for key in _ENERGY_KCAL) > _MOST_G:
        return None
    if amounts.keys() >= {"energy_kcal", *_ENERGY_KCAL}:
        by_factors = sum(amounts[key] * factor for key, factor in _ENERGY_KCAL.items())
        if amounts["energy_kcal"] < by_factors - fiber_g:
            return None
    return float(f"{carbs_g + fiber_g:.7g}")
