"""Reading at the start of a meal: given, or the last one of a trace."""

from __future__ import annotations

from typing import NamedTuple

from postmeal.glucose.person.inputs import PredictionWarning, warning
from postmeal.glucose.person.trace import TraceSummary, start_share


class StartReading(NamedTuple):
    """A reading with its weight at the start of the meal, and whether it is the last of a trace."""

    glucose_mg_dl: float | None = None
    share: float = 0.0
    is_of_trace: bool = False


def start_reading(
    start_mg_dl: float | None, start_age_min: float | None, trace: TraceSummary
) -> tuple[StartReading, PredictionWarning | None]:
    """Return the reading with the greatest weight, and a warning if the given one lost weight."""
    best, problem = StartReading(), None
    if start_mg_dl is not None:
        age_min = start_age_min or 0.0
        if share := start_share(age_min):
            best = StartReading(float(start_mg_dl), share)
        if share < 1:
            code = "reading_after_meal" if age_min < 0 else "reading_too_old"
            problem = warning(code, "start_mg_dl", minutes=abs(age_min))
    share = start_share(trace.last_age_min) if trace.is_credible else 0.0
    if share > best.share:
        best = StartReading(trace.last_mg_dl, share, is_of_trace=True)
    return best, problem
