"""Add tables of places from an external source, and of the cells that were fetched."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the tables of cells and places."""
    op.create_table(
        "live_cell",
        sa.Column("cell", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("cell", name="pk_live_cell"),
    )
    op.create_table(
        "live_place",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("cell", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_live_place"),
    )
    op.create_index("ix_live_place_cell", "live_place", ["cell"])
