"""A sample of mutants, for when testing all of them takes too long."""

import hashlib
import math
from collections.abc import Iterable

Z = 1.959963984540054
"""Quantile of the normal distribution for an interval that holds 95%."""


def generate(processes: int) -> None:
    """Write the mutants, so that their names are known before any of them is tested."""
    # Here, because mutmut decides on import how this process starts others.
    from mutmut.__main__ import create_mutants
    from mutmut.utils.file_utils import copy_also_copy_files, copy_src_dir

    copy_src_dir()
    copy_also_copy_files()
    create_mutants(processes)


def sample(names: Iterable[str], size: int, skip: int = 0) -> list[str]:
    """Return `size` names after the first `skip`, in the order of the hashes of the names.

    The order is as good as random, but the same in each run. With `skip`, a second sample has no
    mutant of the first.
    """
    order = sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())
    return order[skip : skip + size]


def interval(hits: int, total: int) -> tuple[float, float]:
    """Return the 95% interval of a share by Wilson's formula."""
    share, z2 = hits / total, Z**2 / total
    center = (share + z2 / 2) / (1 + z2)
    half = Z * math.sqrt(share * (1 - share) / total + z2 / total / 4) / (1 + z2)
    return center - half, center + half
