"""Commands of the service: ``python -m serve demo | run | admin``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

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
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``python -m serve``; those of this process when omitted.

    Returns
    -------
    int
        0, or 2 when the command could not be carried out.
    """
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except ValidationError as error:  # pydantic would print three lines for each setting
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
    """Return what is wrong with a setting, its variable first."""
    message = detail["msg"].removeprefix("Value error, ")
    if not detail["loc"]:
        return message
    name, *within = map(str, detail["loc"])
    variable = ".".join([f"POSTMEAL_{name.upper()}", *within])
    message = message.partition(", unable to parse")[0].replace("Input should be", "must be")
    given = detail["input"]
    shown = isinstance(given, (str, int, float)) and detail["type"] != "value_error"
    return f"{variable} {message}, got {given!r}" if shown else f"{variable} {message}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m serve", description="postmeal over HTTP")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    trial = commands.add_parser("demo", help="start on this machine, with a fresh key per version")
    trial.add_argument("--port", type=int, default=8000)
    trial.set_defaults(command=lambda options: demo(options.port))
    production = commands.add_parser("run", help="start as the POSTMEAL_ variables say")
    production.set_defaults(command=lambda options: run(Settings()))
    add_admin(commands.add_parser("admin", help="manage partners, keys, tokens and data"))
    return parser


def _first_line(error: SQLAlchemyError) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    return str(cause).partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
