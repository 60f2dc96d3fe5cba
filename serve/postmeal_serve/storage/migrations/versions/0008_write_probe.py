"""Add the table of the write probe."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the table of the write probe."""
    op.create_table(
        "write_probe",
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("slot", name="pk_write_probe"),
    )
