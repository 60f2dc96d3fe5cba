"""Arrays in files that are mapped into memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["load_mapped"]


def load_mapped(path: Path) -> Any:
    """Return the array in a ``.npy`` file, which is read only where it is used.

    The result is a plain array: slices of `numpy.memmap` take ten times as long to create.
    """
    return np.load(path, mmap_mode="r").view(np.ndarray)
