"""Meter, which counts each request toward all limits and refuses requests that exceed a limit.

If a request exceeds several limits, its error is about the first of these that applies: monthly
requests, credits, requests per minute, requests within 24 hours, and requests in flight.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from postmeal_serve.accounting.minutes import WINDOW_S, Minutes
from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.outage import Unwritable
from postmeal_serve.accounting.process_lease import ProcessLease, retry_after_s
from postmeal_serve.accounting.rates import Rates, RateStatus
from postmeal_serve.accounting.requests import Requests
from postmeal_serve.accounting.reservations import Reservation, credits_left, reserve, settle
from postmeal_serve.partners.credentials import Caller
from postmeal_serve.partners.organizations import Organization
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.transactions import Transactions
from postmeal_serve.wire.errors import Refusal

__all__ = ["Charge", "Meter", "Ticket"]

_V1_1 = "v1.1"
_END_USER_SHARE = 4


class Charge(NamedTuple):
    """How requests to an operation are counted and charged."""

    endpoint: str
    counted: bool = True
    credits: int = 0


class _Counter(NamedTuple):
    """A limit per minute that is counted in memory, with its description for error messages."""

    holder: str
    limit: int
    description: str
    is_end_user: bool = False


class _Counted(NamedTuple):
    """Record of the counters that were increased for a request, needed to undo the count."""

    holder: str
    endpoint: str
    standing: RateStatus | None
    counters: tuple[_Counter, ...]
    counted_s: float

    @property
    def headers(self) -> Mapping[str, str]:
        return self.standing.headers if self.standing else {}


@dataclass(slots=True)
class Ticket:
    """An admitted request: its reserved credits and slot, and its rate limit headers."""

    headers: Mapping[str, str] = field(default_factory=dict)
    reservation: Reservation | None = None


async def _read_nothing() -> None:
    """Read nothing, because the request has no body."""


class Meter:
    """Meter that counts requests toward the limits of all partners and clients."""

    def __init__(
        self,
        database: Transactions,
        clock: Clock,
        v1_1_per_minute: int | None,
        per_address: int | None,
        per_end_user: int | None,
        minutes: Minutes,
        lease: ProcessLease,
    ) -> None:
        self._database = database
        self._clock = clock
        self._v1_1_per_minute = v1_1_per_minute
        self._per_address = per_address
        self._per_end_user = per_end_user
        self._minutes = minutes
        self._lease = lease
        self._requests = Requests(database, clock)
        self._rates = Rates(database, clock, minutes)

    async def admit(
        self,
        caller: Caller,
        charge: Charge,
        network: str,
        read: Callable[[], Awaitable[None]] = _read_nothing,
    ) -> Ticket:
        """Count a request, read its body, and reserve its credits and its slot.

        Each endpoint has a limited number of slots, one for each request in flight.
        """
        if caller.version == _V1_1:
            return await self._admit_v1_1(caller, network, read)
        organization = caller.organization
        if not charge.counted:
            return await self._admit_v1_2(caller, charge, network, read)
        grant = await self._requests.take(organization.id, organization.allowances)
        if not grant.requests and grant.retry_after_s is None:
            raise _requests_spent(organization, grant.month)
        try:
            return await self._admit_v1_2(caller, charge, network, read, grant.retry_after_s)
        except BaseException:  # The request was refused or canceled, or the database failed.
            await self._requests.undo(organization.id, grant)
            raise

    async def settle(self, ticket: Ticket, *, succeeded: bool) -> None:
        """Release the reservation of a request, and charge its credits if it succeeded."""
        if ticket.reservation is not None:
            steady = self._clock.steady()
            await self._database.write(settle, steady, ticket.reservation, charged=succeeded)

    async def rest(self) -> None:
        """Write the counts that are only in memory, and remove rate limit windows that have ended.

        Unused requests of old leases are given back; see `postmeal_serve.accounting.requests`.
        """
        with suppress(Unwritable):  # The next call tries again.
            await self._requests.return_idle()
        self._rates.forget_old()

    async def close(self) -> None:
        """Give back all unused leased requests, and write the counts that are only in memory."""
        await self._requests.return_idle(all_of_them=True)

    async def _admit_v1_1(
        self, caller: Caller, network: str, read: Callable[[], Awaitable[None]]
    ) -> Ticket:
        holder, limit = f"key {caller.key_id}", self._v1_1_per_minute
        counted = await self._count_in_window(holder, _V1_1, limit, self._counters(network), None)
        try:
            await read()
        except BaseException:
            self._uncount(counted)
            raise
        return Ticket(counted.headers)

    async def _admit_v1_2(
        self,
        caller: Caller,
        charge: Charge,
        network: str,
        read: Callable[[], Awaitable[None]],
        burst_reopens_s: int | None = None,
    ) -> Ticket:
        """Count a request to an endpoint, read its body, and reserve its credits and slot."""
        organization, allowances = caller.organization, caller.organization.allowances
        limit = allowances.rate(charge.endpoint)
        holder = f"organization {organization.id}"
        counters = self._counters(network) + self._end_user_counter(caller, charge.endpoint, limit)
        try:
            counted = await self._count_in_window(
                holder, charge.endpoint, limit, counters, burst_reopens_s
            )
        except Refusal:
            if charge.credits:
                await self._check_credits(organization, charge.credits)
            raise
        ticket = Ticket(counted.headers)
        try:
            await read()
            if charge.credits or charge.endpoint in allowances.in_flight:
                ticket.reservation = await self._reserve(organization, charge)
        except BaseException:
            self._uncount(counted)
            raise
        return ticket

    def _counters(self, network: str) -> tuple[_Counter, ...]:
        if self._per_address is None:
            return ()
        return (_Counter(f"calls {network}", self._per_address, "requests from one IP address"),)

    def _end_user_counter(
        self, caller: Caller, endpoint: str, rate: int | None
    ) -> tuple[_Counter, ...]:
        """Return a tuple with the end user's counter, or an empty tuple if no limit applies."""
        limit = self._per_end_user
        if limit is None and rate is not None:
            limit = -(-rate // _END_USER_SHARE)
        if caller.end_user_id is None or limit is None:
            return ()
        holder = f"end user {caller.organization.id} {endpoint} {caller.end_user_id}"
        description = f"{limit} requests per minute to this endpoint by one end user"
        return (_Counter(holder, limit, description, is_end_user=True),)

    async def _count_in_window(
        self,
        holder: str,
        endpoint: str,
        limit: int | None,
        counters: tuple[_Counter, ...],
        burst_reopens_s: int | None,
    ) -> _Counted:
        """Count a request in the current minute, or refuse it and report the longest wait."""
        standing = None if limit is None else await self._rates.take(holder, endpoint, limit)
        minute_s = 0 if standing is None or standing.admitted else standing.reset_s
        now_s = self._clock.monotonic_s()
        cells = [self._minutes.find(counter.holder, now_s) for counter in counters]
        waits = [cell.wait_s(counter.limit) for cell, counter in zip(cells, counters, strict=True)]
        if not minute_s and not any(waits) and burst_reopens_s is None:
            for cell in cells:
                self._minutes.count_in(cell, now_s)
            return _Counted(holder, endpoint, standing, counters, now_s)
        if standing is not None and standing.admitted:
            self._rates.undo(holder, endpoint, standing)
        scope = "with this key" if endpoint == _V1_1 else "to this endpoint"
        wait_s, description = max(
            (burst_reopens_s or 0, "requests within 24 hours"),
            (minute_s, f"{limit} requests per minute {scope}"),
            *(
                (wait_s, counter.description)
                for wait_s, counter in zip(waits, counters, strict=True)
            ),
        )
        headers = {"Retry-After": str(wait_s)}
        refusing = next(
            (counter for counter in counters if counter.description == description), None
        )
        if refusing is not None and refusing.is_end_user:
            headers["ratelimit-policy"] = f'"end-user";q={refusing.limit};w={WINDOW_S}'
            headers["ratelimit"] = f'"end-user";r=0;t={wait_s}'
        elif minute_s and standing is not None:
            headers |= standing.headers
        message = f"limit of {description} reached; retry after {wait_s} seconds"
        if refusing is not None:
            await asyncio.sleep(self._minutes.refused_after_s)
        raise Refusal("rate_limited", message, headers=headers)

    def _uncount(self, counted: _Counted) -> None:
        """Undo the count of a request whose body or reservation failed."""
        if counted.standing is not None:
            self._rates.undo(counted.holder, counted.endpoint, counted.standing)
        for counter in counted.counters:
            self._minutes.undo(counter.holder, counted.counted_s)

    async def _reserve(self, organization: Organization, charge: Charge) -> Reservation:
        month, allowances = Month.of(self._clock.now()), organization.allowances
        slots = allowances.in_flight.get(charge.endpoint)
        await self._lease.hold()
        held = await self._database.write(
            reserve,
            self._clock.steady(),
            organization.id,
            charge.credits,
            allowances.monthly_credits,
            charge.endpoint,
            slots,
            month,
            self._lease.process_id,
        )
        if held == "credits":
            raise _credits_spent(organization, month)
        if held == "slots":
            raise await self._slots_taken(organization, charge.endpoint, slots)
        assert isinstance(held, Reservation)
        return held

    async def _slots_taken(
        self, partner: Organization, endpoint: str, slots: int | None
    ) -> Refusal:
        now = self._clock.steady()
        retry_s = await self._database.read(retry_after_s, now, partner.id, endpoint)
        message = f"{slots} requests to this endpoint are in progress; wait until one finishes"
        if retry_s is None:
            return Refusal("rate_limited", message)
        message = "requests that were interrupted by a restart still count as in progress"
        headers = {"Retry-After": str(retry_s)}
        return Refusal("rate_limited", f"{message}; retry after {retry_s} seconds", headers=headers)

    async def _check_credits(self, organization: Organization, credits: int) -> None:
        month, steady = Month.of(self._clock.now()), self._clock.steady()
        ceiling = organization.allowances.monthly_credits
        left = await self._database.read(credits_left, steady, organization.id, ceiling, month)
        if left is not None and left < credits:
            raise _credits_spent(organization, month)


def _requests_spent(organization: Organization, month: Month) -> Refusal:
    allowances = organization.allowances
    owner = f"the {allowances.plan} plan's" if allowances.plan_named else "the"
    amount = f"{allowances.monthly_requests} requests a month"
    message = f"{owner} limit of {amount} is reached; it resets at {month.resets_at}"
    return Refusal("request_limit_exceeded", message)


def _credits_spent(organization: Organization, month: Month) -> Refusal:
    number = organization.allowances.monthly_credits
    message = f"the limit of {number} credits a month is reached; it resets at {month.resets_at}"
    return Refusal("credit_limit_exceeded", message)
