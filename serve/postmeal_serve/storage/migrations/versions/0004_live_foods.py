"""Add tables of products from external sources, and of barcodes without a product."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables of products and of missing barcodes."""
    op.create_table(
        "live_food",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("gtin", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("food", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_live_food"),
        sa.UniqueConstraint("gtin", name="uq_live_food_gtin"),
    )
    op.create_table(
        "absent_product",
        sa.Column("gtin", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("gtin", name="pk_absent_product"),
    )
    op.create_index("ix_absent_product_asked_at", "absent_product", ["asked_at"])
