"""Made-up data sets in the official formats: training and evaluation without real people.

Each module writes one set in its published layout, including its quirks, and returns the
expected result of its loader in `postmeal.training.datasets`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from postmeal.errors import InputError
from postmeal.training.synthetic.data_sets import (
    bigideas,
    cgmacros,
    hall2018,
    ogtt75,
    shanghai,
    t1d_uom,
)
from postmeal.training.synthetic.data_sets.people import SyntheticSet

__all__ = ["SyntheticSet", "write_synthetic_sets"]

_WRITERS = {
    "bigideas": bigideas.write,
    "hall2018": hall2018.write,
    "ogtt75": ogtt75.write,
    "shanghai": shanghai.write,
    "cgmacros": cgmacros.write,
    "t1d_uom": t1d_uom.write,
}


def write_synthetic_sets(folder: str | Path, seed: int = 0) -> dict[str, SyntheticSet]:
    """Write every data set with made-up people, one folder each.

    The sets are large enough to train and evaluate a model and small enough to do so in a minute.
    Figures of such a model say nothing about real people.

    Parameters
    ----------
    folder : path
        Folder to create, in the layout that `postmeal.training.fit.release.train` reads.
    seed : int, default=0
        The same seed writes the same people; text files are the same to the byte.

    Returns
    -------
    dict of str to SyntheticSet
        Expected result of the loader of each set.

    Raises
    ------
    InputError
        The folder holds one of the sets already, or the seed is negative.
    """
    folder = Path(folder)
    if seed < 0:
        raise InputError("seed", "must be 0 or more", seed)
    for name in _WRITERS:
        if (folder / name).exists():
            raise InputError("folder", f"must not hold {name} already", str(folder))
    return {
        name: write(folder / name, np.random.default_rng([seed, number]))
        for number, (name, write) in enumerate(_WRITERS.items())
    }
