"""The diary and the idempotency keys, on both databases."""

import hashlib
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import insert, select

from postmeal.errors import InputError
from postmeal.foods.food import Selection
from postmeal_serve.resources.diary import Diary
from postmeal_serve.resources.idempotency import Claim, claim
from postmeal_serve.resources.logged_food import LoggedFood
from postmeal_serve.resources.users import stored_user_id
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.tables import end_user, food_log, idempotency, organization
from postmeal_serve.wire.date_range import Days
from postmeal_serve.wire.errors import Refusal

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
OURS = "5f3c1f3e-8d0a-4c39-9d5e-0f6d6a1f2b3c"
RICE = LoggedFood(1, "Rice", None, None, 66.0, 29.7, {"carbs_g": 45.0}, 2, 1.0, "cup", 158.0, 1.0)
ASKED, OTHER = (hashlib.sha256(text).digest() for text in (b"asked", b"other"))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    migrate(database)
    with database.writing() as connection:
        for name in ("one", "two"):
            row = {"name": name, "plan": "free", "agreement": {}, "may_mint": True}
            connection.execute(insert(organization).values(created_at=NOON, **row))
    yield database
    database.close()


def log(database: Database, at: datetime = NOON, person: str = "u", owner: int = 1, **more):
    with database.writing() as connection:
        foods = more.get("foods", (RICE,))
        return Diary(connection, owner, person).add(foods, at, more.get("name"), NOON)


def listed(database: Database, first: datetime, last: datetime, person="u", owner=1):
    with database.reading() as connection:
        page = Diary(connection, owner, person).page(first, last)
    assert page.is_last
    return page.logs


def register(database: Database, partner_user_id: str | None, owner: int = 1) -> None:
    row = {"id": OURS, "organization_id": owner, "partner_user_id": partner_user_id}
    with database.writing() as connection:
        connection.execute(
            insert(end_user).values(profile={}, created_at=NOON, updated_at=NOON, **row)
        )


def test_an_entry_comes_back_as_it_was_logged_to_the_last_bit(database, catalog):
    """Rows 245, 409."""
    chance = random.Random(7)
    foods = [
        LoggedFood.of(Selection(food, serving, chance.uniform(0.001, 9999)))
        for food in catalog.search("oat", limit=20)
        for serving in food.servings
    ]
    entry = log(database, foods=foods, name="Frühstück 🥣")
    assert listed(database, NOON, NOON) == [entry]
    with database.reading() as connection:
        assert Diary(connection, 1, "u").find(entry.id) == entry
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-.{12}", entry.id)


def test_a_logged_food_holds_the_known_nutrients_of_what_was_eaten(catalog):
    """Rows 246, 315, 410: what is not known stays out."""
    food = next(f for f in catalog.search("bread", limit=20) if 0 < len(f.nutrients) < 21)
    serving = food.servings[-1]
    logged = LoggedFood.of(Selection(food, serving, 2.5))
    factor = serving.scaling_factor * 2.5 / serving.quantity
    assert set(logged.nutrients) == set(food.nutrients)
    for key, amount in logged.nutrients.items():
        assert amount == pytest.approx(food.nutrients[key] * factor, rel=1e-12)


def test_entries_are_listed_by_time_and_then_by_id_with_both_ends(database):
    """Rows 247, 412."""
    minutes = (3, 1, 2, 1, 1, 0, 4)
    entries = [log(database, NOON + timedelta(minutes=minute)) for minute in minutes]
    expected = sorted(entries[:5], key=lambda entry: (entry.eaten_at, entry.id))
    found = listed(database, NOON + timedelta(minutes=1), NOON + timedelta(minutes=3))
    assert found == expected


def test_a_moment_is_kept_in_utc_to_the_millisecond(database):
    """Rows 243, 249: 23:59:59.9999 is of the day that ends."""
    evening = datetime(2026, 1, 5, 23, 59, 59, 999_999, timezone(timedelta(hours=-5)))
    entry = log(database, evening)
    assert entry.eaten_at == datetime(2026, 1, 6, 4, 59, 59, 999_000, UTC)
    assert listed(database, entry.eaten_at, entry.eaten_at) == [entry]


