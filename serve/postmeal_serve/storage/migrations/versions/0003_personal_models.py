"""Add the table of personal models."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table of personal models."""
    op.create_table(
        "personal_model",
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("trained_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name="fk_personal_model_organization_id",
        ),
        sa.PrimaryKeyConstraint("organization_id", "end_user_id", name="pk_personal_model"),
    )
