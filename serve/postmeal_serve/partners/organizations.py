"""Organizations (the partners), with their plans and agreements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, Row, insert, select, update

from postmeal.errors import InputError
from postmeal_serve.partners.audit import record
from postmeal_serve.partners.plans import Agreement, Allowances, Plan
from postmeal_serve.storage.tables import organization

__all__ = [
    "Organization",
    "agreement_with",
    "change",
    "create",
    "find",
    "list_all",
    "parse_agreement",
]


@dataclass(frozen=True, slots=True)
class Organization:
    """A partner."""

    id: int
    name: str
    allowances: Allowances
    may_mint: bool
    diary_meals: bool

    @classmethod
    def of(cls, row: Row[Any], plans: Mapping[str, Plan]) -> Organization:
        """Build an organization from a table row; its limits are 0 if its plan does not exist."""
        agreement = Agreement.model_validate(row.agreement)
        plan = plans.get(row.plan) or Plan(monthly_requests=0, monthly_credits=0)
        allowances = Allowances.of(row.plan, plan, agreement)
        return cls(row.id, row.name, allowances, row.may_mint, agreement.diary_meals)


def parse_agreement(values: Mapping[str, Any]) -> Agreement:
    """Parse the limits agreed with a partner."""
    try:
        return Agreement.model_validate(values)
    except ValidationError as error:
        details = error.errors()[0]
        field = ".".join(str(part) for part in details["loc"])
        problem = details["msg"].replace("Input should be", "must be")
        if details["type"] == "extra_forbidden":
            names = Agreement.model_fields
            raise InputError(
                field, "is not a supported limit; supported limits", allowed=names
            ) from None
        raise InputError(field, problem[:1].lower() + problem[1:], details["input"]) from None


def create(
    connection: Connection,
    now: datetime,
    name: str,
    plan: str,
    agreement: Agreement,
    plans: Mapping[str, Plan],
) -> Organization:
    """Create a partner."""
    if not name.strip() or not name.isprintable() or len(name) > 100:
        raise InputError("name", "must be 1 to 100 printable characters, not blank", name)
    if connection.execute(select(organization.c.id).where(organization.c.name == name)).first():
        raise InputError("name", "is already in use; choose a different name", name)
    _check_plan(plan, plans)
    row = {"name": name, "plan": plan, "agreement": agreement.model_dump(exclude_unset=True)}
    connection.execute(insert(organization).values(**row, may_mint=True, created_at=now))
    partner = find(connection, name, plans)
    record(connection, now, "admin", "partner created", f"partner {partner.id}", partner.id)
    return partner


def change(
    connection: Connection,
    now: datetime,
    name: str,
    plans: Mapping[str, Plan],
    *,
    plan: str | None = None,
    agreement: Agreement | None = None,
    may_mint: bool | None = None,
) -> Organization:
    """Update a partner's plan, agreement or minting permission; None keeps the current value."""
    partner = find(connection, name, plans)
    values: dict[str, Any] = {}
    if plan is not None:
        _check_plan(plan, plans)
        values["plan"] = plan
    if agreement is not None:
        values["agreement"] = agreement.model_dump(exclude_unset=True)
    if may_mint is not None:
        values["may_mint"] = may_mint
    if values:
        where = organization.c.id == partner.id
        connection.execute(update(organization).where(where).values(**values))
        record(connection, now, "admin", "partner changed", f"partner {partner.id}", partner.id)
    return find(connection, name, plans)


def agreement_with(connection: Connection, name: str) -> Agreement:
    """Return the agreement with a partner; it is empty if the partner is unknown."""
    where = organization.c.name == name
    row = connection.execute(select(organization.c.agreement).where(where)).scalar()
    return Agreement.model_validate(row or {})


def find(connection: Connection, name: str, plans: Mapping[str, Plan]) -> Organization:
    """Return the partner with the given name.

    Raises
    ------
    InputError
        No partner has this name.
    """
    row = connection.execute(select(organization).where(organization.c.name == name)).first()
    if row is None:
        problem = f"{name!r} does not exist; list the partners with `admin partner list`"
        raise InputError("partner", problem)
    return Organization.of(row, plans)


def list_all(connection: Connection, plans: Mapping[str, Plan]) -> list[Organization]:
    """List all partners, ordered by name."""
    rows = connection.execute(select(organization).order_by(organization.c.name))
    return [Organization.of(row, plans) for row in rows]


def _check_plan(plan: str, plans: Mapping[str, Plan]) -> None:
    if plan not in plans:
        raise InputError("plan", "must be one of", plan, allowed=plans)
