"""Query parameters for the coordinates of a location."""

from __future__ import annotations

from postmeal_serve.wire.number_parameter import Number

__all__ = ["coordinates"]


def coordinates(
    names: tuple[str, str], other_names: tuple[str, str], *, required: bool, note: str = ""
) -> tuple[Number, Number]:
    """Return the parameters for a latitude and a longitude in degrees."""
    latitude, longitude = (
        Number(
            name=name,
            required=required,
            least=-most,
            most=most,
            unit="degrees",
            about=f"{what} in degrees (WGS 84). {note}".rstrip(),
            other_name=other_name,
        )
        for name, other_name, what, most in zip(
            names, other_names, ("Latitude", "Longitude"), (90, 180), strict=True
        )
    )
    return latitude, longitude
