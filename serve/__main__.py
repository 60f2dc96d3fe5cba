"""Command line of the service: ``python -m serve demo | run | admin``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import SettingsError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from postmeal.errors import PostmealError
from serve.admin.commands import add_admin
from serve.demo import demo
from serve.process.run import run
from serve.settings import Settings
from serve.storage.backup import BackupError
from serve.storage.schema import SchemaTooNew

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments after ``python -m serve``; ``sys.argv[1:]`` by default.

    Returns
    -------
    int
        Exit status: 0 on success, 2 on failure.
    """
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except ValidationError as error:  # Pydantic would print three lines per setting.
        print(f"error: {'; '.join(map(_problem, error.errors()))}", file=sys.stderr)
    except SettingsError as error:
        print(f"error: {error}: {error.__cause__}", file=sys.stderr)
    except SQLAlchemyError as error:
        print(f"error: the database cannot be used: {_first_line(error)}", file=sys.stderr)
    except (PostmealError, BackupError, SchemaTooNew, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
    else:
        return 0
    return 2


def _problem(detail: ErrorDetails) -> str:
    """Return a message that names the environment variable of an invalid setting."""
    message = detail["msg"].removeprefix("Value error, ")
    if not detail["loc"]:
        return message
    name, *within = map(str, detail["loc"])
    variable = ".".join([f"POSTMEAL_{name.upper()}", *within])
    message = message.partition(", unable to parse")[0].replace("Input should be", "must be")
    message = message.replace("must be a valid integer", "must be an integer")
    value = detail["input"]
    show_value = isinstance(value, (str, int, float)) and detail["type"] != "value_error"
    return f"{variable} {message}, got {value!r}" if show_value else f"{variable} {message}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m serve",
        description="Run and administer the postmeal HTTP service.",
        epilog="Settings are read from environment variables that start with POSTMEAL_.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    trial = _add_command(
        commands, "demo", "run the service on this machine and print new API keys and examples"
    )
    trial.add_argument(
        "--port", type=int, default=8000, help="port on 127.0.0.1 (default: %(default)s)"
    )
    trial.set_defaults(command=lambda options: demo(options.port))
    production = _add_command(
        commands, "run", "run the service with the settings in the environment"
    )
    production.set_defaults(command=lambda options: run(Settings()))
    add_admin(_add_command(commands, "admin", "manage partners, keys, tokens and stored data"))
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
