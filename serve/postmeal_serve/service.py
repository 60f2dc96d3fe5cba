"""The service: its database, food catalog, prediction model and the components built on them."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from threading import Thread
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from postmeal.errors import ModelError, PostmealError
from postmeal.foods.catalog import Catalog
from postmeal.glucose.predictor import Predictor
from postmeal_serve.accounting.failures import Failures
from postmeal_serve.accounting.meter import Meter
from postmeal_serve.accounting.process_lease import RENEWED_EVERY_S, ProcessLease
from postmeal_serve.loaded.population_models import FOLLOWED_EVERY_S, Models
from postmeal_serve.partners.credentials import Caller, Credentials
from postmeal_serve.resources import tombstones
from postmeal_serve.resources.chat import Chat
from postmeal_serve.resources.food_choices import Foods
from postmeal_serve.resources.kept_articles import KeptArticles
from postmeal_serve.resources.literature import LiteratureSearch
from postmeal_serve.resources.live_foods import LiveFoods
from postmeal_serve.resources.live_literature import LiveLiterature
from postmeal_serve.resources.live_places import LivePlaces
from postmeal_serve.resources.photo_scans import PhotoScans
from postmeal_serve.resources.restaurants import Restaurants
from postmeal_serve.resources.retention import INTERVAL_S, delete_expired
from postmeal_serve.resources.served_models import check_served
from postmeal_serve.resources.transcripts import Transcripts
from postmeal_serve.runtime.background_jobs import Job
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.runtime.clock_synchronization import join
from postmeal_serve.runtime.fair_share import FairShare
from postmeal_serve.runtime.logs import write_pending_lines
from postmeal_serve.runtime.metrics import outward_count
from postmeal_serve.runtime.overload import Overload
from postmeal_serve.runtime.parsing_processes import Parsing
from postmeal_serve.runtime.pictures import Pictures
from postmeal_serve.runtime.readiness import PROBE_EVERY_S, Readiness
from postmeal_serve.runtime.refusal_pace import RefusalPace
from postmeal_serve.settings import Settings
from postmeal_serve.shared_parts import SharedParts
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.integrity import log_damage
from postmeal_serve.storage.schema import SchemaTooNew, migrate
from postmeal_serve.storage.secure_erase import REWRITTEN_EVERY_S, rewrite
from postmeal_serve.upstreams.clients import Upstreams
from postmeal_serve.wire.errors import UNAVAILABLE, Refusal
from postmeal_serve.wire.upload_limits import Uploads

__all__ = ["PARTS", "Service"]

PARTS = ("database", "catalogue", "model")
"""Names of the parts of the service, as reported by ``/readyz``."""

_CATALOG = "catalog (POSTMEAL_CATALOG_FILE or POSTMEAL_FOOD_TABLE)"
_MODEL = "model (POSTMEAL_MODEL_FOLDER)"
_UPKEEP_EVERY_S = 2.0
_RETURN_WITHIN_S = 2.0

Part = TypeVar("Part")

_log = logging.getLogger(__name__)


class Service:
    """Database, food catalog, prediction model, and the components built on them.

    If the database, the catalog or the model cannot be loaded, the reason is logged, and the rest
    of the service keeps working.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock | None = None,
        shared: SharedParts | None = None,
    ) -> None:
        self.settings = settings
        self.shared = shared or SharedParts.of(settings)
        self.clock = clock or Clock()
        self.overload = Overload()
        self.fair_share = FairShare()
        self.refusal_pace = RefusalPace()
        self._missing: list[str] = []
        self._warming: Thread | None = None
        self.database = Database(settings.database_url, settings.database_within_s)
        self._readiness = Readiness(self.database, self.clock)
        admission = self.database.admission
        self.credentials = Credentials(admission, self.clock, settings.plans, settings.pepper)
        minutes = self.shared.minutes
        self.failures = Failures(minutes, self.clock, settings.address_failures_per_minute)
        self._lease = ProcessLease(admission, self.clock, self.shared.process_id)
        self.meter = Meter(
            admission,
            self.clock,
            settings.v1_1_per_minute,
            settings.address_per_minute,
            settings.end_user_per_minute,
            minutes,
            self._lease,
        )
        self.uploads = Uploads()
        self.parsing = Parsing()
        self.pictures = Pictures(self.shared.decoder)
        self._load("database", self._prepare_database, "database (POSTMEAL_DATABASE)")
        self.catalogs = self.shared.catalogs
        self._load("catalogue", self.catalogs.load, _CATALOG)
        self._places = self.shared.places
        self._places.follow()
        self._literature = self.shared.literature
        self._literature.follow()
        kept = timedelta(days=settings.transcript_days)
        self.transcripts = Transcripts(self.database, self.clock, kept)
        self._unchecked = False
        self.models = Models(settings.model_folder, settings.model_store, self._check_model)
        self._load("model", self.models.load, _MODEL)
        has_metrics = settings.metrics_port is not None
        self.upstreams = Upstreams(settings, self.clock, outward_count(has_metrics))
        max_age = timedelta(days=settings.live_foods_days)
        self._live = LiveFoods(self.database, self.clock, self.upstreams.products, max_age)
        self._live_literature = self._new_live_literature()
        self._live_places = self._new_live_places()

    def _new_live_literature(self) -> LiveLiterature | None:
        articles, max_age = self.upstreams.articles, self.settings.live_literature_days
        if articles is None:
            return None
        kept = KeptArticles(self.settings.state_dir / "live_literature.sqlite")
        return LiveLiterature(articles, kept, self.clock, timedelta(days=max_age))

    def _new_live_places(self) -> LivePlaces | None:
        places, max_age = self.upstreams.places, timedelta(days=self.settings.live_places_days)
        if places is None:
            return None
        within_s = self.settings.live_places_within_s
        return LivePlaces(self.database, self.clock, places, max_age, within_s)

    @property
    def catalog(self) -> Catalog:
        """The current food catalog. Read this once per request, since it can be replaced."""
        return self._require(self.catalogs.active)

    @property
    def foods(self) -> Foods:
        """The foods in the catalog, on imported menus and from external sources."""
        return Foods(self.catalog, self._live, self._places.active)

    @property
    def restaurants(self) -> Restaurants:
        """The restaurants and their menus. Read this once per request, since it can be replaced."""
        return Restaurants(self._require(self._places.active), self.catalog, self._live_places)

    @property
    def literature(self) -> LiteratureSearch:
        """The search of clinical literature."""
        return LiteratureSearch(self._literature, self._live_literature)

    @property
    def chat(self) -> Chat:
        """The health chat. Read this once per request, since its parts can be replaced."""
        return Chat(self.catalog, self.predictor, self._literature, self.upstreams.chat_model)

    @property
    def photos(self) -> PhotoScans:
        """The components that scan photos."""
        upstreams = self.upstreams
        fetch, reader = upstreams.picture_address.fetch, upstreams.picture_reader
        return PhotoScans(self.pictures, self.catalog, fetch, reader)

    @property
    def predictor(self) -> Predictor:
        """The current population model. Read this once per request, since it can be replaced."""
        return self._require(self.models.active)

    def predictor_for(self, version: str) -> Predictor:
        """Return the population model that a personal model was trained on."""
        self._require(self.models.active)
        try:
            return self.models.version(version)
        except ModelError:
            if self.models.is_stale:
                problem = "which is temporarily unavailable; try again later"
                message = f"the user's personal model is based on {version}, {problem}"
                raise Refusal("service_unavailable", message) from None
            problem = "which has been retired; train the user again"
            message = f"the user's personal model is based on {version}, {problem}"
            raise Refusal("invalid_request", message) from None

    def check_database(self) -> None:
        """Raise `Refusal` (503) unless the database has been migrated to this release."""
        if "database" in self._missing:
            self._require(None)

    def allow_writing(
        self, connection: Connection, caller: Caller, person: str, now: datetime
    ) -> None:
        """Raise an error if the user of a client token was erased after the token was minted.

        Call this at the start of every transaction that writes data of a user.
        """
        owner, pepper = caller.organization.id, self.settings.pepper
        issued_at = caller.issued_at
        tombstones.allow_writing(
            connection, owner, person, now, token_issued_at=issued_at, pepper=pepper
        )

    def credit_cost(self, endpoint: str) -> int:
        """Return the number of credits charged for a successful request to an endpoint."""
        return self.settings.credit_costs.get(endpoint, 0)

    def failing(self) -> list[str]:
        """Return the names of the unusable parts.

        The database counts as unusable unless its latest write probe succeeded.
        """
        failing = list(self._missing)
        if "database" not in failing and not self._readiness.is_ready:
            failing.append("database")
        return failing

    @property
    def is_warming(self) -> bool:
        """Whether food requests may be slow because the catalog's caches are not complete yet."""
        return self._warming is not None and self._warming.is_alive()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the background jobs; on shutdown, give back leased requests and close all parts."""
        async with AsyncExitStack() as jobs:
            jobs.callback(write_pending_lines)
            jobs.callback(self.close)
            jobs.push_async_callback(self._return_leases)
            jobs.push_async_callback(self.upstreams.close)
            jobs.push_async_callback(self._live.close)
            if self._live_places is not None:
                jobs.push_async_callback(self._live_places.close)
            await jobs.enter_async_context(self.overload.watching())
            await self._prove()
            if self.database.is_sqlite:  # A large file takes seconds; a stop does not wait for it.
                Thread(target=log_damage, args=(self.database,), daemon=True).start()
            await jobs.enter_async_context(Job("proof", self._prove, PROBE_EVERY_S))
            await jobs.enter_async_context(Job("lease", self._renew_lease, RENEWED_EVERY_S))
            await jobs.enter_async_context(Job("purge", self._purge, INTERVAL_S))
            await jobs.enter_async_context(Job("rewrite", self._rewrite, REWRITTEN_EVERY_S))
            await jobs.enter_async_context(Job("upkeep", self._do_upkeep, _UPKEEP_EVERY_S))
            if self.settings.model_store is not None:
                await jobs.enter_async_context(Job("models", self._follow_models, FOLLOWED_EVERY_S))
            if self.settings.catalog_file is not None:
                job = Job("catalog", self._follow_catalog, FOLLOWED_EVERY_S)
                await jobs.enter_async_context(job)
            if self.settings.places is not None:
                follow = partial(asyncio.to_thread, self._places.follow)
                await jobs.enter_async_context(Job("places", follow, FOLLOWED_EVERY_S))
            if self.settings.literature is not None or self._literature.active is None:
                follow = partial(asyncio.to_thread, self._literature.follow)
                await jobs.enter_async_context(Job("literature", follow, FOLLOWED_EVERY_S))
            yield

    def close(self) -> None:
        """Close the files and the database; stop the parsing processes and the picture decoder."""
        self.parsing.close()
        self.pictures.close()
        self.database.close()
        self.catalogs.close()
        self._places.close()
        self._literature.close()

    async def _prove(self) -> None:
        if "database" not in self._missing:
            await self._readiness.prove()

    async def _purge(self) -> None:
        if self._live_literature is not None:
            await self._live_literature.delete_expired()
        if "database" not in self._missing:
            max_age = timedelta(seconds=self.settings.token_purge_after_s)
            pepper, kept = self.settings.pepper, self.transcripts.retention
            scans_kept = timedelta(days=self.settings.scan_days)
            await delete_expired(self.database, self.clock, max_age, pepper, kept, scans_kept)

    async def _renew_lease(self) -> None:
        if "database" not in self._missing:
            await self._lease.renew()

    async def _rewrite(self) -> None:
        await asyncio.to_thread(rewrite, self.database)

    async def _do_upkeep(self) -> None:
        self.clock.now()  # Log clock jumps even when there are no requests.
        if "database" in self._missing:  # The database was unavailable at startup.
            await asyncio.to_thread(self._prepare_database)
            self._missing.remove("database")
            await self._prove()
        if self._unchecked:
            self._unchecked = False
            await asyncio.to_thread(self._load, "model", self.models.check_again, _MODEL)
        await self.meter.rest()

    def _prepare_database(self) -> None:
        migrate(self.database)
        join(self.database, self.clock)

    def _check_model(self, version: str, sha256: str) -> None:
        """Raise `ModelError` if the weights of a known version have changed.

        If the database is unavailable, the check is postponed.
        """
        try:
            self.check_database()
            check_served(self.database, version, sha256, self.clock.now())
        except (Refusal, SQLAlchemyError):
            self._unchecked = True

    async def _follow_models(self) -> None:
        await asyncio.to_thread(self.models.follow)
        if "model" in self._missing and self.models.active is not None:
            self._missing.remove("model")

    def warm(self) -> None:
        """Build the caches of meals and of the chat in a daemon thread, unless they are shared.

        The thread does not delay a shutdown.
        """
        if self.shared.is_warm:
            return
        if self.catalogs.active is not None:
            args = (self.models.active,)
            self._warming = Thread(target=self.shared.warm, args=args, name="warming", daemon=True)
            self._warming.start()

    async def _follow_catalog(self) -> None:
        await asyncio.to_thread(self.catalogs.follow)
        if "catalogue" in self._missing and self.catalogs.active is not None:
            self._missing.remove("catalogue")

    async def _return_leases(self) -> None:
        try:
            async with asyncio.timeout(_RETURN_WITHIN_S):
                await self.meter.close()
                await self._lease.end()
        except (SQLAlchemyError, TimeoutError) as error:
            _log.error("the latest counts of requests were not written: %s", type(error).__name__)

    def _load(self, part: str, load: Callable[[], Part], logged_as: str) -> Part | None:
        try:
            return load()
        except (PostmealError, OSError, sqlite3.Error, SQLAlchemyError, SchemaTooNew) as error:
            _log.error("the %s cannot be used; requests that need it get 503: %s", logged_as, error)
            self._missing.append(part)
            return None

    def _require(self, part: Part | None) -> Part:
        if part is None:
            raise Refusal("service_unavailable", UNAVAILABLE)
        return part
