"""Alembic environment; `postmeal_serve.storage.schema` provides the connection."""

from alembic import context

from postmeal_serve.storage.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,
)
context.run_migrations()
