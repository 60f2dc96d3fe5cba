"""Command line of the service: ``postmeal-serve demo | run | admin``."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_settings import SettingsError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from postmeal.errors import PostmealError
from postmeal_serve.admin.commands import add_admin
from postmeal_serve.demo import demo
from postmeal_serve.process.run import run
from postmeal_serve.setting_errors import json_problem, setting_problem
from postmeal_serve.settings import Settings
from postmeal_serve.storage.backup import BackupError
from postmeal_serve.storage.schema import SchemaTooNew
from postmeal_serve.wire.errors import without_secrets

__all__ = ["main"]

_CHOICE = re.compile(r"(\S+): invalid choice: (.*) \(choose from (.*)\)", re.DOTALL)
_QUOTE = "'"
_CHECK_DATABASE = "check POSTMEAL_DATABASE or, if it is not set, POSTMEAL_STATE_DIR"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments after ``postmeal-serve``; ``sys.argv[1:]`` by default.

    Returns
    -------
    int
        Exit status: 0 on success, 2 on failure.
    """
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except ValidationError as error:  # Pydantic itself would print three lines per setting.
        _print_error("; ".join(map(setting_problem, error.errors())))
    except SettingsError as error:
        _print_error(json_problem(error))
    except SQLAlchemyError as error:
        _print_error(f"the database cannot be used: {_first_line(error)}; {_CHECK_DATABASE}")
    except (PostmealError, BackupError, SchemaTooNew, ValueError) as error:
        _print_error(str(error))
    except OSError as error:
        _print_error(_file_problem(error))
    else:
        return 0
    return 2


def _print_error(problem: str) -> None:
    print(f"error: {without_secrets(problem)}", file=sys.stderr)


def _file_problem(error: OSError) -> str:
    if error.filename is None or error.strerror is None:
        return str(error)
    reason = f"{error.strerror[:1].lower()}{error.strerror[1:]}"
    state = Settings().state_dir.absolute()
    if Path(os.fsdecode(error.filename)) in (state, *state.parents):
        accepted = "must be a folder that the service can create and write to"
        return f"POSTMEAL_STATE_DIR {accepted}; cannot create {error.filename}: {reason}"
    if isinstance(error, FileExistsError):
        return f"cannot create {error.filename}: it already exists; choose another path"
    return f"cannot use {error.filename}: {reason}"


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 65535, got {text!r}")
    return int(text)


class _Parser(argparse.ArgumentParser):
    """Argument parser that prints errors on one line, without API keys and client tokens."""

    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ")
        message = message.replace(": must ", " must ", 1)
        message = message.replace(": expected one argument", " requires a value", 1)
        if choice := _CHOICE.fullmatch(message):
            name, given, accepted = choice.groups()
            message = f"{name} must be one of: {accepted.replace(_QUOTE, '')}; got {given}"
        self.exit(2, f"{self.prog}: {without_secrets(message)}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="postmeal-serve",
        description="Run and administer the postmeal HTTP service.",
        epilog="Settings are read from environment variables that start with POSTMEAL_.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    trial = _add_command(
        commands,
        "demo",
        "run the service on this machine, and print API keys and example requests",
    )
    trial.add_argument(
        "--port",
        type=_port,
        default=8000,
        help="port on 127.0.0.1 to listen on (default: %(default)s)",
    )
    trial.set_defaults(command=lambda options: demo(options.port))
    production = _add_command(
        commands, "run", "run the service with the settings in the environment variables"
    )
    production.set_defaults(command=lambda options: run(Settings()))
    add_admin(
        _add_command(commands, "admin", "manage partners, API keys, client tokens and stored data")
    )
    return parser


def _add_command(commands: Any, name: str, summary: str) -> argparse.ArgumentParser:
    description = f"{summary[0].upper()}{summary[1:]}."
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=description
    )
    return parser


def _first_line(error: SQLAlchemyError) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    return str(cause).partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
