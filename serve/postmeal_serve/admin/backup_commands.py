"""Admin commands for backup, restore, receipts and the check of the database file."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from postmeal_serve.admin.receipts import Replayed, replay_receipts, stored_receipts
from postmeal_serve.admin.restoration import restore_database
from postmeal_serve.admin.session import open_session
from postmeal_serve.resources.erasure import PERSONAL
from postmeal_serve.resources.erasure_receipts import erasures, read_receipts, write_receipts
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.settings import Settings
from postmeal_serve.storage.backup import BackupError, backup
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.integrity import damage
from postmeal_serve.storage.schema import revision
from postmeal_serve.storage.secure_erase import rewrite, vacuum

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
    """Add the commands for backup, restore and receipts."""
    parser = add_command(
        commands, "backup", _backup, "back up a SQLite database while it is in use"
    )
    parser.add_argument("path", type=Path, help="backup file to write; must not exist yet")
    add_command(commands, "check", _check, "check whether the SQLite database is damaged")
    parser = add_command(
        commands,
        "restore",
        _restore,
        "restore a backup; erasures of users and revocations of API keys and client tokens made"
        " after the backup stay in effect",
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
        help="also reapply the erasures and revocations recorded in this receipts file",
    )
    parser = add_command(
        commands,
        "receipts",
        _write_receipts,
        "write the receipts of erased users, disabled API keys and revoked client tokens to a file",
    )
    parser.add_argument("path", type=Path, help="receipts file to write; must not exist yet")
    parser = add_command(
        commands,
        "replay-erasures",
        _replay,
        "reapply the erasures and revocations recorded in a receipts file",
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


def _check(options: argparse.Namespace) -> None:
    database = Database(Settings().database_url)
    try:
        if not database.is_sqlite:
            raise BackupError(
                "only SQLite databases can be checked; use pg_amcheck to check a PostgreSQL"
                " database"
            )
        if problem := damage(database):
            raise BackupError(
                f"the database is damaged: {problem}; stop the service and restore a backup"
            )
        with database.reading() as connection:
            if revision(connection) is None:
                raise BackupError(
                    "the database is empty; check POSTMEAL_DATABASE and POSTMEAL_STATE_DIR"
                )
    finally:
        database.close()
    print("the database is not damaged")


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
    print(f"restored {options.path}; {_counts(restored.replayed)}")
    if restored.moved_to is not None:
        print(f"the replaced database is now {restored.moved_to}; delete it when no longer needed")
    elif options.receipts is None:
        print(
            "no receipts found; users erased after the backup are in the database again, and"
            " API keys and client tokens that have been disabled or revoked since are valid again"
        )


def _write_receipts(options: argparse.Namespace) -> None:
    with open_session() as session:
        with session.database.reading() as connection:
            found = stored_receipts(connection)
        write_receipts(found, options.path)
    number = Counter(each.action for each in found)
    keys, tokens = number["key disabled"], number["tokens revoked"]
    kinds = f"erasures: {len(erasures(found))}, API keys: {keys}, client tokens: {tokens}"
    print(f"{len(found)} receipts written to {options.path} ({kinds})")


def _replay(options: argparse.Namespace) -> None:
    found = read_receipts(options.path)
    with open_session() as session:
        with session.database.writing() as connection:
            replayed = replay_receipts(connection, found, session.clock, session.settings.pepper)
        rewrite(session.database)
    print(_counts(replayed))


def _counts(replayed: Replayed) -> str:
    erasures = f"{replayed.erasures} erasure receipts replayed, {replayed.erased} user IDs erased"
    keys, tokens = replayed.keys, replayed.tokens
    return f"{erasures}; API keys disabled again: {keys}, client tokens revoked again: {tokens}"


def _vacuum(options: argparse.Namespace) -> None:
    with open_session() as session:
        vacuum(session.database, sorted({column.table.name for column in PERSONAL}))
    print("remnants of erased users removed from the database files")
