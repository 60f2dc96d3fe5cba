"""HTTP service of postmeal, in two API versions; start it with ``postmeal-serve``."""

import os

# These variables must be set before NumPy is imported. With more threads, small matrix operations
# take 100 times as long.
for _library in ("OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
