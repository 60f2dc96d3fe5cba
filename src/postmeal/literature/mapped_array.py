"""Map arrays in files into memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def load_mapped(path: Path) -> Any:
    """Map the array in a ``.npy`` file into memory, as an `ndarray` that is sliced fast."""
    return np.load(path, mmap_mode="r").view(np.ndarray)
