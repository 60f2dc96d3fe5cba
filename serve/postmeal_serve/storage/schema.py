"""Migration of the database schema to this release."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from postmeal_serve.storage.database import Database

__all__ = ["HEAD", "SchemaTooNew", "migrate", "revision"]

_VERSIONS = Path(__file__).parent / "migrations" / "versions"

HEAD = max(path.name[:4] for path in _VERSIONS.glob("[0-9]*.py"))
"""Schema revision of this release: the number of the newest file in ``migrations/versions``."""

_LOCK = 0x706F_7374_6D65_616C  # An arbitrary number, which is the same in every process.


class SchemaTooNew(Exception):
    """A later release has created or migrated the database."""


def migrate(database: Database, target: str = HEAD) -> None:
    """Migrate the database schema to a revision in one transaction.

    Several processes may call this function at the same time: one process migrates the database,
    and the other processes wait.
    """
    if database.read_blocking(revision) == target:
        return
    from alembic import command  # Importing it takes a tenth of the startup time.
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    scripts = ScriptDirectory.from_config(config).walk_revisions()
    known = [script.revision for script in scripts]
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        found = revision(connection)
        if found is not None and (found not in known or found > target):
            raise SchemaTooNew(
                f"the database has schema revision {found}, but this release supports {target};"
                " install the release that created it, or restore an older backup"
            )
        config.attributes["connection"] = connection
        command.upgrade(config, target)


def revision(connection: Connection) -> str | None:
    """Return the schema revision of the database, or None if it has no tables."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)
