"""Command line of postmeal: ``postmeal predict``, ``foods``, ``photos``, ``train`` and others.

Each command is a module whose ``add_to`` function declares its options. Packages that only training
requires are imported when a command that uses them runs.
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
from postmeal.cli import (
    card,
    datasets,
    days,
    evaluate,
    foods,
    models,
    photos,
    places,
    predict,
    train,
)
from postmeal.errors import PostmealError

__all__ = ["COMMANDS", "main"]

COMMANDS = (predict, foods, places, photos, days, datasets, train, evaluate, card, models)
"""Command modules, in the order shown by ``--help``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a ``postmeal`` command.

    Errors are printed to standard error on one line, without a traceback.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments that follow ``postmeal``; ``sys.argv[1:]`` when omitted.

    Returns
    -------
    int
        Exit status: 0 on success, 1 if `days` found too few valid days, 2 if the command failed,
        130 after Ctrl-C.

    Raises
    ------
    SystemExit
        Status 2 if the arguments are invalid, 0 after ``--help`` and ``--version``.

    Examples
    --------
    >>> main(["foods", "search", "banana", "--limit", "1"])
    id      kind     food ...
    0
    """
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # food names may not be encodable
    status: int | None = 0
    try:
        status = options.run(options)
        if sys.stdout is not None:  # None if the parent process closed it
            sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, closed the pipe
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
    """Argument parser that prints errors on one line and does not accept abbreviated options."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


class _Version(argparse.Action):
    """Option that prints the version, which is looked up only when the option is used."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"postmeal {postmeal.__version__}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="postmeal",
        description="Predict a person's glucose over the two hours after a meal.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return parser
