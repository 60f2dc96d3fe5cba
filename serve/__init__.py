"""HTTP service of postmeal, in two API versions; start it with ``python -m serve``."""

import os

# This must precede the import of numpy: threads slow operations on small matrices 100-fold.
for _library in ("OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
