"""Compare and merge the rows of export files of the same app and wearer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.exports.export import Export, ExportBuilder, SkippedRow
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.repeated_rows import consistent_readings, of_device, repeated_foods
from postmeal.glucose.population.meal_limits import MAX_CARBS_G


def merge_files(
    files: Sequence[ExportBuilder],
    names: Sequence[str],
    device: str | None = None,
) -> Export:
    """Merge the readings and foods of one or more files into one export."""
    formats = list(dict.fromkeys(file.format for file in files))
    if len(formats) != 1:
        raise InputError("files", "must be exports of the same app", ", ".join(formats))
    trace, used_device = _merge_readings(files, device)
    meals, zone = _merge_foods(files), files[0].zone
    return Export(
        trace=trace if zone is None else trace.in_zone(zone),
        meals=meals if zone is None else meals.in_zone(zone),
        device=used_device,
        format=formats[0],
        skipped=tuple(
            SkippedRow(line, f"{reason} ({name})" if len(files) > 1 else reason)
            for file, name in zip(files, names, strict=True)
            for line, reason in sorted(file.skipped)
        ),
        has_offsets=zone is not None or not any(file.is_local for file in files),
        n_readings=sum(len(file.readings) for file in files),
    )


def _merge_readings(
    files: Sequence[ExportBuilder], device: str | None
) -> tuple[CgmTrace, str | None]:
    """Return the trace and its device; readings that are not certain become skipped rows."""
    readings = [reading for file in files for reading in file.readings]
    of_file = np.repeat(np.arange(len(files)), [len(file.readings) for file in files])
    glucose_mg_dl = np.concatenate([file.glucose_mg_dl() for file in files])
    reading_s = [file.reading_s() for file in files]
    changes = [file.sensor_changes(time_s) for file, time_s in zip(files, reading_s, strict=True)]
    utc_s = np.concatenate(reading_s)
    if device is not None:
        selected = np.flatnonzero(of_device([reading.device for reading in readings], device))
        readings = [readings[row] for row in selected.tolist()]
        of_file, glucose_mg_dl = of_file[selected], glucose_mg_dl[selected]
        utc_s = utc_s[selected]
    devices = [reading.device for reading in readings]
    offset_s = np.array([reading.offset_s for reading in readings], dtype=np.float64)
    is_scan = np.array([reading.is_scan for reading in readings], dtype=np.bool_)
    rows, reasons = consistent_readings(utc_s, offset_s, glucose_mg_dl, devices, is_scan)
    for row, reason in reasons.items():
        files[of_file[row]].skip(readings[row].line, reason)
    named = [file.device for file in files] + devices
    name = next((name for name in named if name), None)
    used = Counter(devices[row] for row in np.sort(rows).tolist() if devices[row])
    # A device that is named elsewhere in the file describes all of its readings.
    if used and (device is not None or name in devices):
        name = used.most_common(1)[0][0]
    trace = CgmTrace(
        *(utc_s[rows], offset_s[rows], glucose_mg_dl[rows]),
        changed_s=np.unique(np.concatenate(changes)),
        device=", ".join(filter(None, (files[0].format, name))),
    )
    return trace, name


def _merge_foods(files: Sequence[ExportBuilder]) -> MealHistory:
    """Return the foods; those that are not certain become skipped rows.

    Foods that occur in several files are not reported.
    """
    for file in files:
        for food in file.foods:
            if food.carbs_g > MAX_CARBS_G:
                problem = f"carbohydrate must be at most {MAX_CARBS_G:,.0f} g"
                file.skip(food.line, f"{problem}, got {food.carbs_g:g}; the meal is not used")
    foods = [(file, food) for file in files for food in file.foods]
    utc_s = np.concatenate([file.food_s() for file in files])
    columns = np.array([food[2:] for _, food in foods], dtype=np.float64).reshape(-1, 5)
    reasons = repeated_foods(utc_s, columns[:, :4], [food.line for _, food in foods])
    of_file = np.repeat(np.arange(len(files)), [len(file.foods) for file in files])
    for row, (reason, earlier) in reasons.items():
        if of_file[row] == of_file[earlier]:
            foods[row][0].skip(foods[row][1].line, reason)
    keep = np.setdiff1d(np.arange(len(foods)), [*reasons])
    return MealHistory.of(utc_s[keep], columns[keep, 4], columns[keep, :4])