def test_the_first_and_the_last_moment_that_there_is_can_be_kept(database):
    """Row 243."""
    first, last = (edge.replace(tzinfo=UTC) for edge in (datetime.min, datetime.max))
    entries = [log(database, first), log(database, last)]
    assert [entry.eaten_at.year for entry in entries] == [1, 9999]
    assert listed(database, first, last) == entries


def test_a_diary_holds_nothing_of_anyone_else(database):
    """Rows 250, 326, 417."""
    entry = log(database)
    for person, owner in (("v", 1), ("u", 2), ("U", 1)):
        assert listed(database, NOON, NOON, person, owner) == []
        with database.writing() as connection:
            other = Diary(connection, owner, person)
            assert other.find(entry.id) is None
            assert other.change(entry.id, {"name": "mine"}) is None
            assert other.change(entry.id, {}) is None
            other.remove(entry.id)
    assert listed(database, NOON, NOON) == [entry]


@pytest.mark.parametrize("log_id", ["", "x", "\0", "{}", OURS.upper(), "é" * 36, OURS])
def test_an_id_that_no_entry_has_finds_nothing(database, log_id):
    """Row 251."""
    with database.writing() as connection:
        diary = Diary(connection, 1, "u")
        assert diary.find(log_id) is None
        assert diary.change(log_id, {"name": "x"}) is None
        diary.remove(log_id)


def test_what_is_changed_changes_and_the_rest_stays(database):
    """Row 251."""
    entry = log(database, name="Lunch")
    later = NOON + timedelta(hours=1, microseconds=7)
    steps = (
        ({}, entry),
        ({"name": None}, replace(entry, name=None)),
        ({"eaten_at": later}, replace(entry, name=None, eaten_at=NOON + timedelta(hours=1))),
    )
    for changes, expected in steps:
        with database.writing() as connection:
            assert Diary(connection, 1, "u").change(entry.id, changes) == expected
    with database.writing() as connection:
        diary = Diary(connection, 1, "u")
        two = (replace(RICE, quantity=2.0), RICE)
        assert diary.change(entry.id, {"foods": two}).foods == two
        assert diary.find(entry.id).foods == two


def test_a_registered_person_has_one_diary_under_both_ids(database):
    """Row 418."""
    register(database, "u")
    by_partner, by_ours = log(database, person="u"), log(database, person=OURS)
    for name in ("u", OURS, OURS.upper()):
        assert {each.id for each in listed(database, NOON, NOON, name)} == {
            by_partner.id,
            by_ours.id,
        }
    assert listed(database, NOON, NOON, OURS, owner=2) == []


def test_an_id_that_is_not_registered_stands_for_itself(database):
    """Rows 325, 326."""
    register(database, None, owner=2)
    with database.reading() as connection:
        for given in ("u", OURS, OURS.upper(), OURS.replace("-", ""), f"{{{OURS}}}"):
            assert stored_user_id(connection, 1, given) == given
        assert stored_user_id(connection, 2, OURS.upper()) == OURS
        assert stored_user_id(connection, 2, OURS.replace("-", "")) != OURS


def claimed(database: Database, now: datetime, sha256: bytes = ASKED, person="u", owner=1):
    with database.writing() as connection:
        return claim(connection, owner, person, "key", sha256, now)


def complete(database: Database, held: Claim, answer: bytes) -> None:
    with database.writing() as connection:
        Diary(connection, 1, "u").add((RICE,), NOON, None, NOON)
        held.complete(connection, answer)


def refused(code: str):
    return pytest.raises(Refusal, check=lambda refusal: refusal.code == code)


def test_a_key_answers_what_it_answered_first(database):
    """Row 253."""
    held = claimed(database, NOON)
    with refused("idempotency_key_in_flight"):
        claimed(database, NOON)
    with refused("idempotency_key_reused"):
        claimed(database, NOON, OTHER)
    complete(database, held, b"{}")
    assert claimed(database, NOON + timedelta(hours=23, minutes=59)) == b"{}"
    with refused("idempotency_key_reused"):
        claimed(database, NOON + timedelta(hours=23, minutes=59), OTHER)


