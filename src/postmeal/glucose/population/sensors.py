"""Offset and gain that relate the readings of each sensor family to blood glucose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from postmeal.errors import InputError

__all__ = ["BLOOD", "UNFITTED", "SensorConstant", "check_sensor", "sensor_constant"]


class SensorConstant(NamedTuple):
    """Constants of a sensor family, which reads ``offset_mg_dl + gain × blood glucose``."""

    offset_mg_dl: float
    gain: float


BLOOD = SensorConstant(0.0, 1.0)
"""Constants for predictions of blood glucose, which are made if no sensor is given."""

UNFITTED: dict[str, SensorConstant] = {
    "Dexcom G4": BLOOD,  # no pairs of readings and blood glucose are published
}
"""Constants of the sensor families that are not fitted to training data, by name of the family.

Every model supports these families. If the weights of a model contain constants of a family, these
take precedence. To add a family with known constants, add it here; the weights do not change.
"""


def sensor_constant(
    name: str | None, families: dict[str, SensorConstant], field: str = "sensor"
) -> SensorConstant:
    """Return the constants of the family that a sensor belongs to.

    A sensor belongs to a family if its name contains the family's name. If several families match,
    the one with the longest name is used.

    Parameters
    ----------
    name : str or None
        Name of a sensor such as ``Dexcom G6 Pro`` or ``FreeStyle Libre 2``; None for blood glucose.
    families : dict of str to SensorConstant
        Constants by family name.
    field : str, default="sensor"
        Field name for error messages.

    Returns
    -------
    SensorConstant
        The constants.

    Raises
    ------
    InputError
        The sensor does not belong to any of the families.

    Examples
    --------
    >>> sensor_constant("FreeStyle Libre 2", {"Libre": SensorConstant(20.0, 0.8)})
    SensorConstant(offset_mg_dl=20.0, gain=0.8)
    """
    if name is None:
        return BLOOD
    family = _family(name, families)
    if family is None:
        raise InputError(
            field, "must belong to one of the supported sensor families", name, allowed=families
        )
    return families[family]


def check_sensor(name: str | None, device: str | None, families: Iterable[str]) -> None:
    """Check that a sensor does not contradict the device named in an export.

    Raises
    ------
    InputError
        Both names contain the name of a family, and neither family includes the other.
    """
    given, read = _family(name, families), _family(device, families)
    if given and read and not (given in read or read in given):
        problem = f"must be {read}, the sensor family of the readings ({device})"
        raise InputError("sensor", problem, name)


def _family(name: str | None, families: Iterable[str]) -> str | None:
    """Return the family with the longest name that is part of a name."""
    matches = [family for family in families if family.lower() in str(name).lower()]
    return max(matches, key=len, default=None)
