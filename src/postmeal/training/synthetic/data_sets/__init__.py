"""Write synthetic data in the official formats of the data sets, for training without real data.

Each module writes the data set of its name in the published format, including its irregularities.
It returns the tables that the loader in `postmeal.training.datasets` is expected to return for
these files.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np

from postmeal.errors import InputError
from postmeal.training.datasets import DATA_SETS
from postmeal.training.synthetic.data_sets.people import SyntheticSet

__all__ = ["SyntheticSet", "write_synthetic_sets"]


def write_synthetic_sets(folder: str | Path, seed: int = 0) -> dict[str, SyntheticSet]:
    """Write all data sets with synthetic people, each to a separate folder.

    The data sets are large enough to train and evaluate a model, which takes about a minute. The
    accuracy of such a model does not apply to real people.

    Parameters
    ----------
    folder : path
        Folder to create, in the layout of the training sets (`load_training_data`).
    seed : int, default=0
        Random seed. The same seed always generates the same people and identical text files.

    Returns
    -------
    dict of str to SyntheticSet
        Expected result of each loader, by name of the data set.

    Raises
    ------
    InputError
        The folder already contains one of the data sets, or the seed is negative.
    """
    folder = Path(folder)
    if seed < 0:
        raise InputError("seed", "must be 0 or more", seed)
    for name in DATA_SETS:
        if (folder / name).exists():
            raise InputError("folder", f"must not already contain {name}", str(folder))
    return {
        name: _write(name, folder / name, np.random.default_rng([seed, number]))
        for number, name in enumerate(DATA_SETS)
    }


def _write(name: str, folder: Path, random: np.random.Generator) -> SyntheticSet:
    written: SyntheticSet = import_module(f"{__name__}.{name}").write(folder, random)
    return written
