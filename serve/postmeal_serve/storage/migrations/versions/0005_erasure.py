"""Add tombstones of erased users, and the ID of the food log in each stored response."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the table of tombstones, and add `food_log_id` to the stored responses."""
    op.create_table(
        "tombstone",
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("begun_again_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("organization_id", "person", name="pk_tombstone"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_tombstone_organization_id"
        ),
    )
    op.create_index("ix_tombstone_erased_at", "tombstone", ["erased_at"])
    op.create_index("ix_food_log_created_at", "food_log", ["created_at"])
    op.add_column("idempotency", sa.Column("food_log_id", sa.Text(), nullable=True))
    _set_food_log_ids()


def _set_food_log_ids() -> None:
    connection = op.get_bind()
    responses = sa.text("SELECT organization_id, end_user_id, key, answer FROM idempotency"
                        " WHERE answer IS NOT NULL")  # fmt: skip
    statement = sa.text("UPDATE idempotency SET food_log_id = :log WHERE organization_id = :owner"
                        " AND end_user_id = :person AND key = :key")  # fmt: skip
    for owner, person, key, answer in connection.execute(responses).all():
        log = json.loads(bytes(answer))["id"]
        values = {"owner": owner, "person": person, "key": key, "log": log}
        connection.execute(statement, values)
