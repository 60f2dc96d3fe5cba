"""Correct macronutrients that are missing or contradict the stated energy."""

from __future__ import annotations

import numpy as np
import pandas as pd

KCAL_PER_G = {"carbs_g": 4.0, "protein_g": 4.0, "fat_g": 9.0}
"""Atwater's general factors, in kcal/g (Merrill and Watt 1973, USDA Agriculture Handbook 74)."""

_TOLERANCE, _MARGIN_KCAL = 1.3, 50.0


def estimate_from_energy(entries: pd.DataFrame) -> pd.DataFrame:
    """Estimate an unknown or impossible macronutrient from the stated energy.

    If the energy of a macronutrient exceeds 1.3 times the stated energy plus 50 kcal, it is an
    error in the log and is treated as unknown. An example is "161 g" of fat in bacon with 161 kcal.
    If one macronutrient is unknown, it is computed with Atwater's factors from the energy that the
    other two do not account for, and is at least zero. If two are unknown, they remain unknown.
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