def test_a_key_is_forgotten_after_a_day(database):
    """Row 253."""
    complete(database, claimed(database, NOON), b"first")
    next_day = NOON + timedelta(hours=24)
    complete(database, claimed(database, next_day, OTHER), b"second")
    assert claimed(database, next_day, OTHER) == b"second"


def test_a_key_is_one_persons(database):
    """Rows 250, 253."""
    complete(database, claimed(database, NOON), b"{}")
    for person, owner in (("v", 1), ("u", 2)):
        assert isinstance(claimed(database, NOON, OTHER, person, owner), Claim)


def test_a_claim_that_ran_out_is_taken_over_and_its_work_undone(database):
    """Row 253: never two logs of one key."""
    slow = claimed(database, NOON)
    with refused("idempotency_key_in_flight"):
        claimed(database, NOON + timedelta(seconds=29.999))
    second = claimed(database, NOON + timedelta(seconds=30))
    assert isinstance(second, Claim)
    with refused("idempotency_key_in_flight"):
        complete(database, slow, b"slow")
    complete(database, second, b"second")
    with refused("idempotency_key_in_flight"):
        complete(database, slow, b"slow")
    assert claimed(database, NOON + timedelta(minutes=1)) == b"second"
    with database.reading() as connection:
        assert len(connection.execute(select(food_log.c.id)).all()) == 1
        assert connection.execute(select(idempotency.c.answer)).scalar_one() == b"second"


ZONES = (
    "America/New_York",
    "Europe/London",
    "Australia/Lord_Howe",  # half an hour of summer time
    "America/St_Johns",  # clocks were put back at 00:01, to the day before
    "America/Santiago",  # clocks are put forward and back at midnight
    "Pacific/Apia",  # left out 2011-12-30
)
DAYS = (
    (date(2026, 3, 7), 3), (date(2026, 10, 31), 3), (date(2026, 3, 28), 3),
    (date(2026, 10, 24), 3), (date(2026, 4, 3), 4), (date(2026, 9, 4), 4),
    (date(2026, 10, 3), 3), (date(2010, 11, 6), 3), (date(2010, 3, 13), 3),
    (date(2011, 12, 28), 5), (date(2028, 2, 28), 3), (date(2026, 12, 30), 4),
    (date(2026, 1, 31), 2), (date(1, 1, 1), 2), (date(9999, 12, 30), 2),
)  # fmt: skip


def edges(day: date, zone: ZoneInfo) -> Iterator[datetime]:
    """Moments around every half hour of a day in UTC and its neighbours, to the millisecond."""
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    for half_hour in range(-50, 100):
        for ms in (-1, 0, 1, 60_000):
            try:
                yield start + timedelta(minutes=30 * half_hour, milliseconds=ms)
            except OverflowError:
                continue


def on_the_clock(moment: datetime, zone: ZoneInfo) -> date | None:
    try:
        return moment.astimezone(zone).date()
    except OverflowError:
        return None


@pytest.mark.parametrize("zone_name", ZONES)
def test_an_entry_belongs_to_the_day_that_the_clock_showed(zone_name):
    """R13: across changes of clocks, on 29 February, at the ends of months and years."""
    zone = ZoneInfo(zone_name)
    for first, length in DAYS:
        for start in (first + timedelta(days=i) for i in range(length)):
            for end in (first + timedelta(days=i) for i in range(length)):
                if start > end:
                    with pytest.raises(InputError, match="start must not be after end"):
                        Days(start, end, zone)
                    continue
                days = Days(start, end, zone)
                earliest, latest = days.span()
                for moment in edges(first, zone):
                    shown = on_the_clock(moment, zone)
                    if shown is not None:
                        found = earliest <= moment <= latest and moment in days
                        assert found == (start <= shown <= end), (moment, start, end)
