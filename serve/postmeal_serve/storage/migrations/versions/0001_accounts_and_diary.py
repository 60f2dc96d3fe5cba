"""Create the tables of partners, keys, tokens, usage, users, food logs and the audit trail."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_SQLITE = """
CREATE TRIGGER audit_{verb} BEFORE {verb} ON audit
BEGIN SELECT RAISE(ABORT, 'rows of audit are never changed'); END
"""
_POSTGRESQL = """
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'rows of audit are never changed'; END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
"""


def upgrade() -> None:
    """Create the tables, and the triggers that keep the audit trail append-only."""
    op.create_table(
        "organization",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("agreement", sa.JSON(), nullable=False),
        sa.Column("may_mint", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_organization"),
        sa.UniqueConstraint("name", name="uq_organization_name"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Integer(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_table(
        "rate_window",
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("holder", "endpoint", name="pk_rate_window"),
    )
    op.create_table(
        "api_key",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.Column("last_4", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_api_key_organization_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_api_key"),
        sa.UniqueConstraint("sha256", name="uq_api_key_sha256"),
    )
    op.create_index("ix_api_key_organization_id", "api_key", ["organization_id"])
    op.create_table(
        "burst",
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("minute", sa.DateTime(timezone=True), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_burst_organization_id"
        ),
        sa.PrimaryKeyConstraint("organization_id", "minute", name="pk_burst"),
    )
    op.create_table(
        "client_token",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_client_token_organization_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_client_token"),
        sa.UniqueConstraint("sha256", name="uq_client_token_sha256"),
    )
    op.create_index("ix_client_token_expires_at", "client_token", ["expires_at"])
    op.create_index(
        "ix_client_token_organization_id_end_user_id",
        "client_token",
        ["organization_id", "end_user_id"],
    )
    op.create_table(
        "end_user",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("partner_user_id", sa.Text(), nullable=True),
        sa.Column("profile", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_end_user_organization_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_end_user"),
        sa.UniqueConstraint(
            "organization_id", "partner_user_id", name="uq_end_user_organization_id_partner_user_id"
        ),
    )
    op.create_table(
        "food_log",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("eaten_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("foods", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_food_log_organization_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_food_log"),
    )
    op.create_table(
        "idempotency",
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_sha256", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("claimed_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_idempotency_organization_id"
        ),
        sa.PrimaryKeyConstraint("organization_id", "end_user_id", "key", name="pk_idempotency"),
    )
    op.create_index("ix_idempotency_created_at", "idempotency", ["created_at"])
    op.create_table(
        "reservation",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("credits", sa.Integer(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_reservation_organization_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reservation"),
    )
    op.create_index("ix_reservation_organization_id", "reservation", ["organization_id"])
    op.create_table(
        "usage",
        sa.Column("organization_id", sa.Integer(), nullable=False),
        sa.Column("month", sa.Text(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("credits", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_usage_organization_id"
        ),
        sa.PrimaryKeyConstraint("organization_id", "month", name="pk_usage"),
    )
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(_SQLITE.format(verb=verb))
    else:
        op.execute(_POSTGRESQL)
