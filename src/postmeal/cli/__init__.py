"""The command line: ``postmeal predict``, ``foods``, ``days``, ``datasets``, ``train`` and so on.

Each is a module, which names its options in ``add_to`` and imports what it runs with only when it
runs.
"""

from __future__ import annotations

import argparse
import io
import os
import sqlite3
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import postmeal
from postmeal.cli import card, datasets, days, evaluate, foods, models, predict, train
from postmeal.errors import PostmealError

__all__ = ["COMMANDS", "main"]

COMMANDS = (predict, foods, days, datasets, train, evaluate, card, models)
"""The modules of the commands, in the order of the help."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    What the user got wrong is said in one line on the standard error stream, without traceback.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``postmeal``; those of this process when omitted.

    Returns
    -------
    int
        0, 1 when `days` found too few, 2 when the command could not be carried out, or 130 after
        Ctrl-C.

    Raises
    ------
    SystemExit
        With status 2 where the words are no command of postmeal, with 0 after ``--help``.

    Examples
    --------
    >>> main(["foods", "search", "banana", "--limit", "1"])
    id      kind     food ...
    0
    """
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal may lack a sign of a food's name
    status: int | None = 0
    try:
        status = options.run(options)
        if sys.stdout is not None:  # the caller may have closed it
            sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output, such as `head`, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ModuleNotFoundError as error:
        print(f"postmeal: {error}; install postmeal[train]", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except (PostmealError, OSError, sqlite3.Error) as error:
        print(f"postmeal: {error}", file=sys.stderr)
        return 2
    return status or 0


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as `main` does for all other errors; knows whole words."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"postmeal {postmeal.__version__}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="postmeal",
        description="What will this meal do to this person's glucose over the next two hours?",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return parser
