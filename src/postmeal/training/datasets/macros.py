"""Macronutrients that contradict the stated energy, and missing fat, put right by the energy."""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["KCAL_PER_G", "estimate_from_energy"]

KCAL_PER_G = {"carbs_g": 4.0, "protein_g": 4.0, "fat_g": 9.0}
"""Atwater's general factors (Merrill and Watt 1973, USDA Agriculture Handbook 74)."""

_TOLERANCE, _MARGIN_KCAL = 1.3, 50.0


def estimate_from_energy(entries: pd.DataFrame) -> pd.DataFrame:
    """Fill in the one macronutrient that is unknown or impossible, from the stated energy.

    A macronutrient that alone would hold more than 1.3 times the stated energy and 50 kcal above
    it is a slip of the pen (bacon: 161 kcal, "161 g" fat) and counts as unknown. Where energy and
    the two others are known, an unknown one is what energy they leave over, by Atwater's factors
    and never below zero. Where two are unknown they stay so.

    Parameters
    ----------
    entries : DataFrame
        Food-log entries with the columns ``energy_kcal``, ``carbs_g``, ``protein_g``, ``fat_g``.

    Returns
    -------
    DataFrame
        A copy with the three columns put right.

    Examples
    --------
    >>> import pandas as pd
    >>> bacon = pd.DataFrame(
    ...     {"energy_kcal": [161.0], "carbs_g": [0.6], "protein_g": [12.0], "fat_g": [161.0]})
    >>> round(float(estimate_from_energy(bacon).fat_g[0]), 1)
    12.3
    """
    entries = entries.copy()
    energy = entries.energy_kcal.to_numpy(float)
    held = np.column_stack([entries[key].to_numpy(float) * k for key, k in KCAL_PER_G.items()])
    limit = _TOLERANCE * energy + _MARGIN_KCAL
    held[held > limit[:, np.newaxis]] = np.nan
    unknown = np.isnan(held)
    left_over = np.maximum(energy - np.nansum(held, axis=1), 0.0)
    estimable = unknown.sum(axis=1) == 1
    held = np.where(unknown & estimable[:, np.newaxis], left_over[:, np.newaxis], held)
    for column, (key, kcal_per_g) in enumerate(KCAL_PER_G.items()):
        entries[key] = held[:, column] / kcal_per_g
    return entries
