"""Section of the model card about what is known about a person, rung by rung."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.comparisons import conclusion
from postmeal.training.card.tables import SHORT_COLUMNS, Columns, table, values
from postmeal.training.datasets import SHORT_NAMES

KNOWN = {
    "condition": "condition only",
    "hba1c": "HbA1c",
    "fasting": "fasting glucose",
    "reading": "a reading",
    "cgm-72h": "72 h of CGM, ending 3 h earlier",
    "cgm-24h,reading": "24 h of CGM and a reading",
    "cgm-72h,reading": "72 h of CGM and a reading",
    "meals-2d,reading": "two days with meals and a reading",
    "meals-5d,reading": "five days with meals and a reading",
    "meals-5d,reading --refit": "all earlier days with meals and a reading",
}
"""What is known, in words, by the names of the rungs in ``metrics.json``."""

_COLUMNS: Columns = (
    ("n_meals", "meals", 0),
    *SHORT_COLUMNS,
    ("people_under_80_percent", "people under 80%", 2),
)


def rungs_section(metrics: dict[str, Any]) -> str:
    """Write the section with the figures of each state of knowledge, and their differences."""
    unseen = SHORT_NAMES.get(metrics["unseen"], metrics["unseen"])
    figures = [
        (KNOWN[rung], sensor, *values(one["models"]["postmeal"], _COLUMNS))
        for sensor, rungs in metrics["rungs"].items()
        for rung, one in rungs.items()
    ]
    titles = (title for _, title, _ in _COLUMNS)
    return f"""## What is known about a person

People of {unseen}, predicted from exactly what the first column names. The condition, the sensor
and the hours since the previous meal are always known. A reading is the last one of the 15 minutes
before the meal. Hours of CGM have no meal log. Each row holds all meals that have the history, so
rows with more history have fewer and later meals. "All earlier days" are at least five, and
personal effects are fitted again before each day. `postmeal evaluate cgmacros DIR --known LIST`
prints the figures.

{table(("known", "sensor", *titles), figures)}

The differences in the next tables are for the same meals of the same people: a mean over people
for RMSE, and over all meals for the correlation, each with its 95% interval over people. RMSE is in
mg/dL. An RMSE is called a tie unless the whole interval is at least 0.5 mg/dL from zero.

Compared with the prediction from the condition only:

{_differences(metrics["rungs"], "condition only")}

Compared with LightGBM with the same inputs. A reading, the mean and the spread of the hours of CGM,
and laboratory values are inputs of LightGBM. It uses days with meals as a mixed model does: the
mean error of its curves for the meals on these days, shrunk toward zero, is added. Its settings and
the shrinkage were chosen in five folds of the people of the training sets. With an input, it learns
only from the meals before which the input is known; fasting glucose is unknown in BIG IDEAs and
T1D-UOM.

{_differences(metrics["rungs"], "challenger")}"""


def _differences(by_sensor: dict[str, Any], other: str) -> str:
    rows = [
        (KNOWN[rung], sensor, *_cells(one["paired"][other]))
        for sensor, rungs in by_sensor.items()
        for rung, one in rungs.items()
        if KNOWN[rung] != other
    ]
    head = ("known", "sensor", "absolute RMSE", "", "rise RMSE", "", "iAUC r")
    return table(head, rows)


def _cells(less: dict[str, float]) -> list[str]:
    cells = []
    for kind in ("absolute", "rise"):
        low, high = less[f"{kind}_low"], less[f"{kind}_high"]
        difference = _interval(less[f"{kind}_rmse_difference_mg_dl"], low, high, 2)
        cells += [difference, conclusion(low, high)]
    r, low, high = (less[f"iauc_r_{end}"] for end in ("difference", "low", "high"))
    return [*cells, _interval(r, low, high, 3)]


def _interval(mean: float, low: float, high: float, digits: int) -> str:
    if not (mean or low or high):
        return "0"
    mean, low, high = (round(value, digits) + 0.0 for value in (mean, low, high))
    return f"{mean:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f})"
