"""Schema: the database is brought to the tables that this release knows, under a lock."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from serve.storage.database import Database

__all__ = ["HEAD", "SchemaTooNew", "migrate", "revision"]

HEAD = "0008"
"""The revision that this release works with."""

_LOCK = 0x706F_7374_6D65_616C  # any number, the same in every process


class SchemaTooNew(Exception):
    """The database was made or brought up by a later release."""


def migrate(database: Database, target: str = HEAD) -> None:
    """Bring the tables up to a revision, in one transaction.

    Several processes may call this at once: one works, the others wait.

    Raises
    ------
    SchemaTooNew
        The database is of a revision that this release does not know; nothing is changed.
    """
    if database.read_blocking(revision) == target:
        return
    from alembic import command  # a tenth of what a start takes, and seldom wanted
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    known = [each.revision for each in ScriptDirectory.from_config(config).walk_revisions()]
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        found = revision(connection)
        if found is not None and (found not in known or found > target):
            raise SchemaTooNew(
                f"the database is of revision {found}, this release knows {target}: install the"
                " release that made it, or restore a backup from before"
            )
        config.attributes["connection"] = connection
        command.upgrade(config, target)


def revision(connection: Connection) -> str | None:
    """Answer the revision of the tables, None when there are none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)
