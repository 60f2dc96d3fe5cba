"""Add monotonic time, to measure durations and to ensure that expired tokens stay expired."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the table and the columns, and copy the ends of existing credentials to `ends_at`."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "steady_time",
        sa.Column("boot", sa.Text(), nullable=False),
        sa.Column("zero_at", moment, nullable=False),
        sa.Column("wall_zero_at", moment, nullable=False),
        sa.Column("seen_at", moment, nullable=False),
        sa.Column("seen_wall_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("boot", name="pk_steady_time"),
    )
    op.add_column("api_key", sa.Column("ends_at", moment, nullable=True))
    op.add_column("client_token", sa.Column("ends_at", moment, nullable=True))
    op.add_column("client_token", sa.Column("expired_at", moment, nullable=True))
    op.add_column("reservation", sa.Column("month", sa.Text(), nullable=True))
    op.execute("UPDATE api_key SET ends_at = disabled_at")
    op.execute("UPDATE client_token SET ends_at = expires_at")
    op.create_index("ix_client_token_ends_at", "client_token", ["ends_at"])
