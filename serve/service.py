"""The service's parts: each is loaded once, and each may be missing without the others failing."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from threading import Thread
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from postmeal.errors import ModelError, PostmealError
from postmeal.foods.catalog import Catalog
from postmeal.glucose.predictor import Predictor
from serve.accounting.failures import Failures
from serve.accounting.meter import Meter
from serve.accounting.minutes import Minutes
from serve.loaded.food_catalog import Catalogues, warm
from serve.loaded.population_models import FOLLOWED_EVERY_S, Models
from serve.partners.credentials import Caller, Credentials
from serve.resources import tombstones
from serve.resources.food_choices import Foods
from serve.resources.live_foods import LiveFoods
from serve.resources.retention import INTERVAL_S, keep_house
from serve.resources.served_models import check_served
from serve.runtime.background_jobs import Job
from serve.runtime.clock import Clock
from serve.runtime.clock_synchronization import join
from serve.runtime.garbage_collection import freeze_loaded
from serve.runtime.metrics import outward_count
from serve.runtime.overload import Overload
from serve.runtime.parsing_processes import Parsing
from serve.runtime.readiness import PROVEN_EVERY_S, Readiness
from serve.runtime.refusal_pace import RefusalPace
from serve.settings import Settings
from serve.storage.database import Database
from serve.storage.schema import SchemaTooNew, migrate
from serve.storage.secure_erase import REWRITTEN_EVERY_S, rewrite
from serve.upstreams.clients import Upstreams
from serve.wire.errors import Refusal
from serve.wire.upload_limits import Uploads

__all__ = ["PARTS", "Service"]

PARTS = ("database", "catalogue", "model")
"""What the service is made of."""

_REST_S = 2.0
_GIVEN_BACK_WITHIN_S = 2.0

Part = TypeVar("Part")

_log = logging.getLogger(__name__)


class Service:
    """Database, food catalogue and model, and what stands on the database.

    Parameters
    ----------
    settings : Settings
        What to load from where. Why a part could not be loaded is said in the log alone.
    clock : Clock, optional
        The time.
    minutes : Minutes, optional
        Counts that it shares with other processes; of this one alone when omitted.
    """

    def __init__(
        self, settings: Settings, clock: Clock | None = None, minutes: Minutes | None = None
    ) -> None:
        self.settings = settings
        self.clock = clock or Clock()
        self.overload = Overload()
        self.refusal_pace = RefusalPace()
        self._missing: list[str] = []
        self._warming: Thread | None = None
        self.database = Database(settings.database_url, settings.database_within_s)
        self._readiness = Readiness(self.database, self.clock)
        admission = self.database.admission
        self.credentials = Credentials(admission, self.clock, settings.plans, settings.pepper)
        minutes = minutes or Minutes()
        self.failures = Failures(minutes, self.clock, settings.address_failures_per_minute)
        self.meter = Meter(
            admission,
            self.clock,
            settings.v1_1_per_minute,
            settings.address_per_minute,
            settings.end_user_per_minute,
            minutes,
        )
        self.uploads = Uploads()
        self.parsing = Parsing()
        self._load("database", self._prepare_database)
        self.catalogues = Catalogues(settings.food_table, settings.catalog_file)
        self._load("catalogue", self.catalogues.load)
        self._unchecked = False
        self.models = Models(settings.model_folder, settings.model_store, self._check_model)
        self._load("model", self.models.load)
        counted = settings.metrics_port is not None
        self.upstreams = Upstreams(settings, self.clock, outward_count(counted))
        kept = timedelta(days=settings.live_foods_days)
        self._live = LiveFoods(self.database, self.clock, self.upstreams.products, kept)

    @property
    def catalog(self) -> Catalog:
        """The foods that are at hand: whoever reads it once answers by that one alone."""
        return self._present(self.catalogues.active)

    @property
    def foods(self) -> Foods:
        """The foods of the catalogue, and those that were looked up outside."""
        return Foods(self.catalog, self._live)

    @property
    def predictor(self) -> Predictor:
        """The model in service: whoever reads it once answers by that one alone."""
        return self._present(self.models.active)

    def predictor_for(self, version: str) -> Predictor:
        """Return the model of a version, which a person's own model corrects.

        Raises
        ------
        Refusal
            No model is available, or this one is no longer kept.
        """
        self._present(self.models.active)
        try:
            return self.models.version(version)
        except ModelError:
            if self.models.is_stale:
                message = f"this user was trained on {version}, which cannot be read at the moment"
                raise Refusal("service_unavailable", message) from None
            message = f"this user was trained on {version}, which is served no more: train again"
            raise Refusal("invalid_request", message) from None

    def check_database(self) -> None:
        """Refuse while the database has not been brought to this release's tables."""
        if "database" in self._missing:
            self._present(None)

    def allow_writing(
        self, connection: Connection, caller: Caller, person: str, now: datetime
    ) -> None:
        """Refuse a client token whose person was erased, in the transaction that writes.

        Parameters
        ----------
        connection : Connection
            Of the transaction, which has not yet written anything.
        caller : Caller
            Who writes.
        person : str
            The id under which the person's data is kept.
        now : datetime
            The moment that the rows to be written are given, in steady time.

        Raises
        ------
        Erased
            The person was erased after the token was minted.
        """
        owner, pepper = caller.organization.id, self.settings.pepper
        issued_at = caller.issued_at
        tombstones.allow_writing(
            connection, owner, person, now, token_issued_at=issued_at, pepper=pepper
        )

    def credit_cost(self, endpoint: str) -> int:
        """Answer the credits that a success of an endpoint costs."""
        return self.settings.credit_costs.get(endpoint, 0)

    def failing(self) -> list[str]:
        """Name the parts that cannot be used now, the database as it was last proven."""
        failing = list(self._missing)
        if "database" not in failing and not self._readiness.is_proven:
            failing.append("database")
        return failing

    @property
    def is_warming(self) -> bool:
        """Whether the first calls about the catalogue may still take seconds."""
        return self._warming is not None and self._warming.is_alive()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do the regular work meanwhile, and leave nothing leased at the end."""
        async with AsyncExitStack() as jobs:
            jobs.callback(self.close)
            jobs.push_async_callback(self._give_back)
            jobs.push_async_callback(self.upstreams.close)
            jobs.push_async_callback(self._live.close)
            await jobs.enter_async_context(self.overload.watching())
            await self._prove()
            await jobs.enter_async_context(Job("proof", self._prove, PROVEN_EVERY_S))
            await jobs.enter_async_context(Job("purge", self._purge, INTERVAL_S))
            await jobs.enter_async_context(Job("rewrite", self._rewrite, REWRITTEN_EVERY_S))
            await jobs.enter_async_context(Job("rest", self._rest, _REST_S))
            if self.settings.model_store is not None:
                await jobs.enter_async_context(Job("models", self._follow, FOLLOWED_EVERY_S))
            if self.settings.catalog_file is not None:
                job = Job("catalogue", self._follow_catalogue, FOLLOWED_EVERY_S)
                await jobs.enter_async_context(job)
            yield

    def close(self) -> None:
        """Close the files, and end the processes."""
        self.parsing.close()
        self.database.close()
        self.catalogues.close()

    async def _prove(self) -> None:
        if "database" not in self._missing:
            await self._readiness.prove()

    async def _purge(self) -> None:
        if "database" not in self._missing:
            kept = timedelta(seconds=self.settings.token_purge_after_s)
            await keep_house(self.database, self.clock, kept, self.settings.pepper)

    async def _rewrite(self) -> None:
        await asyncio.to_thread(rewrite, self.database)

    async def _rest(self) -> None:
        self.clock.now()  # logs a jump, also while there are no requests
        if "database" in self._missing:  # it was not there at the start: try again
            await asyncio.to_thread(self._prepare_database)
            self._missing.remove("database")
            await self._prove()
        if self._unchecked:
            self._unchecked = False
            await asyncio.to_thread(self._load, "model", self.models.check_again)
        await self.meter.rest()

    def _prepare_database(self) -> None:
        migrate(self.database)
        join(self.database, self.clock)

    def _check_model(self, version: str, sha256: str) -> None:
        """Refuse other weights under a known name; while there is no database, do so later."""
        try:
            self.check_database()
            check_served(self.database, version, sha256, self.clock.now())
        except (Refusal, SQLAlchemyError):
            self._unchecked = True

    async def _follow(self) -> None:
        await asyncio.to_thread(self.models.follow)
        if "model" in self._missing and self.models.active is not None:
            self._missing.remove("model")

    def warm(self) -> None:
        """Make, on a thread, what the first questions about the catalogue would wait for.

        Whoever stops meanwhile does not wait for it.
        """
        if (catalog := self.catalogues.active) is not None:
            self._warming = Thread(target=_warm, args=(catalog,), name="warming", daemon=True)
            self._warming.start()

    async def _follow_catalogue(self) -> None:
        await asyncio.to_thread(self.catalogues.follow)
        if "catalogue" in self._missing and self.catalogues.active is not None:
            self._missing.remove("catalogue")

    async def _give_back(self) -> None:
        try:
            async with asyncio.timeout(_GIVEN_BACK_WITHIN_S):
                await self.meter.close()
        except (SQLAlchemyError, TimeoutError) as error:
            _log.error("leased requests are lost: %s", type(error).__name__)

    def _load(self, name: str, load: Callable[[], Part]) -> Part | None:
        try:
            return load()
        except (PostmealError, OSError, sqlite3.Error, SQLAlchemyError, SchemaTooNew) as error:
            _log.error("the %s cannot be used: %s", name, error)
            self._missing.append(name)
            return None

    def _present(self, part: Part | None) -> Part:
        if part is None:
            message = "this part of the service is not available at the moment"
            raise Refusal("service_unavailable", message)
        return part


def _warm(catalog: Catalog) -> None:
    warm(catalog)
    freeze_loaded()
