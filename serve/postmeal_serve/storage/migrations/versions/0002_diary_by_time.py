"""Add an index of food logs by user and time, to read date ranges without a full scan."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the index of food logs."""
    op.create_index(
        "ix_food_log_organization_id_end_user_id_eaten_at_id",
        "food_log",
        ["organization_id", "end_user_id", "eaten_at", "id"],
    )
