"""Several export files of one app and one wearer, read as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.exports.export import Export, SkippedRow
from postmeal.glucose.history.meal_history import MealHistory

__all__ = ["merged"]


def merged(exports: Sequence[Export], names: Sequence[str]) -> Export:
    """Make one export of several.

    Parameters
    ----------
    exports : sequence of Export
        The exports.
    names : sequence of str
        File name of each export, with which the reasons of its skipped rows end.

    Returns
    -------
    Export
        All readings, those of one moment as one, and all food; the same food at the same moment
        in several files counts once.

    Raises
    ------
    InputError
        There is no export, or they are of several formats.
    """
    formats = list(dict.fromkeys(one.format for one in exports))
    if len(formats) != 1:
        raise InputError("files", "must be exports of one app", ", ".join(formats))
    if len(exports) == 1:
        return exports[0]
    traces = [one.trace for one in exports]
    trace = CgmTrace.merged(
        np.concatenate([one.utc_s for one in traces]),
        np.concatenate([one.utc_offset_s for one in traces]),
        np.concatenate([one.glucose_mg_dl for one in traces]),
    )
    skipped = [
        SkippedRow(row.line, f"{row.reason} ({name})")
        for one, name in zip(exports, names, strict=True)
        for row in one.skipped
    ]
    device = next((one.device for one in exports if one.device), None)
    has_offsets = all(one.has_offsets for one in exports)
    eaten = _all_eaten([one.eaten for one in exports])
    n_readings = sum(one.n_readings for one in exports)
    return Export(trace, eaten, device, formats[0], tuple(skipped), has_offsets, n_readings)


def _all_eaten(parts: Sequence[MealHistory]) -> MealHistory:
    earlier: set[bytes] = set()
    kept: list[bool] = []
    for part in parts:
        keys = [row.tobytes() for row in np.column_stack([part.utc_s, part.macronutrients])]
        kept += [key not in earlier for key in keys]
        earlier.update(keys)
    rows = np.array(kept, dtype=bool)
    return MealHistory.of(
        np.concatenate([part.utc_s for part in parts])[rows],
        np.concatenate([part.utc_offset_s for part in parts])[rows],
        np.concatenate([part.macronutrients for part in parts])[rows],
        is_credible=np.concatenate([part.is_credible for part in parts])[rows],
    )
