"""Query parameters for the coordinates of a location."""

from __future__ import annotations

from serve.wire.number_parameter import Number

__all__ = ["coordinates"]


def coordinates(
    names: tuple[str, str], other_names: tuple[str, str], *, required: bool, note: str = ""
) -> tuple[Number, Number]:
    """Return the parameters for a latitude and a longitude in degrees.

    Parameters
    ----------
    names, other_names : tuple of str
        Names of the latitude and of the longitude in this version of the API and in the other one.
    required : bool
        Whether requests without the coordinates are refused.
    note : str, default=""
        Sentence for the documentation of both parameters.

    Returns
    -------
    tuple of Number
        The latitude and the longitude.

    Examples
    --------
    >>> latitude, _ = coordinates(("lat", "lon"), ("latitude", "longitude"), required=False)
    >>> latitude.accepts
    'must be a number from -90 to 90 degrees'
    """
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
