"""Lists of food logs that are long: streamed in both versions, paged in version 1.2."""

import asyncio
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from api_client import Api, assert_refused
from diary_client import NEW, OLD, Diarist, with_key, with_token

from postmeal_serve.resources import diary as diary_module
from postmeal_serve.resources.diary import Diary
from postmeal_serve.resources.logged_food import LoggedFood

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
DAY = "2026-01-05"
RICE = LoggedFood(1, "Rice", None, None, 66.0, 29.7, {"carbs_g": 45.0}, 2, 1.0, "cup", 158.0, 1.0)


@pytest.fixture
def either(database_url: str, tmp_path) -> Iterator[Api]:
    """The service on either database."""
    with Api(tmp_path, database=database_url) as either:
        yield either


def add(api: Api, me: Diarist, minutes: Any, partner_id: int = 1) -> list[str]:
    with api.service.database.writing() as connection:
        diary = Diary(connection, partner_id, user(me))
        return [
            diary.add([RICE], NOON + timedelta(minutes=minute), "Lunch", NOON).id
            for minute in minutes
        ]


def user(me: Diarist) -> str:
    return str(me.headers.get("Service-End-User-ID", b"").decode())


@pytest.fixture
def me(api: Api) -> Diarist:
    return with_key(api, uuid.uuid4().hex)


@pytest.fixture
def small_pages(monkeypatch) -> None:
    monkeypatch.setattr(diary_module, "PAGE_CHARACTERS", 1000)


def ids(answer) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [log["id"] for log in answer.json()["items"]]


@pytest.mark.parametrize("path", [OLD, NEW])
def test_a_long_list_is_streamed_and_has_the_same_bytes(either, monkeypatch, path):
    """Rows 247, 412."""
    name = uuid.uuid4().hex
    add(either, with_key(either, name), range(40))
    me = with_key(either, name, path)
    me.headers["Accept-Encoding"] = "identity"
    whole = me.list(DAY, DAY)
    assert whole.headers["content-length"] == str(len(whole.content))
    for size in (1, 1000, 5000):
        monkeypatch.setattr(diary_module, "PAGE_CHARACTERS", size)
        streamed = me.list(DAY, DAY)
        assert streamed.status_code == 200
        assert "content-length" not in streamed.headers
        assert streamed.content == whole.content
        assert streamed.headers["content-type"] == whole.headers["content-type"]
        assert set(streamed.headers) == set(whole.headers) - {"content-length"}
    assert len(me.logs(DAY, DAY)) == 40


@pytest.mark.parametrize("path", [OLD, NEW])
def test_a_list_of_nothing_is_one_body(api, small_pages, path):
    """Rows 247, 414."""
    answer = with_key(api, uuid.uuid4().hex, path).list(DAY, DAY)
    assert answer.content == {OLD: b"[]", NEW: b'{"items":[]}'}[path]
    assert "content-length" in answer.headers


def test_pages_joined_are_the_whole_list(either, monkeypatch):
    me = with_key(either, "me")
    add(either, me, [minute // 3 for minute in range(40)])
    whole = ids(me.list(DAY, DAY))
    assert len(whole) == 40
    for limit, size in product((1, 6, 13, 40, 1000), (1000, 10**6)):
        monkeypatch.setattr(diary_module, "PAGE_CHARACTERS", size)
        found: list[str] = []
        query = {"limit": str(limit)}
        while True:
            answer = me.list(DAY, DAY, **query)
            found += ids(answer)
            if "next_cursor" not in answer.json():
                break
            assert len(ids(answer)) == limit
            query["cursor"] = answer.json()["next_cursor"]
        assert found == whole
        assert 0 < len(ids(answer)) <= limit


def test_pages_keep_to_the_days_where_a_day_came_twice(api, me, small_pages):
    """St. John's put its clocks back at 00:01, so 7 November began twice."""
    start = datetime(2010, 11, 7, 2, 0, tzinfo=UTC)
    with api.service.database.writing() as connection:
        diary = Diary(connection, 1, user(me))
        for minute in range(0, 120, 3):
            diary.add([RICE], start + timedelta(minutes=minute), None, NOON)
    for day in ("2010-11-06", "2010-11-07"):
        zone = {"timezone": "America/St_Johns"}
        whole, found, query = ids(me.list(day, day, **zone)), [], {**zone, "limit": "4"}
        while query:
            answer = me.list(day, day, **query)
            found += ids(answer)
            cursor = answer.json().get("next_cursor")
            query = query | {"cursor": cursor} if cursor else {}
        assert found == whole
        assert whole


def test_a_cursor_without_limit_continues_to_the_end(api, me, small_pages):
    expected = add(api, me, range(20))
    cursor = me.list(DAY, DAY, limit="5").json()["next_cursor"]
    rest = me.list(DAY, DAY, cursor=cursor)
    assert ids(rest) == expected[5:]
    assert set(rest.json()) == {"items"}


def test_without_limit_there_is_never_a_cursor(api, me):
    add(api, me, range(3))
    assert set(me.list(DAY, DAY).json()) == {"items"}
    assert set(me.list(DAY, DAY, limit="3").json()) == {"items"}
    assert set(me.list(DAY, DAY, limit="2").json()) == {"items", "next_cursor"}


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "1.5", "", "ten", "9" * 5000])
def test_a_limit_is_a_whole_number_from_1_to_1000(me, limit):
    assert_refused(me.list(DAY, DAY, limit=limit), 400, "limit", "1 to 1000")


