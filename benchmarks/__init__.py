"""Benchmarks that compare postmeal with peers: ``python -m benchmarks [name ...]``."""

import os

for _library in ("OMP", "OPENBLAS", "MKL"):  # before NumPy and LightGBM are imported
    os.environ[f"{_library}_NUM_THREADS"] = "1"
