"""Runs the service from a checkout: ``python -m serve``."""

import sys

from postmeal_serve.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
