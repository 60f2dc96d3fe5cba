"""Plans and agreements, which determine the limits of a partner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "CREDIT_COSTS",
    "ENDPOINT_IN_FLIGHT",
    "ENDPOINT_RATES",
    "PLANS",
    "Agreement",
    "Allowances",
    "Plan",
]

_MOST = 10**9
Amount = Field(default=None, ge=0, le=_MOST)
Calls = Annotated[int, Field(ge=1, le=_MOST)]

ENDPOINT_RATES: Mapping[str, int] = {
    "read_credits": 60,
    "mint_client_token": 600,
    "revoke_client_tokens": 120,
}
"""Default rate limits of some endpoints in requests per minute. For these endpoints, they replace
the `per_minute` of the plan."""

ENDPOINT_IN_FLIGHT: Mapping[str, int] = {"create_chat_completion": 5, "search_literature": 5}
"""Default limits on concurrent requests to some endpoints, on every plan."""

CREDIT_COSTS: Mapping[str, int] = {"create_chat_completion": 1, "search_literature": 1}
"""Default costs of some endpoints in credits; all other endpoints are free."""


class _Numbers(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    monthly_requests: int | None = Amount
    monthly_credits: int | None = Amount
    per_minute: Calls | None = None
    rates: dict[str, Calls | None] = {}
    in_flight: dict[str, Calls] = {}


class Plan(_Numbers):
    """The limits of all partners on a plan."""

    ceiling_stated: bool = True


class Agreement(_Numbers):
    """Limits and settings agreed with one partner, which replace those of the plan.

    The other attributes are those of `Plan`; None keeps the limit of the plan.
    """

    uncapped: bool = False
    diary_meals: bool = False


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
"""Default plans."""


class Allowances(BaseModel):
    """The effective limits of one partner, from its plan and its agreement.

    The other attributes are those of `Plan`.
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
        """Combine a plan with an agreement, which takes precedence."""
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
            in_flight={**ENDPOINT_IN_FLIGHT, **plan.in_flight, **agreement.in_flight},
        )

    def rate(self, endpoint: str) -> int | None:
        """Return the rate limit of an endpoint in requests per minute; None means unlimited."""
        return self.rates.get(endpoint, self.per_minute)
