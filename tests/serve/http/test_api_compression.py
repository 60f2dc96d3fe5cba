"""Answers in gzip, for callers who accept it."""

import gzip
import threading
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from api_client import Api
from diary_client import NEW, OLD, with_key

from postmeal_serve.http import compression
from postmeal_serve.resources import diary as diary_module
from postmeal_serve.resources.diary import Diary
from postmeal_serve.resources.logged_food import LoggedFood

SEARCH = "/v1.2/foods?query=oat&limit=50"
OLD_SEARCH = "/v1.1/search/foods?query=oat"
FOOD = "/v1.2/foods/2159"
MINT = "/v1.2/auth/client-tokens"
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
RICE = LoggedFood(1, "Rice", None, None, 66.0, 29.7, {"carbs_g": 45.0}, 2, 1.0, "cup", 158.0, 1.0)


def get(api: Api, path: str, accepted: str | None, **headers: str):
    """Ask with an Accept-Encoding, or with none; the content is as it was sent."""
    asked = api.client.build_request("GET", path, headers=api.headers(path) | headers)
    del asked.headers["accept-encoding"]
    if accepted is not None:
        asked.headers["accept-encoding"] = accepted
    return raw(api.client.send(asked, stream=True))


def raw(answer):
    answer.sent = b"".join(answer.iter_raw())
    return answer


@pytest.mark.parametrize("path", [SEARCH, OLD_SEARCH, "/web/docs.js", "/openapi.json"])
def test_a_large_answer_is_compressed_for_who_accepts_it(api, path):
    plain, zipped = get(api, path, None), get(api, path, "gzip")
    assert plain.status_code == zipped.status_code == 200
    assert "content-encoding" not in plain.headers
    assert zipped.headers["content-encoding"] == "gzip"
    assert gzip.decompress(zipped.sent) == plain.sent
    assert zipped.headers["content-length"] == str(len(zipped.sent))
    assert len(zipped.sent) < len(plain.sent) / 2
    other = {"content-encoding", "content-length", "x-request-id"}
    limits = {"ratelimit", "ratelimit-policy"}
    assert set(plain.headers) - other - limits == set(zipped.headers) - other - limits
    for answer in (plain, zipped):
        assert answer.headers["vary"].lower() == "accept-encoding"


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("br, gzip;q=0.5", True),
        ("gzip; q=0.001", True),
        ("x-gzip", True),
        ("*", True),
        ("identity;q=0.5, *;q=1", True),
        ("deflate, br, zstd", False),
        ("identity", False),
        ("", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000, *", False),
        ("*;q=0", False),
        ("identity, gzip;q=0.5", False),
        ("gzipped", False),
        ("gzip;q=nonsense", False),
    ],
)
def test_a_caller_says_which_encoding_it_accepts(api, accepted, compressed):
    answer = get(api, SEARCH, accepted)
    assert (answer.headers.get("content-encoding") == "gzip") == compressed
    assert answer.headers["vary"].lower() == "accept-encoding"


def test_an_answer_of_less_than_1_kb_is_not_compressed(api):
    answer = get(api, "/v1.2/credits", "gzip")
    assert answer.status_code == 200
    assert 0 < len(answer.sent) < 1024
    assert "content-encoding" not in answer.headers
    assert answer.headers["vary"] == "accept-encoding"


@pytest.mark.parametrize("path", [FOOD, "/v1.2/foods/1848"])
def test_an_etag_is_strong_for_the_plain_answer_and_weak_for_who_accepts_gzip(api, path):
    """Row 214."""
    plain, zipped = get(api, path, None), get(api, path, "gzip")
    strong, weak = plain.headers["etag"], zipped.headers["etag"]
    assert strong.startswith('"')
    assert weak == f"W/{strong}"
    for accepted, tag in ((None, strong), ("gzip", weak)):
        for held in (strong, weak, f'"other", {weak}', "*"):
            answer = get(api, path, accepted, **{"If-None-Match": held})
            assert answer.status_code == 304
            assert answer.sent == b""
            assert answer.headers["etag"] == tag
            assert answer.headers["vary"] == "accept-encoding"
            assert "content-encoding" not in answer.headers
        answer = get(api, path, accepted, **{"If-None-Match": '"other"'})
        assert answer.status_code == 200
        assert answer.headers["etag"] == tag


@pytest.mark.parametrize("path", [OLD, NEW])
def test_a_streamed_list_is_compressed_piece_by_piece(api, monkeypatch, path):
    name = uuid.uuid4().hex
    with api.service.database.writing() as connection:
        diary = Diary(connection, 1, name)
        for minute in range(60):
            diary.add([RICE] * 10, NOON + timedelta(minutes=minute), None, NOON)
    me = with_key(api, name, path)
    named = {each: value for each, value in me.headers.items() if each != "Authorization"}
    asked = f"{path}?start=2026-01-05&end=2026-01-05"
    plain = get(api, asked, None, **named)
    monkeypatch.setattr(diary_module, "PAGE_CHARACTERS", 4000)
    zipped = get(api, asked, "gzip", **named)
    assert zipped.headers["content-encoding"] == "gzip"
    assert "content-length" not in zipped.headers
    assert gzip.decompress(zipped.sent) == plain.sent
    assert len(zipped.sent) < len(plain.sent) / 4


def test_an_answer_that_holds_a_token_is_never_compressed(api, monkeypatch):
    monkeypatch.setattr(compression, "_SMALLEST", 1)
    assert get(api, "/docs", "gzip").headers["content-encoding"] == "gzip"
    headers = api.headers(MINT) | {"Accept-Encoding": "gzip"}
    answer = api.client.post(MINT, json={"end_user_id": "me" * 30}, headers=headers)
    assert answer.status_code == 201
    assert "content-encoding" not in answer.headers
    assert answer.headers["content-length"] == str(len(answer.content))


def test_an_answer_to_head_is_not_compressed(api):
    asked = {"Accept-Encoding": "gzip"}
    answer = api.client.head("/web/docs.js", headers=asked)
    assert "content-encoding" not in answer.headers
    assert int(answer.headers["content-length"]) > 1024


def test_a_large_body_is_compressed_on_a_thread(api, monkeypatch):
    threads = []
    run = compression.GZipResponder._compress_body

    def noted(self, body, more_body):
        threads.append((len(body), threading.current_thread().name))
        return run(self, body, more_body)

    monkeypatch.setattr(compression.GZipResponder, "_compress_body", noted)
    get(api, "/openapi.json", "gzip")
    get(api, SEARCH.replace("50", "5"), "gzip")
    (large, its_thread), (small, other_thread) = threads
    assert large > 32 * 1024 > small
    assert its_thread != other_thread
