"""Meter: the order of the limits. Monthly requests first, then credits, then what passes soon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from serve.accounting.addresses import Addresses
from serve.accounting.month import Month
from serve.accounting.rates import Rates, Standing
from serve.accounting.requests import Requests
from serve.accounting.reservations import Reservation, credits_left, reserve, settle
from serve.clock import Clock
from serve.errors import Refusal
from serve.partners.credentials import Caller
from serve.partners.organizations import Organization
from serve.storage.database import Database

__all__ = ["Charge", "Meter", "Ticket"]

_V1_1 = "v1.1"


@dataclass(frozen=True, slots=True)
class Charge:
    """What an operation counts as.

    Attributes
    ----------
    endpoint : str
        Its name among the rates and costs.
    counted : bool
        Whether it counts in the monthly requests.
    credits : int
        What a success costs.
    """

    endpoint: str
    counted: bool = True
    credits: int = 0


@dataclass(slots=True)
class Ticket:
    """An admitted call: what it holds, and what its answer says of the limit."""

    headers: Mapping[str, str] = field(default_factory=dict)
    reservation: Reservation | None = None


class Meter:
    """The limits of all partners.

    Parameters
    ----------
    database : Database
        Where counters are shared and survive.
    clock : Clock
        The time.
    v1_1_per_minute : int or None
        Calls a minute of each key of version 1.1, which knows no other limit.
    per_address : int or None
        Calls a minute of each IP address, in this process.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        v1_1_per_minute: int | None,
        per_address: int | None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._v1_1_per_minute = v1_1_per_minute
        self._addresses = Addresses(per_address)
        self._requests = Requests(database, clock)
        self._rates = Rates(database, clock)

    async def admit(self, caller: Caller, charge: Charge, address: str) -> Ticket:
        """Count a call, and hold what it may cost.

        Raises
        ------
        Refusal
            ``request_limit_exceeded``, else ``credit_limit_exceeded``, else ``rate_limited``;
            nothing is counted then.
        """
        if caller.version == _V1_1:
            return await self._admit_v1_1(caller, address)
        organization = caller.organization
        if not charge.counted:
            return await self._hold(organization, charge, address)
        grant = await self._requests.take(organization.id, organization.allowances)
        if not grant.requests and grant.retry_after_s is None:
            raise _requests_spent(organization, grant.minute)
        try:
            return await self._hold(organization, charge, address, grant.retry_after_s)
        except BaseException:  # refused, or the database has failed
            await self._requests.put_back(organization.id, grant)
            raise

    async def settle(self, ticket: Ticket, *, succeeded: bool) -> None:
        """End what a call held; charge it if it succeeded."""
        if ticket.reservation is not None:
            now = self._clock.now()
            await self._database.write(settle, now, ticket.reservation, charged=succeeded)

    async def rest(self) -> None:
        """Give back what was leased and not used for a while."""
        await self._requests.return_idle()
        self._rates.forget_old()

    async def close(self) -> None:
        """Give back all that was leased."""
        await self._requests.return_idle(all_of_them=True)

    async def _admit_v1_1(self, caller: Caller, address: str) -> Ticket:
        holder, limit = f"key {caller.key_id}", self._v1_1_per_minute
        standing = await self._pass(holder, _V1_1, limit, address, None)
        return Ticket(standing.headers if standing else {})

    async def _hold(
        self,
        organization: Organization,
        charge: Charge,
        address: str,
        burst_reopens_s: int | None = None,
    ) -> Ticket:
        """Count a call of an endpoint, and hold its credits and slot."""
        allowances = organization.allowances
        limit = allowances.rate(charge.endpoint)
        holder = f"organization {organization.id}"
        try:
            standing = await self._pass(holder, charge.endpoint, limit, address, burst_reopens_s)
        except Refusal:
            if charge.credits:
                await self._check_credits(organization, charge.credits)
            raise
        ticket = Ticket(standing.headers if standing else {})
        if charge.credits or charge.endpoint in allowances.in_flight:
            try:
                ticket.reservation = await self._reserve(organization, charge)
            except BaseException:
                if standing is not None:
                    self._rates.put_back(holder, charge.endpoint, standing)
                raise
        return ticket

    async def _pass(
        self,
        holder: str,
        endpoint: str,
        limit: int | None,
        address: str,
        burst_reopens_s: int | None,
    ) -> Standing | None:
        """Count a call in its minute; where limits refuse it, the longest wait is told."""
        standing = None if limit is None else await self._rates.take(holder, endpoint, limit)
        address_s = self._addresses.wait_s(address, self._clock.monotonic_s())
        minute_s = None if standing is None or standing.admitted else standing.reset_s
        if minute_s is None and address_s is None and burst_reopens_s is None:
            return standing
        if standing is not None and standing.admitted:
            self._rates.put_back(holder, endpoint, standing)
        if address_s is None:
            self._addresses.put_back(address)
        wait_s, what = max(
            (burst_reopens_s or 0, "requests of the last 24 hours"),
            (address_s or 0, "calls of one address"),
            (minute_s or 0, f"{limit} calls a minute of this endpoint"),
        )
        message = f"the limit of {what} is reached; retry after {wait_s} seconds"
        headers = {
            "Retry-After": str(wait_s),
            **(standing.headers if minute_s and standing else {}),
        }
        raise Refusal("rate_limited", message, headers=headers)

    async def _reserve(self, organization: Organization, charge: Charge) -> Reservation:
        now = self._clock.now()
        allowances = organization.allowances
        slots = allowances.in_flight.get(charge.endpoint)
        held = await self._database.write(
            reserve,
            now,
            organization.id,
            charge.credits,
            allowances.monthly_credits,
            charge.endpoint,
            slots,
        )
        if held == "credits":
            raise _credits_spent(organization, now)
        if held == "slots":
            message = f"{slots} calls of this endpoint are in flight; wait until one has ended"
            raise Refusal("rate_limited", message)
        assert isinstance(held, Reservation)
        return held

    async def _check_credits(self, organization: Organization, credits: int) -> None:
        now = self._clock.now()
        ceiling = organization.allowances.monthly_credits
        left = await self._database.read(credits_left, now, organization.id, ceiling)
        if left is not None and left < credits:
            raise _credits_spent(organization, now)


def _requests_spent(organization: Organization, now: datetime) -> Refusal:
    allowances = organization.allowances
    number = f"{allowances.monthly_requests} requests a month"
    whose = f"the {allowances.plan} plan's {number}" if allowances.plan_named else f"the {number}"
    message = f"{whose} are used; they reset at {Month.of(now).resets_at}"
    return Refusal("request_limit_exceeded", message)


def _credits_spent(organization: Organization, now: datetime) -> Refusal:
    number = organization.allowances.monthly_credits
    message = f"the {number} credits a month are used; they reset at {Month.of(now).resets_at}"
    return Refusal("credit_limit_exceeded", message)
