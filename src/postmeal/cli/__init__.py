"""Command line of postmeal: ``postmeal predict``, ``foods``, ``photos``, ``train`` and others.

Each command is a module whose ``add_to`` function declares its options. Packages that only training
needs are imported only when a command uses them.
"""

from __future__ import annotations

import argparse
import difflib
import io
import itertools
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
    literature,
    models,
    photos,
    places,
    predict,
    train,
)
from postmeal.errors import InputError, MissingExtra, PostmealError

__all__ = ["COMMANDS", "main"]

COMMANDS = (
    predict,
    foods,
    places,
    photos,
    literature,
    days,
    datasets,
    train,
    evaluate,
    card,
    models,
)
"""Command modules, in the order shown by ``--help``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a ``postmeal`` command.

    Errors are printed to standard error on one line, without a traceback.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments that follow ``postmeal``. Defaults to ``sys.argv[1:]``.

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
        sys.stdout.reconfigure(errors="replace")  # replaces letters that the terminal lacks
    status: int | None = 0
    try:
        status = options.run(options)
        if sys.stdout is not None:  # None if the parent process closed it
            sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ModuleNotFoundError as error:
        is_named = isinstance(error, MissingExtra)
        problem = error if is_named else MissingExtra(error.name or "a package", "train")
        print(f"postmeal: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        print(f"postmeal: {_os_message(error)}", file=sys.stderr)
        return 2
    except (PostmealError, sqlite3.Error) as error:
        print(f"postmeal: {_message(error, options)}", file=sys.stderr)
        return 2
    return status or 0


def _message(error: Exception, options: argparse.Namespace) -> str:
    """Return the message of an error, with the option in ``option_of`` instead of the argument."""
    message = str(error)
    option_of: dict[str, str] = getattr(options, "option_of", {})
    if isinstance(error, InputError):
        field = error.field.partition("[")[0]  # of a list, such as health_conditions[0]
        if field in option_of:
            return option_of[field] + message.removeprefix(error.field)
    return message


def _os_message(error: OSError) -> str:
    """Format an operating system error, as in "meals.csv: no such file or directory"."""
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{os.fsdecode(error.filename)}: {error.strerror[0].lower()}{error.strerror[1:]}"


class _Parser(argparse.ArgumentParser):
    """Argument parser that prints errors on one line and does not accept abbreviated options.

    Unknown options are reported before missing ones. The error suggests the most similar option.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the arguments, and report unknown options first if this parser has no commands."""
        if self._subparsers is None:
            self._check_options(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def _check_options(self, arguments: Sequence[str]) -> None:
        known = list(self._option_string_actions)
        for argument in itertools.takewhile("--".__ne__, arguments):
            option = argument.partition("=")[0]
            if not option.startswith("--") or option in known:
                continue
            similar = difflib.get_close_matches(option, known, n=1)
            hint = f"did you mean {similar[0]}?" if similar else f"see {self.prog} --help"
            self.error(f"unknown option {option}; {hint}")

    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ")
        message = message.replace(": must ", " must ", 1)
        message = message.replace(": expected one argument", " requires a value", 1)
        if message.startswith("unrecognized arguments: "):
            given = message.removeprefix("unrecognized arguments: ")
            message = f'unexpected arguments: {given}; put texts with spaces in "quotation marks"'
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
