"""Admin commands for backup, restore and erasure receipts."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serve.admin.restoration import restore_database
from serve.admin.session import open_session
from serve.resources.erasure import PERSONAL
from serve.resources.erasure_receipts import read_receipts, receipts, replay, write_receipts
from serve.runtime.clock import Clock
from serve.settings import Settings
from serve.storage.backup import backup
from serve.storage.database import Database
from serve.storage.secure_erase import rewrite, vacuum

__all__ = ["add_backup_commands", "add_command"]


def add_command(
    commands: Any, name: str, run: Callable[..., None], summary: str
) -> argparse.ArgumentParser:
    """Add a subcommand that calls `run` with the parsed options, and return its parser."""
    description = f"{summary[0].upper()}{summary[1:]}."
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=description
    )
    parser.set_defaults(command=run)
    return parser


def add_backup_commands(commands: Any) -> None:
    """Add the commands for backup, restore and erasure receipts."""
    parser = add_command(
        commands, "backup", _backup, "back up a SQLite database while it is in use"
    )
    parser.add_argument("path", type=Path, help="backup file to write; must not exist yet")
    parser = add_command(
        commands,
        "restore",
        _restore,
        "restore a backup, and erase again the users who were erased after it was made",
    )
    parser.add_argument("path", type=Path, help="backup file written by the backup command")
    parser.add_argument(
        "--replace",
        action="store_true",
        help="replace an existing database; its file is renamed and kept",
    )
    parser.add_argument(
        "--receipts",
        type=Path,
        metavar="PATH",
        help="also reapply the erasures recorded in this receipts file",
    )
    parser = add_command(
        commands, "receipts", _write_receipts, "write the erasure receipts to a file"
    )
    parser.add_argument("path", type=Path, help="receipts file to write; must not exist yet")
    parser = add_command(
        commands, "replay-erasures", _replay, "reapply the erasures recorded in a receipts file"
    )
    parser.add_argument("path", type=Path, help="receipts file written by the receipts command")
    add_command(
        commands, "vacuum", _vacuum, "remove remnants of erased users from the database files"
    )


def _backup(options: argparse.Namespace) -> None:
    database = Database(Settings().database_url)
    try:
        # The database is not migrated, so that a backup can be made before a migration.
        backup(database, options.path)
    finally:
        database.close()
    print(f"database backed up to {options.path}")


def _restore(options: argparse.Namespace) -> None:
    settings, now = Settings(), Clock().now()
    more = read_receipts(options.receipts) if options.receipts else []
    database = Database(settings.database_url)
    try:
        restored = restore_database(
            database,
            options.path,
            now,
            replaces=options.replace,
            more_receipts=more,
            pepper=settings.pepper,
        )
    finally:
        database.close()
    print(f"restored {options.path}; {_counts(restored.replayed, restored.erased)}")
    if restored.moved_to is not None:
        print(f"the replaced database is now {restored.moved_to}; delete it when it is not needed")
    elif options.receipts is None:
        print("no erasure receipts found; users erased after the backup are in the database again")


def _write_receipts(options: argparse.Namespace) -> None:
    with open_session() as session:
        with session.database.reading() as connection:
            found = receipts(connection)
        write_receipts(found, options.path)
    print(f"{len(found)} erasure receipts written to {options.path}")


def _replay(options: argparse.Namespace) -> None:
    found = read_receipts(options.path)
    with open_session() as session:
        with session.database.writing() as connection:
            erased = replay(connection, found, session.steady, session.settings.pepper)
        rewrite(session.database)
    print(_counts(len(found), erased))


def _counts(replayed: int, erased: int) -> str:
    return f"{replayed} erasure receipts replayed, {erased} user IDs erased"


def _vacuum(options: argparse.Namespace) -> None:
    with open_session() as session:
        vacuum(session.database, sorted({column.table.name for column in PERSONAL}))
    print("remnants of erased users removed from the database files")
