"""Copies: the commands that copy a database, bring a copy back, and take what was erased out."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serve.admin.restoration import restore_database
from serve.admin.session import open_office
from serve.resources.erasure import PERSONAL
from serve.resources.erasure_receipts import read_receipts, receipts, replay, write_receipts
from serve.runtime.clock import Clock
from serve.settings import Settings
from serve.storage.backup import backup
from serve.storage.database import Database
from serve.storage.secure_erase import rewrite, vacuum

__all__ = ["add_copies", "add_verb"]


def add_verb(
    verbs: Any, name: str, run: Callable[..., None], about: str
) -> argparse.ArgumentParser:
    """Add a command that a function carries out."""
    parser: argparse.ArgumentParser = verbs.add_parser(name, help=about)
    parser.set_defaults(command=run)
    return parser


def add_copies(rooms: Any) -> None:
    """Add the commands."""
    copy = add_verb(rooms, "backup", _backup, "copy the database while it is used")
    copy.add_argument("path", type=Path)
    back = add_verb(
        rooms, "restore", _restore, "bring a copy back, without the people erased since"
    )
    back.add_argument("path", type=Path)
    back.add_argument("--replace", action="store_true", help="move the database there aside")
    back.add_argument("--receipts", type=Path, metavar="PATH", help="of another machine")
    out = add_verb(rooms, "receipts", _write_receipts, "write the receipts of erasures to a file")
    out.add_argument("path", type=Path)
    again = add_verb(
        rooms, "replay-erasures", _replay, "erase again whom a restored copy brought back"
    )
    again.add_argument("path", type=Path)
    add_verb(rooms, "vacuum", _vacuum, "take the last bytes of erased people out of the files")


def _backup(options: argparse.Namespace) -> None:
    database = Database(Settings().database_url)
    try:
        backup(database, options.path)  # as it is: a copy is made before it is brought up
    finally:
        database.close()
    print(f"copied to {options.path}")


def _restore(options: argparse.Namespace) -> None:
    settings, now = Settings(), Clock().now()
    more = read_receipts(options.receipts) if options.receipts else []
    database = Database(settings.database_url)
    try:
        done = restore_database(
            database,
            options.path,
            now,
            replaces=options.replace,
            more_receipts=more,
            pepper=settings.pepper,
        )
    finally:
        database.close()
    print(f"restored {options.path}; {done.replayed} receipts replayed, {done.erased} ids erased")
    if done.moved_to is not None:
        print(f"the database of before is {done.moved_to}: delete it when it is not needed")
    elif options.receipts is None:
        print("no receipts were at hand: users erased since the copy was made are back")


def _write_receipts(options: argparse.Namespace) -> None:
    with open_office() as office:
        with office.database.reading() as connection:
            found = receipts(connection)
        write_receipts(found, options.path)
    print(f"{len(found)} receipts are in {options.path}")


def _replay(options: argparse.Namespace) -> None:
    found = read_receipts(options.path)
    with open_office() as office:
        with office.database.writing() as connection:
            erased = replay(connection, found, office.steady, office.settings.pepper)
        rewrite(office.database)
    print(f"{len(found)} receipts replayed, {erased} ids erased")


def _vacuum(options: argparse.Namespace) -> None:
    with open_office() as office:
        vacuum(office.database, sorted({column.table.name for column in PERSONAL}))
    print("nothing of erased people is left in the files of the tables")
