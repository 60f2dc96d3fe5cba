"""Merge export files of the same app and wearer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.exports.export import Export, SkippedRow
from postmeal.glucose.history.meal_history import MealHistory

__all__ = ["merge_exports"]


def merge_exports(exports: Sequence[Export], names: Sequence[str]) -> Export:
    """Merge the readings and foods of several exports into one export.

    Parameters
    ----------
    exports : sequence of Export
        Exports of the same app and wearer.
    names : sequence of str
        File name of each export, which is appended to the reasons of its skipped rows.

    Returns
    -------
    Export
        All readings and foods. Simultaneous readings are averaged, and food that occurs in several
        files at the same time counts once.

    Raises
    ------
    InputError
        `exports` is empty, or the formats differ.
    """
    formats = list(dict.fromkeys(export.format for export in exports))
    if len(formats) != 1:
        got = ", ".join(formats)
        raise InputError("files", "must be exports of the same app", got)
    if len(exports) == 1:
        return exports[0]
    traces = [export.trace for export in exports]
    trace = CgmTrace.merged(
        np.concatenate([part.utc_s for part in traces]),
        np.concatenate([part.utc_offset_s for part in traces]),
        np.concatenate([part.glucose_mg_dl for part in traces]),
    )
    trace = replace(trace, changed_s=np.unique(np.concatenate([p.changed_s for p in traces])))
    skipped = [
        SkippedRow(row.line, f"{row.reason} ({name})")
        for export, name in zip(exports, names, strict=True)
        for row in export.skipped
    ]
    device = next((export.device for export in exports if export.device), None)
    has_offsets = all(export.has_offsets for export in exports)
    meals = _merge_meals([export.meals for export in exports])
    n_readings = sum(export.n_readings for export in exports)
    return Export(trace, meals, device, formats[0], tuple(skipped), has_offsets, n_readings)


def _merge_meals(histories: Sequence[MealHistory]) -> MealHistory:
    seen: set[bytes] = set()
    is_new: list[bool] = []
    for history in histories:
        columns = np.column_stack([history.utc_s, history.macronutrients])
        keys = [row.tobytes() for row in columns]
        is_new += [key not in seen for key in keys]
        seen.update(keys)
    rows = np.array(is_new, dtype=bool)
    return MealHistory.of(
        np.concatenate([history.utc_s for history in histories])[rows],
        np.concatenate([history.utc_offset_s for history in histories])[rows],
        np.concatenate([history.macronutrients for history in histories])[rows],
        is_credible=np.concatenate([history.is_credible for history in histories])[rows],
    )
