"""Choose versions for weights, so that only the shipped weights have the shipped version."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

from postmeal.assets import asset
from postmeal.glucose.population.weights import weights_content

__all__ = ["content_version", "distinct_version", "is_same_weights"]

_TOLERANCE = 1e-6
_TOLERANCES = {"personal": 1e-4, "peak_scale": 1e-4, "start": 1e-4}


def content_version(weights: dict[str, Any]) -> str:
    """Compute a version number of nine digits from the content of weights.

    The version stated in the weights does not affect the result.

    Parameters
    ----------
    weights : dict
        Content of ``weights.json``.

    Returns
    -------
    str
        Number from 100,000,000 to 999,999,999, which is a valid version in a model store.

    Examples
    --------
    >>> content_version({"format": 2, "version": "2"}) == content_version({"format": 2})
    True
    """
    content = {key: value for key, value in weights.items() if key != "version"}
    digest = hashlib.sha256(weights_content(content)).digest()
    return str(10**8 + int.from_bytes(digest) % (9 * 10**8))


def distinct_version(weights: dict[str, Any]) -> str:
    """Return a version for weights, so that changed weights never get the shipped version.

    Parameters
    ----------
    weights : dict
        Content of ``weights.json``.

    Returns
    -------
    str
        The version stated in the weights. If it is the shipped version, but the weights differ from
        the shipped weights (see `is_same_weights`), a version computed from their content is
        returned instead (see `content_version`).
    """
    shipped = json.loads(asset("models/population/weights.json").read_bytes())
    stated = json.loads(weights_content(weights))
    is_taken = stated["version"] == shipped["version"] and not is_same_weights(stated, shipped)
    return content_version(weights) if is_taken else str(stated["version"])


def is_same_weights(first: Any, second: Any, tolerance: float = _TOLERANCE) -> bool:
    """Return whether two sets of weights are the same apart from the last digits of numbers.

    Training on the same data on another machine changes these digits. Numbers may differ by one
    millionth of their value. The numbers for personal models, for the peak scale and for the
    effects of a reading at the start of the meal may differ by one ten-thousandth, because they
    depend on where an optimizer stops.

    Parameters
    ----------
    first, second : object
        Contents of ``weights.json``, or parts of them.
    tolerance : float, default=1e-6
        Relative difference of numbers that are considered equal.

    Returns
    -------
    bool
        Whether the weights are the same.

    Examples
    --------
    >>> is_same_weights({"gain": [1.0, 2.0]}, {"gain": [1.0, 2.000001]})
    True
    >>> is_same_weights({"gain": [1.0, 2.0]}, {"gain": [1.0, 2.00001]})
    False
    >>> is_same_weights({"personal": [1.0, 2.0]}, {"personal": [1.0, 2.00001]})
    True
    """
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            is_same_weights(value, second[key], _TOLERANCES.get(key, tolerance))
            for key, value in first.items()
        )
    if isinstance(first, list) and isinstance(second, list):
        pairs = zip(first, second, strict=False)
        return len(first) == len(second) and all(
            is_same_weights(*pair, tolerance) for pair in pairs
        )
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=tolerance)
    return bool(first == second)
