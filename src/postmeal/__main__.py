"""Run the ``postmeal`` command with ``python -m postmeal``."""

import sys

from postmeal.cli import main

if __name__ == "__main__":
    sys.exit(main())
