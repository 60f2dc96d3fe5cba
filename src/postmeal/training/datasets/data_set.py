"""A published data set: people, food log entries and CGM readings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from postmeal.errors import DataSetError

__all__ = [
    "CONTENT",
    "ENTRY_COLUMNS",
    "PEOPLE_COLUMNS",
    "READING_COLUMNS",
    "DataSet",
    "condition_of_hba1c",
    "existing",
    "hba1c_percent_of_mmol_mol",
    "optional_numbers",
]

CONTENT = ("energy_kcal", "carbs_g", "protein_g", "fat_g", "fiber_g", "sugars_g")
"""Energy and nutrients of a food log entry, in the order of the meals table."""

PEOPLE_COLUMNS = (
    "person",
    "condition",
    "age",
    "sex",
    "height_cm",
    "weight_kg",
    "hba1c_percent",
    "fasting_glucose_mg_dl",
)
ENTRY_COLUMNS = ("person", "time", *CONTENT, "foods")
READING_COLUMNS = ("person", "sensor", "time", "glucose_mg_dl")


@dataclass(frozen=True)
class DataSet:
    """A published data set after cleaning, before its food log entries are merged into meals.

    Attributes
    ----------
    name : str
        Short name, such as ``bigideas``.
    title, licence, citation, doi : str
        Title, license and citation as published.
    people : DataFrame
        The columns `PEOPLE_COLUMNS`, with one row per person. Unknown numbers are NaN, and an
        unknown sex is None.
    entries : DataFrame
        The columns `ENTRY_COLUMNS`, one row per food log entry. Unknown amounts are NaN. An entry
        without any known amount still shows that the person ate at that time.
    readings : DataFrame
        The columns `READING_COLUMNS`, one row per CGM reading. Times are local, without a zone.
    fasted_h : float, default=nan
        Hours that people had fasted before a meal without an earlier entry; NaN unless the study's
        protocol states them.
    is_glucose : bool, default=False
        Whether the carbohydrate of all entries is pure glucose.

    Raises
    ------
    DataSetError
        A table does not have the required columns.
    """

    name: str
    title: str
    licence: str
    citation: str
    doi: str
    people: pd.DataFrame
    entries: pd.DataFrame
    readings: pd.DataFrame
    fasted_h: float = float("nan")
    is_glucose: bool = False

    def __post_init__(self) -> None:
        tables = (
            (self.people, PEOPLE_COLUMNS),
            (self.entries, ENTRY_COLUMNS),
            (self.readings, READING_COLUMNS),
        )
        for table, columns in tables:
            if tuple(table.columns) != columns:
                expected, actual = ", ".join(columns), ", ".join(table.columns)
                raise DataSetError(
                    f"a table of {self.name} must have the columns {expected}; got {actual}"
                )

    @property
    def notice(self) -> str:
        """Title, license and citation, which must be shown wherever the data is used."""
        return f"{self.title} ({self.licence}). {self.citation} doi:{self.doi}"


def condition_of_hba1c(hba1c_percent: float) -> str:
    """Return the condition that corresponds to an HbA1c value.

    Values below 5.7% are ``normal``, values below 6.5% are ``prediabetes``, and all others are
    ``type_2``. These are the thresholds of the American Diabetes Association (Professional Practice
    Committee 2024, doi:10.2337/dc24-S002). HbA1c is used because most of the data sets do not
    contain diagnoses.

    Parameters
    ----------
    hba1c_percent : float
        HbA1c in percent (NGSP).

    Returns
    -------
    str
        The condition.

    Examples
    --------
    >>> [condition_of_hba1c(percent) for percent in (5.6, 5.7, 6.4, 6.5)]
    ['normal', 'prediabetes', 'prediabetes', 'type_2']
    """
    if hba1c_percent >= 6.5:
        return "type_2"
    return "prediabetes" if hba1c_percent >= 5.7 else "normal"


def hba1c_percent_of_mmol_mol(hba1c_mmol_mol: float) -> float:
    """Convert HbA1c from mmol/mol (IFCC) to percent (NGSP).

    The formula is the master equation of Hoelzel et al. 2004 (doi:10.1373/clinchem.2003.024802).

    Examples
    --------
    >>> round(hba1c_percent_of_mmol_mol(53), 1)
    7.0
    """
    return 0.09148 * hba1c_mmol_mol + 2.152


def optional_numbers(table: pd.DataFrame, column: str) -> pd.Series:
    """Return a column as numbers, NaN where it is not a number or if there is no such column."""
    values = table[column] if column in table.columns else pd.Series(np.nan, table.index)
    return pd.to_numeric(values, errors="coerce").astype(float)


def existing(path: Path, what: str) -> Path:
    """Return a path after checking that the file or folder exists.

    Parameters
    ----------
    path : Path
        The path.
    what : str
        Description of the file or folder for the error message.

    Raises
    ------
    DataSetError
        The file or folder does not exist.
    """
    if not path.parent.exists():
        raise DataSetError(
            f"the folder {path.parent} does not exist; give the path of the folder that contains"
            f" {path.name!r}"
        )
    if not path.exists():
        raise DataSetError(f"{what} is missing: there is no {path.name!r} in {path.parent}")
    return path
