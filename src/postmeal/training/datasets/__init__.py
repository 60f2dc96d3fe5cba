"""One loader a data set, each from its official format, and the meals table of any of them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from postmeal.errors import DataSetError, InputError

if TYPE_CHECKING:
    import pandas as pd

    from postmeal.training.datasets.data_set import DataSet

__all__ = ["DATA_SETS", "load_data_set", "load_meals"]

DATA_SETS = ("bigideas", "hall2018", "ogtt75", "shanghai", "cgmacros", "t1d_uom")
"""The names of the data sets."""


def load_data_set(name: str, folder: str | Path) -> DataSet:
    """Load one data set from the folder that holds it in its official format.

    Parameters
    ----------
    name : str
        One of `DATA_SETS`.
    folder : str or Path
        Its folder.

    Returns
    -------
    DataSet
        People, entries and readings, with licence and citation.

    Raises
    ------
    InputError
        There is no such data set.
    DataSetError
        The folder does not hold it, or a table in it is damaged.
    """
    if name not in DATA_SETS:
        raise InputError("data_set", "must be one of", name, allowed=DATA_SETS)
    module = import_module(f"{__name__}.{name}")
    try:
        data_set: DataSet = module.load(folder)
    except (ValueError, LookupError, AttributeError, TypeError, BadZipFile) as error:
        # An unreadable table, or one without a column of the format.
        problem = f"{folder} does not hold {name} in its official format"
        raise DataSetError(f"{problem}: {error}") from error
    return data_set


def load_meals(name: str, folder: str | Path) -> pd.DataFrame:
    """Load one data set's meals table: its isolated meals with full sensor cover.

    Parameters
    ----------
    name : str
        One of `DATA_SETS`.
    folder : str or Path
        Its folder.

    Returns
    -------
    DataFrame
        One row a meal and sensor; see `postmeal.training.datasets.meals_table.meals_table`.

    Raises
    ------
    InputError
        There is no such data set.
    DataSetError
        The folder does not hold it.
    """
    from postmeal.training.datasets.meals_table import meals_table

    return meals_table(load_data_set(name, folder))
