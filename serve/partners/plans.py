"""Plans: how much a partner may use, by its plan and by what was agreed with it alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["ENDPOINT_RATES", "PLANS", "Agreement", "Allowances", "Plan"]

_MOST = 10**9
Amount = Field(default=None, ge=0, le=_MOST)
Calls = Annotated[int, Field(ge=1, le=_MOST)]

ENDPOINT_RATES: Mapping[str, int] = {
    "read_credits": 60,
    "mint_client_token": 600,
    "revoke_client_tokens": 120,
}
"""Calls a minute of the endpoints that no plan opens further, unless it names them."""


class _Numbers(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    monthly_requests: int | None = Amount
    monthly_credits: int | None = Amount
    per_minute: Calls | None = None
    rates: dict[str, Calls | None] = {}
    in_flight: dict[str, Calls] = {}


class Plan(_Numbers):
    """What every partner of a plan has.

    Attributes
    ----------
    monthly_requests, monthly_credits : int or None
        Allowances of a calendar month in UTC; None for no ceiling.
    per_minute : int or None
        Calls a minute of each endpoint that `rates` does not name; None for no limit.
    rates : dict of str to (int or None)
        Calls a minute by endpoint.
    in_flight : dict of str to int
        Calls that may be in flight at once, by endpoint; no limit for those not named.
    ceiling_stated : bool
        Whether the plan states its number of requests; messages name the plan only then.
    """

    ceiling_stated: bool = True


class Agreement(_Numbers):
    """What was agreed with one partner; None leaves the plan's number.

    Attributes
    ----------
    uncapped : bool
        Whether neither monthly allowance ends.
    """

    uncapped: bool = False


PLANS: Mapping[str, Plan] = {
    "free": Plan(monthly_requests=10_000, monthly_credits=100, per_minute=60),
    "starter": Plan(monthly_requests=250_000, monthly_credits=5_000, per_minute=600),
    "growth": Plan(monthly_requests=5_000_000, monthly_credits=50_000, per_minute=3_000),
    "enterprise": Plan(
        monthly_requests=50_000_000,
        monthly_credits=500_000,
        per_minute=12_000,
        ceiling_stated=False,
    ),
    "unlimited": Plan(rates=dict.fromkeys(ENDPOINT_RATES)),
}
"""The plans of an installation that sets no others."""


class Allowances(BaseModel):
    """What one partner has: its plan, with its agreement on top.

    Attributes
    ----------
    plan : str
        The plan's name.
    plan_named : bool
        Whether the number of requests is the plan's stated one.
    """

    model_config = ConfigDict(frozen=True)

    plan: str
    plan_named: bool
    monthly_requests: int | None
    monthly_credits: int | None
    per_minute: int | None
    rates: dict[str, int | None]
    in_flight: dict[str, int]

    @classmethod
    def of(cls, name: str, plan: Plan, agreement: Agreement) -> Allowances:
        """Put an agreement on top of a plan.

        Examples
        --------
        >>> Allowances.of("free", PLANS["free"], Agreement(monthly_credits=7)).monthly_credits
        7
        """
        requests, credits = agreement.monthly_requests, agreement.monthly_credits
        return cls(
            plan=name,
            plan_named=plan.ceiling_stated and requests is None,
            monthly_requests=None
            if agreement.uncapped
            else plan.monthly_requests
            if requests is None
            else requests,
            monthly_credits=None
            if agreement.uncapped
            else plan.monthly_credits
            if credits is None
            else credits,
            per_minute=plan.per_minute if agreement.per_minute is None else agreement.per_minute,
            rates={**ENDPOINT_RATES, **plan.rates, **agreement.rates},
            in_flight={**plan.in_flight, **agreement.in_flight},
        )

    def rate(self, endpoint: str) -> int | None:
        """Answer how many calls a minute an endpoint takes, None for no limit."""
        return self.rates.get(endpoint, self.per_minute)
