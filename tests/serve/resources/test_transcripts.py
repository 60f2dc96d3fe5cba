"""Transcripts: what is stored of a literature search, and for how long."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from api_client import CHAT, Api, VirtualClock, assert_refused
from literature_folders import starter_library
from sqlalchemy import select
from stored_people import NOW, SetClock, number_of, prepared

from postmeal_serve.resources.retention import INTERVAL_S, TRANSCRIPTS_KEPT, delete_expired, purge
from postmeal_serve.resources.transcripts import Transcripts
from postmeal_serve.runtime.logs import write_pending_lines
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.secure_erase import rewrite
from postmeal_serve.storage.tables import METADATA, audit, transcripts

SEARCH = "/v1.2/literature/search"
CANARY = "canary-of-a-question"
USER = "canary-of-a-user"
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
JUST = timedelta(milliseconds=1)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return starter_library(tmp_path_factory.mktemp("library"))


def stored(api: Api) -> list[dict[str, Any]]:
    with api.service.database.reading() as connection:
        return [dict(row._mapping) for row in connection.execute(select(transcripts))]


def purge_now(api: Api) -> None:
    async def run() -> None:
        await api.service._purge()

    api.client.portal.call(run)


def test_the_query_and_the_complete_answer_are_stored(tmp_path, library):
    """Row 111: with the time and the partner, for every search that succeeds and no other."""
    clock = VirtualClock()
    with Api(tmp_path, clock, literature=library) as api:
        partner = api.partner("asks")
        body = {"query": "fiber and glucose", "limit": 3, "types": ["journal_article"],
                "published_after": "2000-01-01"}  # fmt: skip
        answer = api.client.post(SEARCH, json=body, headers=partner.headers(SEARCH))
        nothing = api.client.post(SEARCH, json={"query": "xyz"}, headers=partner.headers(SEARCH))
        assert_refused(api.post(SEARCH, json={"query": ""}), 400)
        poor = api.partner("poor", monthly_credits=0).headers(SEARCH)
        assert_refused(api.client.post(SEARCH, json=body, headers=poor), 429)
        first, second = stored(api)
    assert json.loads(first["answer"]) == answer.json()
    assert len(answer.json()["passages"]) == 3
    assert json.loads(first["request"]) == {
        **body, "published_before": None, "include_summary": True,
    }  # fmt: skip
    assert json.loads(second["answer"]) == nothing.json()
    for row in (first, second):
        assert (row["kind"], row["organization_id"]) == ("literature", partner.id)
        assert abs(row["created_at"] - clock.now()) < HOUR


def test_an_end_user_and_unknown_fields_are_not_stored(tmp_path, library):
    """Row 110: neither in the transcript nor anywhere else."""
    with Api(tmp_path, literature=library) as api:
        headers = {"Service-End-User-ID": USER, "x-partner-user-id": USER}
        body = {"query": "glucose", "end_user_id": USER, "user": USER, "note": {"who": [USER]}}
        assert api.post(SEARCH, json=body, headers=headers).status_code == 200
        [row] = stored(api)
        assert USER not in repr(row)
        assert not any("user" in name for name in row)
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or USER.encode() not in file.read_bytes(), file


def test_a_conversation_is_stored_with_its_answer_and_without_the_end_user(tmp_path, library):
    """Rows 94, 95: and no refused one."""
    clock = VirtualClock()
    with Api(tmp_path, clock, literature=library) as api:
        messages = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Does fiber lower glucose?"},
        ]
        named = [{**each, "name": USER} for each in messages]
        body = {"model": "service", "messages": named, "user": USER, "metadata": {"id": USER}}
        answer = api.post(CHAT, json=body, headers={"Service-End-User-ID": USER})
        assert answer.status_code == 200
        assert_refused(api.post(CHAT, json=body | {"stream": True}), 400)
        [row] = stored(api)
    assert json.loads(row["request"]) == {"model": "service", "messages": messages}
    assert json.loads(row["answer"]) == answer.json()
    assert row["kind"] == "chat"
    assert abs(row["created_at"] - clock.now()) < HOUR
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or USER.encode() not in file.read_bytes(), file


@pytest.mark.reliability
def test_a_conversation_is_in_the_transcripts_alone_and_gone_after_its_period(
    tmp_path, library, caplog, capfd
):
    """Row 96, S12."""
    caplog.set_level(0)
    clock = VirtualClock()
    with Api(tmp_path, clock, literature=library, log_level="debug") as api:
        for turn in range(10):
            messages = [{"role": "user", "content": f"{CANARY} {turn}: what do 2 eggs do to me?"}]
            body = {"model": "service", "messages": messages}
            assert api.post(CHAT, json=body).status_code == 200
            assert_refused(api.post(CHAT, json=body | {"stream": 1}), 400)
        with api.service.database.reading() as connection:
            holding = {
                table.name
                for table in METADATA.sorted_tables
                if CANARY in repr(connection.execute(select(table)).all())
            }
        assert holding == {"transcripts"}
        clock.advance(TRANSCRIPTS_KEPT.total_seconds() + INTERVAL_S)
        purge_now(api)
        assert stored(api) == []
    write_pending_lines()
    logged = capfd.readouterr()
    assert CANARY not in logged.out + logged.err + caplog.text
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or CANARY.encode() not in file.read_bytes(), file


def test_a_query_is_in_the_transcripts_alone_and_gone_after_its_period(
    tmp_path, library, caplog, capfd
):
    """Rows 96, 111, S12: from all tables and files of the service, 30 days later."""
    caplog.set_level(0)
    clock = VirtualClock()
    with Api(tmp_path, clock, literature=library, log_level="debug") as api:
        for turn in range(20):
            query = f"{CANARY} {turn} glucose"
            assert api.post(SEARCH, json={"query": query, "limit": 5}).status_code == 200
            assert_refused(api.post(SEARCH, json={"query": query, "limit": 0}), 400)
        with api.service.database.reading() as connection:
            holding = {
                table.name
                for table in METADATA.sorted_tables
                if CANARY in repr(connection.execute(select(table)).all())
            }
        assert holding == {"transcripts"}
        clock.advance((TRANSCRIPTS_KEPT - JUST).total_seconds())
        purge_now(api)
        assert len(stored(api)) == 20
        assert api.post(SEARCH, json={"query": "later"}).status_code == 200
        clock.advance(INTERVAL_S)
        purge_now(api)
        assert [json.loads(row["request"])["query"] for row in stored(api)] == ["later"]
    write_pending_lines()
    logged = capfd.readouterr()
    assert CANARY not in logged.out + logged.err + caplog.text
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or CANARY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("days", [1, 30, 365])
def test_the_period_is_a_setting_and_its_end_is_logged(database, days):
    """Row 96: in the audit trail, without what was in the transcripts."""
    with database.writing() as connection:
        row = {"organization_id": 1, "kind": "literature", "request": CANARY, "answer": CANARY}
        for _ in range(2):
            connection.execute(transcripts.insert().values(**row, created_at=NOW))
        kept = days * DAY
        early = purge(connection, NOW + kept - JUST, HOUR, transcripts_kept=kept)
        assert early["transcripts"] == 0
        due = purge(connection, NOW + kept, HOUR, transcripts_kept=kept)
        assert due["transcripts"] == 2
        assert purge(connection, NOW + kept, HOUR, transcripts_kept=kept)["transcripts"] == 0
        trail = connection.execute(select(audit.c.actor, audit.c.action, audit.c.subject)).all()
    assert [tuple(line) for line in trail] == [("job", "purged", "transcripts: 2")]
    assert timedelta(days=Settings().transcript_days) == TRANSCRIPTS_KEPT


def test_no_copy_of_a_purged_query_stays_in_the_file(tmp_path):
    """S12: the file is marked for a rewrite when the last transcript of a day was deleted."""
    database, clock = prepared(f"sqlite:///{tmp_path}/postmeal.sqlite"), SetClock()
    kept, draw = Transcripts(database, clock, 2 * DAY), random.Random(1)
    rewritten = []

    async def run() -> None:
        for number in range(48):
            query = f"{CANARY}-{number:03}-" + "q" * draw.randint(0, 300)
            answer = query.encode() + b"x" * draw.randint(0, 3000)
            await kept.store(1, "literature", {"query": query}, answer)
            clock.forward(hours=6)
            await delete_expired(database, clock, HOUR, transcripts_kept=2 * DAY)
            if rewrite(database):
                rewritten.append(clock.now())

    asyncio.run(run())
    with database.reading() as connection:
        left = {row.request[:40] for row in connection.execute(select(transcripts))}
    found = set(re.findall(rb"canary-of-a-question-\d{3}", _content(tmp_path)))
    assert len(left) == len(found) == 7
    days = {each.date() for each in rewritten}
    assert len(days) == len(rewritten) == 10
    database.close()


def _content(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


def test_a_period_of_0_days_stores_nothing_and_deletes_what_was_stored(database):
    clock = SetClock()

    async def run(retention: timedelta) -> int:
        kept = Transcripts(database, clock, retention)
        await kept.store(1, "literature", {"query": CANARY}, b"{}")
        await delete_expired(database, clock, HOUR, transcripts_kept=retention)
        return await database.read(number_of, transcripts)

    assert asyncio.run(run(DAY)) == 1
    assert asyncio.run(run(timedelta(0))) == 0


def test_a_search_whose_transcript_cannot_be_stored_is_refused_and_free(tmp_path, library):
    """Rows 61, 111: a success is always stored."""
    with Api(tmp_path, literature=library) as api:
        partner = api.partner("asks")
        with api.service.database.writing() as connection:
            connection.exec_driver_sql("DROP TABLE transcripts")
        headers = partner.headers(SEARCH)
        answer = api.client.post(SEARCH, json={"query": "glucose"}, headers=headers)
        assert_refused(answer, 503)
        balance = api.client.get("/v1.2/credits", headers=headers).json()
        assert balance["used_credits"] == 0
