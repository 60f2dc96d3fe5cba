"""Entry point of ``postmeal-serve``, which says what to install if a package is missing."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line of the service and return its exit status."""
    try:
        from postmeal_serve.command_line import main as run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("postmeal"):
            raise
        problem = f"the service cannot run without the package {error.name}"
        print(f"postmeal-serve: {problem}; run pip install 'postmeal[serve]'", file=sys.stderr)
        return 2
    return run()


if __name__ == "__main__":
    sys.exit(main())
