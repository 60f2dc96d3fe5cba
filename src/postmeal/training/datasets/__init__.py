"""Load data sets in their official formats, and build the meals table of each data set."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from postmeal.errors import DataSetError, InputError

if TYPE_CHECKING:
    import pandas as pd

    from postmeal.training.datasets.data_set import DataSet

__all__ = ["DATA_SETS", "TRAINING_SETS", "load_data_set", "load_meals"]

DATA_SETS = ("bigideas", "hall2018", "ogtt75", "shanghai", "cgmacros", "t1d_uom")
"""Names of the supported data sets."""

_EVALUATION_ONLY = ("cgmacros",)

TRAINING_SETS = tuple(name for name in DATA_SETS if name not in _EVALUATION_ONLY)
"""Data sets on which the default model is trained.

Their licenses allow anyone to use the trained weights.
"""


def load_data_set(name: str, folder: str | Path) -> DataSet:
    """Load a data set in its official format.

    Parameters
    ----------
    name : str
        One of `DATA_SETS`.
    folder : str or Path
        Folder with the files of the data set, as published.

    Returns
    -------
    DataSet
        The people, food log entries and CGM readings, with the license and the citation.

    Raises
    ------
    InputError
        The name is not one of `DATA_SETS`.
    DataSetError
        The folder does not contain the data set in its official format, or a file is damaged.
    """
    if name not in DATA_SETS:
        raise InputError("data_set", "must be one of", name, allowed=DATA_SETS)
    from zipfile import BadZipFile  # imported here because the command line imports this module

    module = import_module(f"{__name__}.{name}")
    try:
        data_set: DataSet = module.load(folder)
    except (ValueError, LookupError, AttributeError, TypeError, BadZipFile) as error:
        # A table cannot be read or lacks a column.
        raise DataSetError(
            f"{folder} does not contain the data set {name} in its official format: {error}"
        ) from error
    return data_set


def load_meals(name: str, folder: str | Path) -> pd.DataFrame:
    """Load the meals table of a data set: isolated meals without gaps in the readings.

    Parameters
    ----------
    name : str
        One of `DATA_SETS`.
    folder : str or Path
        Folder with the files of the data set, as published.

    Returns
    -------
    DataFrame
        One row per meal and sensor; see `postmeal.training.datasets.meals_table.meals_table`.

    Raises
    ------
    InputError
        The name is not one of `DATA_SETS`.
    DataSetError
        The folder does not contain the data set in its official format, or a file is damaged.
    """
    from postmeal.training.datasets.meals_table import meals_table

    return meals_table(load_data_set(name, folder))
