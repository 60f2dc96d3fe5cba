"""Commands of the service: ``python -m serve demo | run | keys``."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing

from pydantic import ValidationError

from postmeal.errors import PostmealError
from serve.app import VERSIONS
from serve.demo import demo
from serve.partners.keys import KeyRing
from serve.running import run
from serve.settings import Settings

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
    except ValidationError as error:  # of the settings: pydantic would take three lines for each
        wrong = "; ".join(f"{each['loc'][0]}: {each['msg']}" for each in error.errors())
        print(f"error: setting {wrong}", file=sys.stderr)
    except sqlite3.Error as error:
        print(f"error: the file of keys cannot be used: {error}", file=sys.stderr)
    except (PostmealError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
    else:
        return 0
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m serve", description="postmeal over HTTP")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    trial = commands.add_parser("demo", help="start on this machine, with a fresh key per version")
    trial.add_argument("--port", type=int, default=8000)
    trial.set_defaults(command=lambda options: demo(options.port))
    production = commands.add_parser("run", help="start as the POSTMEAL_ variables say")
    production.set_defaults(command=lambda options: run(Settings()))
    keys = commands.add_parser("keys", help="make, list and disable API keys")
    verbs = keys.add_subparsers(required=True, metavar="VERB")
    create = verbs.add_parser("create", help="make a key; it is shown this once")
    create.add_argument("--version", required=True, choices=[each.name for each in VERSIONS])
    create.add_argument("--name", required=True, help="whose key it is")
    create.set_defaults(command=_create_key)
    verbs.add_parser("list", help="list the keys").set_defaults(command=_list_keys)
    disable = verbs.add_parser("disable", help="end a key, within 30 seconds")
    disable.add_argument("id", type=int)
    disable.set_defaults(command=_disable_key)
    return parser


def _create_key(options: argparse.Namespace) -> None:
    with _key_ring() as ring:
        secret, key = ring.create(options.version, options.name)
    print(f"key {key.id} for API version {key.version}; keep it, it is not shown again:\n{secret}")


def _list_keys(options: argparse.Namespace) -> None:
    with _key_ring() as ring:
        keys = ring.all_keys()
    for key in keys:
        state = "active" if key.disabled_at is None else f"disabled {key.disabled_at}"
        print(f"{key.id:>4}  {key.shown:<16} {key.created_at}  {state:<34} {key.name}")


def _disable_key(options: argparse.Namespace) -> None:
    with _key_ring() as ring:
        ring.disable(options.id)
    print(f"key {options.id} is disabled")


def _key_ring() -> closing[KeyRing]:
    settings = Settings()
    return closing(KeyRing(settings.keys_file, settings.key_pepper.get_secret_value().encode()))


if __name__ == "__main__":
    sys.exit(main())
