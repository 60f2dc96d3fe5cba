"""Caches: what callers and sources outside write takes a bounded number of bytes."""

import asyncio
import gc
import random
import tracemalloc
from collections.abc import Callable

import pytest
from api_client import VirtualClock
from partner_records import NOW, fresh_database, made, minted

from postmeal.foods.catalog import Catalog
from postmeal.foods.diets.food_diets import diets_of
from postmeal.foods.language.matching import Matcher
from postmeal.foods.table import TableFood
from postmeal.foods.words import words
from postmeal_serve.partners.credentials import Caller, Credentials
from postmeal_serve.partners.plans import PLANS
from postmeal_serve.wire.field_names import Shape
from postmeal_serve.wire.near_misses import near_misses

SHAPE = Shape({"start_time": "start_time"}, {})
TIMES = 20
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def text(length: int) -> str:
    return "".join(random.choices(LETTERS, k=length))


def held_bytes(work: Callable[[], object]) -> int:
    """Return how much more memory is in use after work than before."""
    work()
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(TIMES):
            work()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def label(catalog: Catalog) -> None:
    """Read a label of one part without a comma, as long as a source outside may send it."""
    ingredients = " ".join(random.choices(["salt", "water", "spice", "yeast"], k=4000))
    diets_of(TableFood("off", "1", "branded", "", "Bar", (), {}, ingredients=ingredients))


@pytest.mark.sampled
@pytest.mark.parametrize(
    "work",
    [
        lambda catalog: list(near_misses(SHAPE, {text(20_000): 1})),
        lambda catalog: words(text(20_000)),
        lambda catalog: Matcher.of(catalog).match(f"rice {text(20_000)}", 10),
        label,
    ],
    ids=["field names", "words", "names of foods", "labels"],
)
def test_a_long_text_is_not_kept_after_it_was_read(work, catalog):
    """Twenty of 20,000 characters are gone: other threads allocate now and then, a leak always."""
    assert min(held_bytes(lambda: work(catalog)) for _ in range(3)) < 100_000


def test_credentials_of_one_partner_share_what_is_known_of_it(tmp_path_factory):
    database = fresh_database(tmp_path_factory)
    with database.writing() as connection:
        partner = made(connection, "shares", rates={"search_foods": 7})
        tokens = [minted(connection, partner.id).secret for _ in range(2)]
    credentials = Credentials(database, VirtualClock(NOW), PLANS)

    async def find(secret: str) -> Caller:
        caller = await credentials.look_up(secret)
        assert isinstance(caller, Caller)
        return caller

    first, second = (asyncio.run(find(secret)) for secret in tokens)
    assert first.organization == partner
    assert first.organization is second.organization
    database.close()
