"""Configured: the lines outside that the settings name, and one HTTP client for them all."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from serve.runtime.clock import Clock
from serve.settings import Settings
from serve.upstreams.fooddata_central import FoodDataCentral
from serve.upstreams.http_client import Count, Line, new_client
from serve.upstreams.meal_reader import MealReader
from serve.upstreams.open_food_facts import OpenFoodFacts
from serve.upstreams.products import Products, Source
from serve.upstreams.token_bucket import Allowance

if TYPE_CHECKING:
    import httpx2

__all__ = ["Upstreams"]

_MEALS_AT_ONCE = 32  # that a process has read at a time; more wait within their time


class Upstreams:
    """What may be asked outside; nothing by default, and then no HTTP client is imported.

    Parameters
    ----------
    settings : Settings
        What is asked, where and with which key.
    clock : Clock
        The time.
    count : callable
        Counts what was asked.

    Attributes
    ----------
    products : Products or None
        Who is asked for barcodes.
    meal_reader : MealReader or None
        What splits texts about meals.
    """

    def __init__(self, settings: Settings, clock: Clock, count: Count) -> None:
        self.products: Products | None = None
        self.meal_reader: MealReader | None = None
        self._client: httpx2.AsyncClient | None = None
        if not (settings.live_barcodes or settings.meal_reader_url):
            return
        self._client = new_client(settings.contact)
        line = partial(Line, self._client, count)
        if settings.live_barcodes:
            made = {"open_food_facts": _open_food_facts, "fooddata_central": _fooddata_central}
            sources = [made[name](settings, clock, line) for name in settings.live_barcodes]
            self.products = Products(sources, settings.live_barcodes_within_s)
        if settings.meal_reader_url:
            key = settings.meal_reader_key
            headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
            reader = line(
                "meal_reader", settings.meal_reader_url, in_flight=_MEALS_AT_ONCE, headers=headers
            )
            within_s = settings.meal_reader_within_s
            self.meal_reader = MealReader(reader, settings.meal_reader_model, within_s)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()


def _open_food_facts(settings: Settings, clock: Clock, line: partial[Line]) -> Source:
    return OpenFoodFacts(
        line(
            "open_food_facts",
            settings.open_food_facts_url,
            in_flight=settings.live_barcodes_in_flight,
            allowance=Allowance(clock, settings.open_food_facts_per_minute / settings.workers, 60),
        )
    )


def _fooddata_central(settings: Settings, clock: Clock, line: partial[Line]) -> Source:
    key = settings.fooddata_central_key
    return FoodDataCentral(
        line(
            "fooddata_central",
            settings.fooddata_central_url,
            in_flight=settings.live_barcodes_in_flight,
            headers={"X-Api-Key": key.get_secret_value()} if key else {},
            allowance=Allowance(clock, settings.fooddata_central_per_hour / settings.workers, 3600),
        )
    )