def test_a_cursor_is_one_that_was_issued_for_the_same_list(api, me):
    add(api, me, range(3))
    cursor = me.list(DAY, DAY, limit="1").json()["next_cursor"]
    strange = (
        "",
        "x",
        "A" * 44,
        "é" * 44,
        cursor + "A",
        cursor[:-1],
        cursor[:-1] + "=",
        "A" * 4000,
    )
    for bad in (*strange, cursor.swapcase()):
        assert_refused(me.list(DAY, DAY, cursor=bad), 400, "cursor", "next_cursor")
    assert me.list(DAY, DAY, cursor=cursor).status_code == 200
    assert me.list(DAY, DAY, cursor=cursor, timezone="UTC").status_code == 200
    other = with_key(api, uuid.uuid4().hex)
    for answer in (
        other.list(DAY, DAY, cursor=cursor),
        me.list("2026-01-04", DAY, cursor=cursor),
        me.list(DAY, "2026-01-06", cursor=cursor),
        me.list(DAY, DAY, cursor=cursor, timezone="Europe/London"),
    ):
        assert_refused(answer, 400, "cursor", "same user, dates and time zone")


def test_a_client_token_pages_through_its_own_diary(api):
    partner = api.partner("pages")
    me = with_token(api, "me", partner)
    add(api, with_key(api, "me"), range(5), partner.id)
    first = me.list(DAY, DAY, limit="3")
    second = me.list(DAY, DAY, limit="3", cursor=first.json()["next_cursor"])
    assert len(ids(first) + ids(second)) == 5


def test_names_that_are_nearly_limit_or_cursor_are_refused(me):
    assert_refused(me.list(DAY, DAY, limt="3"), 400, "limit")
    assert_refused(me.list(DAY, DAY, Cursor="3"), 400, "cursor")


def test_version_1_1_has_no_pages(api):
    """Row 412."""
    name = uuid.uuid4().hex
    expected = add(api, with_key(api, name), range(3))
    answer = with_key(api, name, OLD).list(DAY, DAY, limit="1", cursor="x")
    assert [log["id"] for log in answer.json()] == expected


@pytest.mark.parametrize("path", [OLD, NEW])
def test_an_error_before_the_first_piece_has_its_status(api, small_pages, monkeypatch, path):
    def fail(*args: object) -> None:
        raise RuntimeError

    me = with_key(api, uuid.uuid4().hex, path)
    monkeypatch.setattr(Diary, "page", fail)
    assert_refused(me.list(DAY, DAY), 500)


@pytest.mark.parametrize("path", [OLD, NEW])
def test_an_error_between_pieces_leaves_the_body_without_an_end(
    api, small_pages, monkeypatch, path
):
    name = uuid.uuid4().hex
    add(api, with_key(api, name), range(40))
    me = with_key(api, name, path)
    page, numbers = Diary.page, iter(range(3))

    def fail_at_the_third(*args: Any) -> Any:
        if next(numbers) == 2:
            raise RuntimeError
        return page(*args)

    monkeypatch.setattr(Diary, "page", fail_at_the_third)
    messages, error = messages_of(api, me)
    assert isinstance(error, RuntimeError)
    assert [each["type"] for each in messages] == ["http.response.start"] + 2 * [
        "http.response.body"
    ]
    assert all(each["more_body"] for each in messages[1:])


def test_no_page_is_read_before_the_caller_takes_the_last_but_one(api, small_pages, monkeypatch):
    name = uuid.uuid4().hex
    add(api, with_key(api, name), range(40))
    page, read, most = Diary.page, [], []

    def counted(*args: Any) -> Any:
        read.append(1)
        return page(*args)

    monkeypatch.setattr(Diary, "page", counted)
    messages, error = messages_of(
        api, with_key(api, name), lambda sent: most.append(len(read) - len(sent))
    )
    assert error is None
    assert len(read) > 5
    assert max(most) <= 1
    assert messages[-1]["more_body"] is False


def messages_of(api: Api, me: Diarist, taken: Any = None) -> tuple[list[Any], Exception | None]:
    """What the application sends for a list, and the error in which it ends."""
    messages: list[dict[str, Any]] = []
    request = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not request:
            await asyncio.sleep(3600)
        return request.pop()

    async def send(message: dict[str, Any]) -> None:
        await asyncio.sleep(0.01)
        messages.append(message)
        if taken is not None and message["type"] == "http.response.body":
            taken([each for each in messages if each["type"] == "http.response.body"])

    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": me.path,
        "root_path": "", "query_string": f"start={DAY}&end={DAY}".encode(),
        "headers": [
            (each.lower().encode(), value if isinstance(value, bytes) else value.encode())
            for each, value in me.headers.items()
        ],
        "client": ("127.0.0.1", 1), "state": {**api.client.app_state},
    }  # fmt: skip
    try:
        asyncio.run(api.app(scope, receive, send))
    except Exception as error:
        return messages, error
    return messages, None
