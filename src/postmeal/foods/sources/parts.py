"""What follows for the parts of a total: no part of nothing is more than nothing."""

from __future__ import annotations

__all__ = ["complete"]

_PARTS = {
    "carbs_g": ("fiber_g", "sugars_g", "added_sugars_g"),
    "sugars_g": ("added_sugars_g",),
    "fat_g": (
        "saturated_fat_g",
        "monounsaturated_fat_g",
        "polyunsaturated_fat_g",
        "trans_fat_g",
    ),
}


def complete(amounts: dict[str, float]) -> dict[str, float]:
    """Fill in the parts of a total that is zero; what else is unknown stays unknown.

    Parameters
    ----------
    amounts : dict of str to float
        Known amounts per 100 g.

    Returns
    -------
    dict of str to float
        The same, with each unknown part of a zero total as zero.

    Examples
    --------
    >>> complete({"carbs_g": 12.0, "sugars_g": 0.0})
    {'carbs_g': 12.0, 'sugars_g': 0.0, 'added_sugars_g': 0.0}
    """
    known = dict(amounts)
    for total, parts in _PARTS.items():
        if known.get(total) == 0:
            for part in parts:
                known.setdefault(part, 0.0)
    return known
