"""Tables of the errors of personal models by age of the history, and after a sensor change."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.tables import Columns, table, values
from postmeal.training.evaluation.by_age import CHANGE_MG_DL

AGE_COLUMNS: Columns = (
    ("absolute_rmse_mg_dl", "absolute RMSE", 1),
    ("rise_rmse_mg_dl", "rise RMSE", 1),
    ("iauc_r", "iAUC r", 3),
)
"""Metrics of curves in the table by age: key, title and number of decimal places."""


def age_table(one: dict[str, Any]) -> str:
    """Write a table of the errors for a data set, grouped by days after the last training day."""
    rows = [
        (sensor, age, name, part["n_meals"], *values(part, AGE_COLUMNS))
        for sensor, key in (("the same", "by_age"), ("changed", "changed_sensor"))
        for age, models in one[key].items()
        for name, part in models.items()
    ]
    titles = (title for _, title, _ in AGE_COLUMNS)
    return f"""Errors by days after the last training day. The change of the sensor is simulated: on
the training days, the sensor reads {CHANGE_MG_DL:.0f} mg/dL higher, or lower, than on the later
days; each meal is counted for both. "Personal" is the personal model without the gate. After day
14, its level is the population model's.

{table(("sensor", "meals on", "model", "meals", *titles), rows)}"""
