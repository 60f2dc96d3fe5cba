"""Organizations: the partners, each with a plan and what was agreed with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, Row, insert, select, update

from postmeal.errors import InputError
from serve.partners.audit import record
from serve.partners.plans import Agreement, Allowances, Plan
from serve.storage.tables import organization

__all__ = ["Organization", "agreed_with", "agreement_of", "change", "create", "every", "named"]


@dataclass(frozen=True, slots=True)
class Organization:
    """A partner."""

    id: int
    name: str
    allowances: Allowances
    may_mint: bool

    @classmethod
    def of(cls, row: Row[Any], plans: Mapping[str, Plan]) -> Organization:
        """Read a row of the table; a plan that is no longer known grants nothing."""
        agreement = Agreement.model_validate(row.agreement)
        plan = plans.get(row.plan) or Plan(monthly_requests=0, monthly_credits=0)
        return cls(row.id, row.name, Allowances.of(row.plan, plan, agreement), row.may_mint)


def agreement_of(values: Mapping[str, Any]) -> Agreement:
    """Read what was agreed.

    Raises
    ------
    InputError
        A number is negative or too large, or a name is not known.

    Examples
    --------
    >>> agreement_of({"monthly_credits": 1000}).monthly_credits
    1000
    """
    try:
        return Agreement.model_validate(values)
    except ValidationError as error:
        wrong = error.errors()[0]
        field = ".".join(str(part) for part in wrong["loc"])
        raise InputError(field, wrong["msg"][:1].lower() + wrong["msg"][1:]) from None


def create(
    connection: Connection,
    now: datetime,
    name: str,
    plan: str,
    agreement: Agreement,
    plans: Mapping[str, Plan],
) -> Organization:
    """Add a partner.

    Raises
    ------
    InputError
        The name is blank or taken, or the plan is not known.
    """
    if not name.strip() or not name.isprintable() or len(name) > 100:
        raise InputError("name", "must be 1 to 100 printable characters, not blank", name)
    if connection.execute(select(organization.c.id).where(organization.c.name == name)).first():
        raise InputError("name", "is taken by another partner", name)
    _check_plan(plan, plans)
    row = {"name": name, "plan": plan, "agreement": agreement.model_dump(exclude_unset=True)}
    connection.execute(insert(organization).values(**row, may_mint=True, created_at=now))
    made = named(connection, name, plans)
    record(connection, now, "admin", "partner created", f"partner {made.id}", made.id)
    return made


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
    """Change a partner's plan, agreement or whether it may mint; None leaves what is.

    Raises
    ------
    InputError
        There is no such partner or plan.
    """
    found = named(connection, name, plans)
    values: dict[str, Any] = {}
    if plan is not None:
        _check_plan(plan, plans)
        values["plan"] = plan
    if agreement is not None:
        values["agreement"] = agreement.model_dump(exclude_unset=True)
    if may_mint is not None:
        values["may_mint"] = may_mint
    if values:
        where = organization.c.id == found.id
        connection.execute(update(organization).where(where).values(**values))
        record(connection, now, "admin", "partner changed", f"partner {found.id}", found.id)
    return named(connection, name, plans)


def agreed_with(connection: Connection, name: str) -> Agreement:
    """Answer what was agreed with a partner, nothing if there is no such partner."""
    where = organization.c.name == name
    row = connection.execute(select(organization.c.agreement).where(where)).scalar()
    return Agreement.model_validate(row or {})


def named(connection: Connection, name: str, plans: Mapping[str, Plan]) -> Organization:
    """Find a partner by its name.

    Raises
    ------
    InputError
        There is none.
    """
    row = connection.execute(select(organization).where(organization.c.name == name)).first()
    if row is None:
        raise InputError("partner", "must be the name of a partner", name)
    return Organization.of(row, plans)


def every(connection: Connection, plans: Mapping[str, Plan]) -> list[Organization]:
    """List the partners by name."""
    rows = connection.execute(select(organization).order_by(organization.c.name))
    return [Organization.of(row, plans) for row in rows]


def _check_plan(plan: str, plans: Mapping[str, Plan]) -> None:
    if plan not in plans:
        raise InputError("plan", "must be one of", plan, allowed=plans)
