"""The service: postmeal over HTTP, in two API versions. Start it with ``python -m serve``."""

import os

for _library in ("OPENBLAS", "MKL"):  # before numpy comes: threads make small matrices 100 × slower
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
