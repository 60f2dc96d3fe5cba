"""Meter: the order of the limits. Monthly requests first, then credits, then what passes soon."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from serve.accounting.minutes import WINDOW_S, Minutes
from serve.accounting.month import Month
from serve.accounting.rates import Rates, Standing
from serve.accounting.requests import Requests
from serve.accounting.reservations import Reservation, credits_left, reserve, settle
from serve.partners.credentials import Caller
from serve.partners.organizations import Organization
from serve.runtime.clock import Clock
from serve.storage.transactions import Transactions
from serve.wire.errors import Refusal

__all__ = ["Charge", "Meter", "Ticket"]

_V1_1 = "v1.1"
_END_USER_SHARE = 4


class Charge(NamedTuple):
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


class _Counter(NamedTuple):
    """A limit a minute that is counted in memory: whose calls, how many, and their name."""

    holder: str
    limit: int
    what: str
    is_end_user: bool = False


class _Passed(NamedTuple):
    """What a call counts in."""

    holder: str
    endpoint: str
    standing: Standing | None
    counters: tuple[_Counter, ...]
    counted_s: float

    @property
    def headers(self) -> Mapping[str, str]:
        return self.standing.headers if self.standing else {}


@dataclass(slots=True)
class Ticket:
    """An admitted call: what it holds, and what its answer says of the limit."""

    headers: Mapping[str, str] = field(default_factory=dict)
    reservation: Reservation | None = None


async def _nothing() -> None:
    """Read nothing."""


class Meter:
    """The limits of all partners.

    Parameters
    ----------
    database : Transactions
        Where counters are shared and survive.
    clock : Clock
        The time.
    v1_1_per_minute : int or None
        Calls a minute of each key of version 1.1, which knows no other limit.
    per_address : int or None
        Calls a minute of each network, see `serve.accounting.ip_limits`.
    per_end_user : int or None
        Calls a minute of each endpoint by all client tokens of one end user; None for a quarter
        of the partner's.
    minutes : Minutes
        Where calls of networks and end users are counted.
    """

    def __init__(
        self,
        database: Transactions,
        clock: Clock,
        v1_1_per_minute: int | None,
        per_address: int | None,
        per_end_user: int | None,
        minutes: Minutes,
    ) -> None:
        self._database = database
        self._clock = clock
        self._v1_1_per_minute = v1_1_per_minute
        self._per_address = per_address
        self._per_end_user = per_end_user
        self._minutes = minutes
        self._requests = Requests(database, clock)
        self._rates = Rates(database, clock)

    async def admit(
        self,
        caller: Caller,
        charge: Charge,
        network: str,
        read: Callable[[], Awaitable[None]] = _nothing,
    ) -> Ticket:
        """Count a call, read its body, then hold what it may cost.

        Parameters
        ----------
        caller : Caller
            Who calls.
        charge : Charge
            What the operation counts as.
        network : str
            Where the call comes from, see `serve.accounting.ip_limits`.
        read : callable, optional
            Reads the body: after the limits that need no reservation, and before a slot and credits
            are held, because a body may take long to arrive. If it raises, nothing is counted.

        Returns
        -------
        Ticket
            What the call holds until it is settled.

        Raises
        ------
        Refusal
            ``request_limit_exceeded``, else ``credit_limit_exceeded``, else ``rate_limited``;
            nothing is counted then.
        """
        if caller.version == _V1_1:
            return await self._admit_v1_1(caller, network, read)
        organization = caller.organization
        if not charge.counted:
            return await self._hold(caller, charge, network, read)
        grant = await self._requests.take(organization.id, organization.allowances)
        if not grant.requests and grant.retry_after_s is None:
            raise _requests_spent(organization, grant.month)
        try:
            return await self._hold(caller, charge, network, read, grant.retry_after_s)
        except BaseException:  # refused, not read, or the database has failed
            await self._requests.put_back(organization.id, grant)
            raise

    async def settle(self, ticket: Ticket, *, succeeded: bool) -> None:
        """End what a call held; charge it if it succeeded."""
        if ticket.reservation is not None:
            steady = self._clock.steady()
            await self._database.write(settle, steady, ticket.reservation, charged=succeeded)

    async def rest(self) -> None:
        """Give back what was leased and not used for a while."""
        await self._requests.return_idle()
        self._rates.forget_old()

    async def close(self) -> None:
        """Give back all that was leased."""
        await self._requests.return_idle(all_of_them=True)

    async def _admit_v1_1(
        self, caller: Caller, network: str, read: Callable[[], Awaitable[None]]
    ) -> Ticket:
        holder, limit = f"key {caller.key_id}", self._v1_1_per_minute
        passed = await self._pass(holder, _V1_1, limit, self._counters(network), None)
        try:
            await read()
        except BaseException:
            self._put_back(passed)
            raise
        return Ticket(passed.headers)

    async def _hold(
        self,
        caller: Caller,
        charge: Charge,
        network: str,
        read: Callable[[], Awaitable[None]],
        burst_reopens_s: int | None = None,
    ) -> Ticket:
        """Count a call of an endpoint, read its body, and hold its credits and slot."""
        organization, allowances = caller.organization, caller.organization.allowances
        limit = allowances.rate(charge.endpoint)
        holder = f"organization {organization.id}"
        counters = self._counters(network) + self._end_user_counter(caller, charge.endpoint, limit)
        try:
            passed = await self._pass(holder, charge.endpoint, limit, counters, burst_reopens_s)
        except Refusal:
            if charge.credits:
                await self._check_credits(organization, charge.credits)
            raise
        ticket = Ticket(passed.headers)
        try:
            await read()
            if charge.credits or charge.endpoint in allowances.in_flight:
                ticket.reservation = await self._reserve(organization, charge)
        except BaseException:
            self._put_back(passed)
            raise
        return ticket

    def _counters(self, network: str) -> tuple[_Counter, ...]:
        if self._per_address is None:
            return ()
        return (_Counter(f"calls {network}", self._per_address, "calls of one address"),)

    def _end_user_counter(
        self, caller: Caller, endpoint: str, rate: int | None
    ) -> tuple[_Counter, ...]:
        """Return the limit of the end user of a client token, nothing for a key."""
        limit = self._per_end_user
        if limit is None and rate is not None:
            limit = -(-rate // _END_USER_SHARE)
        if caller.end_user_id is None or limit is None:
            return ()
        holder = f"end user {caller.organization.id} {endpoint} {caller.end_user_id}"
        what = f"{limit} calls a minute of this endpoint by one end user"
        return (_Counter(holder, limit, what, is_end_user=True),)

    async def _pass(
        self,
        holder: str,
        endpoint: str,
        limit: int | None,
        counters: tuple[_Counter, ...],
        burst_reopens_s: int | None,
    ) -> _Passed:
        """Count a call in its minute, or refuse it with the longest wait of all limits."""
        standing = None if limit is None else await self._rates.take(holder, endpoint, limit)
        minute_s = 0 if standing is None or standing.admitted else standing.reset_s
        now_s = self._clock.monotonic_s()
        waits = [self._minutes.wait_s(each.holder, each.limit, now_s) for each in counters]
        if not minute_s and not any(waits) and burst_reopens_s is None:
            for each in counters:
                self._minutes.count(each.holder, now_s)
            return _Passed(holder, endpoint, standing, counters, now_s)
        if standing is not None and standing.admitted:
            self._rates.put_back(holder, endpoint, standing)
        counted = "key" if endpoint == _V1_1 else "endpoint"
        wait_s, what = max(
            (burst_reopens_s or 0, "requests of the last 24 hours"),
            (minute_s, f"{limit} calls a minute of this {counted}"),
            *((wait_s, each.what) for wait_s, each in zip(waits, counters, strict=True)),
        )
        headers = {"Retry-After": str(wait_s)}
        refusing = next((each for each in counters if each.what == what), None)
        if refusing is not None and refusing.is_end_user:
            headers["ratelimit-policy"] = f'"end-user";q={refusing.limit};w={WINDOW_S}'
            headers["ratelimit"] = f'"end-user";r=0;t={wait_s}'
        elif minute_s and standing is not None:
            headers |= standing.headers
        message = f"the limit of {what} is reached; retry after {wait_s} seconds"
        if refusing is not None:
            await asyncio.sleep(self._minutes.refused_after_s)
        raise Refusal("rate_limited", message, headers=headers)

    def _put_back(self, passed: _Passed) -> None:
        """Uncount a call that was not read, or could not be held."""
        if passed.standing is not None:
            self._rates.put_back(passed.holder, passed.endpoint, passed.standing)
        for counter in passed.counters:
            self._minutes.put_back(counter.holder, passed.counted_s)

    async def _reserve(self, organization: Organization, charge: Charge) -> Reservation:
        month, allowances = Month.of(self._clock.now()), organization.allowances
        slots = allowances.in_flight.get(charge.endpoint)
        held = await self._database.write(
            reserve,
            self._clock.steady(),
            organization.id,
            charge.credits,
            allowances.monthly_credits,
            charge.endpoint,
            slots,
            month,
        )
        if held == "credits":
            raise _credits_spent(organization, month)
        if held == "slots":
            message = f"{slots} calls of this endpoint are in flight; wait until one has ended"
            raise Refusal("rate_limited", message)
        assert isinstance(held, Reservation)
        return held

    async def _check_credits(self, organization: Organization, credits: int) -> None:
        month, steady = Month.of(self._clock.now()), self._clock.steady()
        ceiling = organization.allowances.monthly_credits
        left = await self._database.read(credits_left, steady, organization.id, ceiling, month)
        if left is not None and left < credits:
            raise _credits_spent(organization, month)


def _requests_spent(organization: Organization, month: Month) -> Refusal:
    allowances = organization.allowances
    number = f"{allowances.monthly_requests} requests a month"
    whose = f"the {allowances.plan} plan's {number}" if allowances.plan_named else f"the {number}"
    message = f"{whose} are used; they reset at {month.resets_at}"
    return Refusal("request_limit_exceeded", message)


def _credits_spent(organization: Organization, month: Month) -> Refusal:
    number = organization.allowances.monthly_credits
    message = f"the {number} credits a month are used; they reset at {month.resets_at}"
    return Refusal("credit_limit_exceeded", message)
