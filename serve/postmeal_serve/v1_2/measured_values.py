"""Measured values with their units, in v1.2 request bodies."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from postmeal.glucose.person.trace import FADED_AGE_MIN, MAX_AGE_MIN
from postmeal.units import Quantity
from postmeal_serve.wire.request_body import Accepts, RequestModel
from postmeal_serve.wire.times import ISO_8601

__all__ = ["MEASURED_ACCEPTS", "CurrentGlucose", "FastingGlucose", "Hba1c", "measured_value"]


class CurrentGlucose(RequestModel):
    """Glucose at the start of the meal, 20 to 600 mg/dL."""

    value: float
    unit: Literal["mg/dL", "mmol/L"]
    measured_at: str | None = Field(
        None,
        description="When it was measured, in ISO 8601. Defaults to the start of the meal. The"
        f" curve starts at a reading that is at most {MAX_AGE_MIN:g} minutes old; an older one"
        f" counts less, and not at all after {FADED_AGE_MIN:g} minutes.",
        json_schema_extra={"pattern": f"^{ISO_8601}$"},
    )


class FastingGlucose(RequestModel):
    """Fasting plasma glucose, 40 to 500 mg/dL."""

    value: float
    unit: Literal["mg/dL", "mmol/L"]


class Hba1c(RequestModel):
    """HbA1c, 3 to 20% (NGSP)."""

    value: float
    unit: Literal["%", "mmol/mol"]


def measured_value(
    measured: CurrentGlucose | FastingGlucose | Hba1c | None, quantity: Quantity, field: str
) -> float | None:
    """Check a value, and return it in the first unit of the quantity; None if it is not given."""
    if measured is None:
        return None
    return quantity.convert(measured.value, measured.unit, f"{field}.value")


_GLUCOSE = (
    'must be an object with a value and the unit "mg/dL" or "mmol/L", such as'
    ' {"value": 105, "unit": "mg/dL"}'
)

MEASURED_ACCEPTS: Accepts = {
    "current_glucose": _GLUCOSE,
    "fasting_glucose": _GLUCOSE,
    "hba1c": 'must be an object with a value and the unit "%" or "mmol/mol", such as'
    ' {"value": 5.6, "unit": "%"}',
    "measured_at": "must be an ISO 8601 date and time, such as 2026-01-05T07:55:00-05:00",
}
"""Accepted values of each field, for error messages."""
