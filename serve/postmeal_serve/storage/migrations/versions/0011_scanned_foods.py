"""Add the table of foods in users' meal scans."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Create the table of scanned foods."""
    op.create_table(
        "scanned_food",
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint(
            "organization_id", "end_user_id", "fingerprint", name="pk_scanned_food"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_scanned_food_organization_id"
        ),
    )
    op.create_index("ix_scanned_food_created_at", "scanned_food", ["created_at"])
