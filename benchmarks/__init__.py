"""Speed, each figure beside a peer of the same run: ``python -m benchmarks [name ...]``."""

import os

for _library in ("OMP", "OPENBLAS", "MKL"):  # before numpy and LightGBM are imported
    os.environ[f"{_library}_NUM_THREADS"] = "1"
