"""DataSet: people, what they ate and what their sensors read, as published."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
]

CONTENT = ("energy_kcal", "carbs_g", "protein_g", "fat_g", "fiber_g", "sugars_g")
"""What is known of the content of an entry, in the order of the meals table."""

PEOPLE_COLUMNS = (
    "person",
    "condition",
    "age",
    "sex",
    "height_cm",
    "weight_kg",
    "hba1c_percent",
)
ENTRY_COLUMNS = ("person", "time", *CONTENT, "foods")
READING_COLUMNS = ("person", "sensor", "time", "glucose_mg_dl")


@dataclass(frozen=True)
class DataSet:
    """One published data set after its cleaning rules, before meals are formed.

    Attributes
    ----------
    name : str
        The short name: ``bigideas``, ``hall2018``, ...
    title, licence, citation, doi : str
        What its publishers call it, allow and want to be cited as.
    people : DataFrame
        One row a person; columns `PEOPLE_COLUMNS`, unknown is NaN (numbers) or None (sex).
    entries : DataFrame
        One row a food-log entry; columns `ENTRY_COLUMNS`, unknown amounts are NaN. An entry of
        which nothing is known still says that something was eaten at that time.
    readings : DataFrame
        One row a sensor reading in mg/dL; columns `READING_COLUMNS`. Times are naive and local.
    """

    name: str
    title: str
    licence: str
    citation: str
    doi: str
    people: pd.DataFrame
    entries: pd.DataFrame
    readings: pd.DataFrame

    def __post_init__(self) -> None:
        tables = (
            (self.people, PEOPLE_COLUMNS),
            (self.entries, ENTRY_COLUMNS),
            (self.readings, READING_COLUMNS),
        )
        for table, columns in tables:
            if tuple(table.columns) != columns:
                raise DataSetError(f"{self.name}: columns {list(table.columns)}, not {columns}")

    @property
    def notice(self) -> str:
        """Name, licence and citation, to be shown wherever the data is used."""
        return f"{self.title} ({self.licence}). {self.citation} doi:{self.doi}"


def condition_of_hba1c(hba1c_percent: float) -> str:
    """Name the condition by the ADA's cut points for HbA1c.

    Below 5.7 % ``normal``, 5.7 up to 6.5 % ``prediabetes``, 6.5 % and more ``type_2`` (American
    Diabetes Association Professional Practice Committee 2024, doi:10.2337/dc24-S002). It is a
    proxy: no set but Shanghai and T1D-UOM publishes diagnoses.

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

    The master equation of Hoelzel et al. 2004 (doi:10.1373/clinchem.2003.024802).

    Examples
    --------
    >>> round(hba1c_percent_of_mmol_mol(53), 1)
    7.0
    """
    return 0.09148 * hba1c_mmol_mol + 2.152


def existing(path: Path, what: str) -> Path:
    """Answer the path, or say what is missing there.

    Raises
    ------
    DataSetError
        There is no such file or folder.
    """
    if not path.exists():
        raise DataSetError(f"{what} is missing: no {path.name!r} in {path.parent}")
    return path
