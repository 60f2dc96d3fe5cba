"""Benchmark of a first prediction in a new process, compared with bare imports and LightGBM."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks import lightgbm_peer
from benchmarks.comparison import Comparison
from postmeal import Catalog

__all__ = ["compare"]

_ROUNDS = 11
_AIM_S = 0.4
_AIM_OF_IMPORTS = 2.0
_IMPORTS = "import numpy, pydantic"
_OURS = """
from datetime import datetime
from postmeal import Catalog, Meal, Profile, parse_meal, predict
someone = Profile.imperial(age=45, sex="female", height_in=66, weight_lb=150)
breakfast = parse_meal("1 cup oatmeal, 1 banana", Catalog.open())
predict(someone, Meal(tuple(breakfast), datetime(2026, 5, 1, 8)))
"""
_PEER = """
import sys
import lightgbm, numpy
boosters = [lightgbm.Booster(model_file=f"{sys.argv[1]}/{number}.txt") for number in range(9)]
[booster.predict(numpy.ones((1, 6)), num_threads=1) for booster in boosters]
"""


def compare() -> Comparison:
    """Time processes from start to exit, alternating between the programs."""
    Catalog.open()  # builds the catalog file, as the first start of postmeal does
    with tempfile.TemporaryDirectory() as folder:
        lightgbm_peer.save(Path(folder))
        programs = {
            "postmeal: phrase to prediction": _OURS,
            _IMPORTS: _IMPORTS,
            "LightGBM: import, load, predict": _PEER,
        }
        times_s: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(_ROUNDS):
            for name, program in programs.items():
                times_s[name].append(_seconds(program, folder))
    medians = {name: median(measured) for name, measured in times_s.items()}
    ours, imports = next(iter(medians.values())), medians[_IMPORTS]
    return Comparison(
        "Python startup, imports and first prediction, in s",
        ("median", "relative"),
        [
            (name, f"{elapsed_s:.3f}", f"{elapsed_s / ours:.2f}")
            for name, elapsed_s in medians.items()
        ],
        [
            (f"at most {_AIM_S} s", ours <= _AIM_S),
            (f"at most {_AIM_OF_IMPORTS} × {_IMPORTS}", ours <= _AIM_OF_IMPORTS * imports),
        ],
    )


def _seconds(program: str, argument: str) -> float:
    environment = os.environ | {"PYTHONPATH": "src"}
    # Without bytecode files, each process would compile all modules.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = perf_counter()
    subprocess.run([sys.executable, "-c", program, argument], env=environment, check=True)
    return perf_counter() - start
