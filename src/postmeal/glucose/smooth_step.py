"""A smooth step, by which what is known about a person gains or loses weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def smooth_step(part: float) -> float:
    """Return the height of the step, 0 to 1, at a part of the way."""
    part = min(max(part, 0.0), 1.0)
    return part * part * (3 - 2 * part)


def smooth_steps(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `smooth_step` of each part."""
    parts = np.clip(parts, 0.0, 1.0)
    return np.asarray(parts * parts * (3 - 2 * parts))
