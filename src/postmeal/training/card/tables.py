"""Tables of the model card in Markdown, and the metrics that they contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Columns = Sequence[tuple[str, str, int]]

CURVE_COLUMNS: Columns = (
    ("n_meals", "meals", 0),
    ("n_people", "people", 0),
    ("rise_rmse_mg_dl", "rise RMSE", 1),
    ("within_person_iauc_r", "within-person iAUC r", 3),
    ("absolute_rmse_mg_dl", "absolute RMSE", 1),
    ("iauc_r", "iAUC r", 3),
    ("rise_r", "rise r", 3),
    ("rise_mae_mg_dl", "rise MAE", 1),
    ("peak_time_mae_min", "peak time MAE, min", 1),
    ("macro_f1", "macro-F1", 3),
)
"""Metrics of curves: key, title and number of decimal places."""

SHORT_COLUMNS: Columns = (
    ("absolute_rmse_mg_dl", "absolute RMSE", 1),
    ("rise_rmse_mg_dl", "rise RMSE", 1),
    ("iauc_r", "iAUC r", 3),
    ("within_person_iauc_r", "within-person iAUC r", 3),
    ("macro_f1", "macro-F1", 3),
    ("coverage", "inside the 90% band", 3),
    ("width_mg_dl", "width of the band", 1),
)
"""The metrics that matter most for personal models: key, title and number of decimal places."""

BAND_COLUMNS: Columns = (
    ("coverage", "coverage of the 90% band", 3),
    ("width_mg_dl", "width, mg/dL", 1),
    ("people_under_80_percent", "people under 80%", 3),
    ("readings_in_range", "readings inside cgp_min…cgp_max", 3),
    ("range_coverage", "curves inside cgp_min…cgp_max", 3),
    ("range_width_mg_dl", "width of the range", 1),
    ("constant_range_width_mg_dl", "width of a constant range with the same share", 1),
)
"""Metrics of bands and ranges: key, title and number of decimal places."""


def metrics_table(
    models: Mapping[str, Mapping[str, float]], columns: Columns, first: str = ""
) -> str:
    """Write a table with one row per model, in which a dash represents a missing metric."""
    head = (first, *(title for _, title, _ in columns))
    return table(head, ((name, *values(one, columns)) for name, one in models.items()))


def values(one: Mapping[str, float], columns: Columns) -> list[str]:
    """Format the metrics of one model as the cells of a row."""
    return [f"{one[key]:.{digits}f}" if key in one else "–" for key, _, digits in columns]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
