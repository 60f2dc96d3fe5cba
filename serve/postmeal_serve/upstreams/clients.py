"""Clients of the external services enabled in the settings, with one shared HTTP client."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from postmeal_serve.runtime.clock import Clock
from postmeal_serve.settings import Settings
from postmeal_serve.upstreams.articles import MAX_BYTES as MAX_BYTES_OF_ARTICLES
from postmeal_serve.upstreams.articles import Articles, ArticleSource
from postmeal_serve.upstreams.chat_completion import LanguageModel
from postmeal_serve.upstreams.chat_model import ChatModel
from postmeal_serve.upstreams.e_utilities import EUtilities
from postmeal_serve.upstreams.europe_pmc import EuropePmc
from postmeal_serve.upstreams.fooddata_central import FoodDataCentral
from postmeal_serve.upstreams.http_client import Count, ServiceClient, new_client
from postmeal_serve.upstreams.meal_reader import MealReader
from postmeal_serve.upstreams.open_food_facts import OpenFoodFacts
from postmeal_serve.upstreams.overpass import MAX_BYTES, Overpass
from postmeal_serve.upstreams.picture_address import PictureAddress
from postmeal_serve.upstreams.picture_reader import PictureReader
from postmeal_serve.upstreams.products import Products, Source
from postmeal_serve.upstreams.token_bucket import TokenBucket
from postmeal_serve.upstreams.turns import Turns

if TYPE_CHECKING:
    import httpx2
    from pydantic import SecretStr

__all__ = ["Upstreams"]

_PLACES_AT_ONCE = 2  # concurrent requests per process, as the public Overpass API allows
_CHATS_AT_ONCE = 32  # concurrent requests per process, as for meals
_ARTICLES_AT_ONCE = 4  # concurrent requests per process and source
_E_UTILITIES_PER_S = (3, 10)  # maximum that NCBI allows without and with a key
_MEALS_AT_ONCE = 32  # concurrent requests per process; other requests wait within their timeout
_PICTURES_AT_ONCE = 8  # fewer, because each picture may be a megabyte


class Upstreams:
    """Clients of the enabled external services.

    By default, no service is enabled, and the HTTP library is not imported.
    """

    def __init__(self, settings: Settings, clock: Clock, count: Count) -> None:
        self.products: Products | None = None
        self.places: Overpass | None = None
        self.meal_reader: MealReader | None = None
        self.chat_model: ChatModel | None = None
        self.articles: Articles | None = None
        self.picture_reader: PictureReader | None = None
        self.picture_address = PictureAddress(count)
        self._client: httpx2.AsyncClient | None = None
        models = settings.meal_reader_url or settings.picture_reader_url or settings.chat_url
        enabled = settings.live_barcodes or settings.live_literature or models
        if not (enabled or settings.live_places_url):
            return
        self._client = new_client(settings.contact)
        new_service = partial(ServiceClient, self._client, count)
        if settings.live_barcodes:
            create = {"open_food_facts": _open_food_facts, "fooddata_central": _fooddata_central}
            sources = [
                create[name](settings, clock, new_service) for name in settings.live_barcodes
            ]
            self.products = Products(sources, settings.live_barcodes_within_s)
        if settings.live_places_url:
            per_day = settings.live_places_per_day / settings.workers
            self.places = Overpass(
                new_service(
                    "overpass",
                    settings.live_places_url,
                    in_flight=_PLACES_AT_ONCE,
                    rate_limit=TokenBucket(clock, per_day, 86_400),
                    max_bytes=MAX_BYTES,
                )
            )
        self._open_models(settings, new_service)
        if settings.live_literature:
            create_article_source = {"europe_pmc": _europe_pmc, "e_utilities": _e_utilities}
            article_sources = [
                create_article_source[name](settings, new_service)
                for name in settings.live_literature
            ]
            self.articles = Articles(article_sources, clock, settings.live_literature_within_s)

    def _open_models(self, settings: Settings, new_service: partial[ServiceClient]) -> None:
        """Open the clients of the language and vision models."""

        def model(service: str, prefix: str, in_flight: int) -> LanguageModel | None:
            url, key, name, within_s = (
                getattr(settings, f"{prefix}_{part}")
                for part in ("url", "key", "model", "within_s")
            )
            if not url:
                return None
            client = new_service(service, url, in_flight=in_flight, headers=_bearer(key))
            return LanguageModel(client, name, within_s)

        if meals := model("meal_reader", "meal_reader", _MEALS_AT_ONCE):
            self.meal_reader = MealReader(meals)
        if chat := model("chat_model", "chat", _CHATS_AT_ONCE):
            self.chat_model = ChatModel(chat)
        if pictures := model("picture_reader", "picture_reader", _PICTURES_AT_ONCE):
            self.picture_reader = PictureReader(pictures)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()


def _bearer(key: SecretStr | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}


def _open_food_facts(
    settings: Settings, clock: Clock, new_service: partial[ServiceClient]
) -> Source:
    return OpenFoodFacts(
        new_service(
            "open_food_facts",
            settings.open_food_facts_url,
            in_flight=settings.live_barcodes_in_flight,
            rate_limit=TokenBucket(
                clock, settings.open_food_facts_per_minute / settings.workers, 60
            ),
        )
    )


def _fooddata_central(
    settings: Settings, clock: Clock, new_service: partial[ServiceClient]
) -> Source:
    key = settings.fooddata_central_key
    return FoodDataCentral(
        new_service(
            "fooddata_central",
            settings.fooddata_central_url,
            in_flight=settings.live_barcodes_in_flight,
            headers={"X-Api-Key": key.get_secret_value()} if key else {},
            rate_limit=TokenBucket(
                clock, settings.fooddata_central_per_hour / settings.workers, 3600
            ),
        )
    )


def _europe_pmc(settings: Settings, new_service: partial[ServiceClient]) -> ArticleSource:
    service = new_service(
        "europe_pmc",
        settings.europe_pmc_url,
        in_flight=_ARTICLES_AT_ONCE,
        max_bytes=MAX_BYTES_OF_ARTICLES,
    )
    return EuropePmc(service)


def _e_utilities(settings: Settings, new_service: partial[ServiceClient]) -> ArticleSource:
    key = settings.e_utilities_key
    turns = Turns(
        settings.state_dir / "e_utilities.turns",
        _E_UTILITIES_PER_S[key is not None],
        settings.live_literature_within_s,
    )
    service = new_service(
        "e_utilities",
        settings.e_utilities_url,
        in_flight=_ARTICLES_AT_ONCE,
        headers={"Accept": "application/json, text/xml"},
        turns=turns,
        max_bytes=MAX_BYTES_OF_ARTICLES,
    )
    identity = {"tool": "postmeal", "email": settings.e_utilities_email}
    if key is not None:
        identity["api_key"] = key.get_secret_value()
    return EUtilities(service, identity)
