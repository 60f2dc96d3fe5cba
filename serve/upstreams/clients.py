"""Clients of the external services enabled in the settings, with one shared HTTP client."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from serve.runtime.clock import Clock
from serve.settings import Settings
from serve.upstreams.fooddata_central import FoodDataCentral
from serve.upstreams.http_client import Count, ServiceClient, new_client
from serve.upstreams.meal_reader import MealReader
from serve.upstreams.open_food_facts import OpenFoodFacts
from serve.upstreams.overpass import MAX_BYTES, Overpass
from serve.upstreams.products import Products, Source
from serve.upstreams.token_bucket import TokenBucket

if TYPE_CHECKING:
    import httpx2

__all__ = ["Upstreams"]

_PLACES_AT_ONCE = 2  # concurrent requests per process, as the public Overpass API allows
_MEALS_AT_ONCE = 32  # concurrent requests per process; further requests wait within their timeout


class Upstreams:
    """Clients of the enabled external services.

    By default, no service is enabled, and the HTTP library is not imported.

    Parameters
    ----------
    settings : Settings
        Settings with the enabled services, their URLs and keys.
    clock : Clock
        Source of the current time.
    count : callable
        Function that counts a request, given the names of the service and of the outcome.

    Attributes
    ----------
    products : Products or None
        Client that looks up barcodes.
    places : Overpass or None
        Client that looks up restaurants.
    meal_reader : MealReader or None
        Client that splits meal texts.
    """

    def __init__(self, settings: Settings, clock: Clock, count: Count) -> None:
        self.products: Products | None = None
        self.places: Overpass | None = None
        self.meal_reader: MealReader | None = None
        self._client: httpx2.AsyncClient | None = None
        if not (settings.live_barcodes or settings.live_places_url or settings.meal_reader_url):
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
        if settings.meal_reader_url:
            key = settings.meal_reader_key
            headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
            service = new_service(
                "meal_reader", settings.meal_reader_url, in_flight=_MEALS_AT_ONCE, headers=headers
            )
            timeout_s = settings.meal_reader_within_s
            self.meal_reader = MealReader(service, settings.meal_reader_model, timeout_s)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()


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
