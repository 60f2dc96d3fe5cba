"""What a sensor reads of a given blood glucose: an offset and a gain for each family of sensors."""

from __future__ import annotations

from typing import NamedTuple

from postmeal.errors import InputError

__all__ = ["BLOOD", "SensorConstant", "sensor_constant"]


class SensorConstant(NamedTuple):
    """A sensor of this family reads ``offset_mg_dl + gain × blood glucose`` on average."""

    offset_mg_dl: float
    gain: float


BLOOD = SensorConstant(0.0, 1.0)
"""Blood itself: what is predicted when no sensor is named."""


def sensor_constant(
    name: str | None, families: dict[str, SensorConstant], field: str = "sensor"
) -> SensorConstant:
    """Find the constant of a sensor by its family: the longest family name within its name.

    Parameters
    ----------
    name : str or None
        Name of a sensor such as ``Dexcom G6 Pro`` or ``FreeStyle Libre 2``; None for blood.
    families : dict of str to SensorConstant
        Constants by family name.
    field : str, default="sensor"
        Field name for error messages.

    Returns
    -------
    SensorConstant
        Its constant.

    Raises
    ------
    InputError
        The sensor is of none of the families.

    Examples
    --------
    >>> sensor_constant("FreeStyle Libre 2", {"Libre": SensorConstant(20.0, 0.8)})
    SensorConstant(offset_mg_dl=20.0, gain=0.8)
    """
    if name is None:
        return BLOOD
    found = [family for family in families if family.lower() in str(name).lower()]
    if not found:
        raise InputError(field, "must name a sensor of one of the families", name, allowed=families)
    return families[max(found, key=len)]
