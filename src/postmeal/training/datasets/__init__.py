"""Load data sets in their official formats, and build the meals table of each data set."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from postmeal.errors import DataSetError, InputError
from postmeal.training import check_extra

if TYPE_CHECKING:
    import pandas as pd

    from postmeal.training.datasets.data_set import DataSet

__all__ = [
    "DATA_SETS",
    "GLUCOSE_DRINKS",
    "LEFT_OUT",
    "SHORT_NAMES",
    "TRAINING_SETS",
    "UNAWARE",
    "load_data_set",
    "load_meals",
]


class _Use(NamedTuple):
    """What a data set is called in reports, and what it is used for."""

    short_name: str
    is_trained_on: bool = True
    is_left_out: bool = False
    has_meals: bool = True
    knows_conditions: bool = True


_USES = {
    "bigideas": _Use("BIG IDEAs", is_left_out=True),
    "hall2018": _Use("Hall 2018", is_left_out=True, knows_conditions=False),
    "ogtt75": _Use("glucose tolerance tests", has_meals=False),
    "shanghai": _Use("ShanghaiT2DM", is_left_out=True),
    "cgmacros": _Use("CGMacros", is_trained_on=False),
    "t1d_uom": _Use("T1D-UOM"),
}

DATA_SETS = tuple(_USES)
"""Names of the supported data sets.

The loader of a data set is the module with this name in this package. The module with this name in
`postmeal.training.synthetic.data_sets` writes synthetic data in the same format.
"""

SHORT_NAMES = {name: use.short_name for name, use in _USES.items()}
"""Short names of the data sets in reports."""

TRAINING_SETS = tuple(name for name, use in _USES.items() if use.is_trained_on)
"""Data sets on which the default model is trained.

Their licenses allow anyone to use the trained weights.
"""

LEFT_OUT = tuple(name for name, use in _USES.items() if use.is_left_out)
"""Training sets that are left out in turn to evaluate the model.

Glucose drinks and type 1 diabetes are always trained on.
"""

GLUCOSE_DRINKS = tuple(name for name, use in _USES.items() if not use.has_meals)
"""Data sets of glucose drinks, which are not meals."""

UNAWARE = tuple(name for name, use in _USES.items() if not use.knows_conditions)
"""Data sets of people who knew of no condition, although some had one (a third in Hall 2018)."""


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
    MissingExtra
        A package of the extra ``train`` is not installed.
    """
    if name not in DATA_SETS:
        raise InputError("data_set", "must be one of", name, allowed=DATA_SETS)
    check_extra()
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
