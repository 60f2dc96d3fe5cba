"""Credit balance of the current month."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.reservations import credits_used
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.responses import json_response

__all__ = ["CREDIT_OPERATIONS"]


class CreditBalance(BaseModel):
    """Credit balance of the current calendar month in UTC."""

    model_config = ConfigDict(extra="forbid")

    plan: str = Field(description="Name of the account's plan.")
    period_start: str = Field(
        json_schema_extra={"format": "date"}, description="First day of the month."
    )
    period_end: str = Field(
        json_schema_extra={"format": "date"}, description="Last day of the month."
    )
    resets_at: str = Field(
        json_schema_extra={"format": "date-time"},
        description="When the monthly request and credit allowances reset.",
    )
    included_credits: int | None = Field(
        description="Credits in the month's allowance; null if unlimited."
    )
    used_credits: int = Field(description="Credits used this month.")
    remaining_credits: int | None = Field(description="Credits left; null if unlimited.")


async def read_credits(call: Call) -> Response:
    """Get the credit balance.

    This request is free, does not count toward the monthly allowances, and works even when they are
    exhausted.
    """
    organization, now = call.caller.organization, call.service.clock.now()
    month = Month.of(now)
    used = await call.service.database.read(credits_used, organization.id, month)
    included = organization.allowances.monthly_credits
    return json_response(
        {
            "plan": organization.allowances.plan,
            "period_start": month.first_day.isoformat(),
            "period_end": month.last_day.isoformat(),
            "resets_at": month.resets_at,
            "included_credits": included,
            "used_credits": used,
            "remaining_credits": None if included is None else max(0, included - used),
        }
    )


CREDIT_OPERATIONS = (
    Operation(
        "GET", "/credits", read_credits, version=V1_2, response_model=CreditBalance, counted=False
    ),
)
