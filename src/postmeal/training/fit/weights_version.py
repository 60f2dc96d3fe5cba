"""Choose versions for weights, so that only the shipped weights have the shipped version."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from postmeal.glucose.population.weights import (
    is_same_weights,
    shipped_weights,
    weights_content,
)

__all__ = ["content_version", "distinct_version"]


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
        The version stated in the weights. If it is that of a shipped model, but the weights differ
        from those of this model (see `postmeal.glucose.population.weights.is_same_weights`), a
        version computed from their content is returned instead (see `content_version`).
    """
    stated = json.loads(weights_content(weights))
    is_taken = any(
        stated["version"] == shipped["version"] and not is_same_weights(stated, shipped)
        for shipped in shipped_weights()
    )
    return content_version(weights) if is_taken else str(stated["version"])
