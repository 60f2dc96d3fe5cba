"""Compute the errors for held-out people during training."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.metrics import curve_metrics

__all__ = ["held_out_metrics"]


def held_out_metrics(
    table: pd.DataFrame, held_out: NDArray[np.float64]
) -> dict[str, dict[str, float]]:
    """Compute the errors of predictions for held-out people.

    Parameters
    ----------
    table : DataFrame
        The meals table of the training sets.
    held_out : ndarray of shape (n_meals, 9)
        Curves in mg/dL, as returned by `postmeal.training.fit.release.unseen_people` for the table.

    Returns
    -------
    dict of str to dict
        For each data set, the metrics of `postmeal.training.fit.metrics.curve_metrics`.
    """
    observed, person = observed_curves(table), table["person"].to_numpy()
    rows_of = {
        str(name): table["data_set"].to_numpy() == name for name in table["data_set"].unique()
    }
    return {
        name: curve_metrics(observed[rows], held_out[rows], person[rows])
        for name, rows in rows_of.items()
    }
