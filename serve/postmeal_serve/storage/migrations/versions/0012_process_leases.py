"""Add the leases of processes, which end the reservations of processes that died."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the table of processes, and add the process to reservations."""
    op.create_table(
        "process",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_process"),
    )
    op.add_column("reservation", sa.Column("process_id", sa.Text(), nullable=True))
