"""Erasure is final: a remembered credential writes nothing for an erased person."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from api_client import OLD_PREDICT, Api, VirtualClock
from client_tokens import bearer, mint, state
from diary_client import NEW, Diarist, with_key
from sqlalchemy import insert, select, text
from stored_people import NOW, add_traces, number_of, prepared

from postmeal_serve.resources import tombstones
from postmeal_serve.resources.diary import Diary
from postmeal_serve.resources.erasure import PERSONAL, erase_user, purge_test_identities
from postmeal_serve.resources.retention import INTERVAL_S, delete_expired, purge
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.tables import audit, food_log, idempotency, tombstone

HOUR = timedelta(hours=1)
PEPPER = b"a secret of this installation"
MINUTE = timedelta(seconds=60)
USER = "u-1"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


class Company:
    """Processes of the service on one database, and a partner whose keys they all know."""

    def __init__(self, stack: ExitStack, folder: Path, url: str, processes: int) -> None:
        self.clock = VirtualClock()
        self.processes = [
            stack.enter_context(Api(folder / str(number), self.clock, database=url))
            for number in range(processes)
        ]
        self.one, self.other = self.processes[0], self.processes[-1]
        self.partner = self.one.partner("partner")

    def phone(self, api: Api, token: str) -> Diarist:
        return Diarist(api.client, NEW, bearer(token))

    def meal(self, name: str = "Breakfast") -> dict:
        return {"foods": self.one.body()["foods"], "name": name}

    def erase(self, api: Api, user: str = USER) -> None:
        headers = self.partner.headers(OLD_PREDICT) | {"x-partner-user-id": user}
        assert api.client.delete("/v1.1/user", headers=headers).json() == {"status": "deleted"}

    def register(self, api: Api) -> str:
        headers = self.partner.headers(OLD_PREDICT) | {"x-partner-user-id": USER}
        profile = {"age": 45, "gender": "female", "height": 66, "weight": 150}
        answer = api.client.post("/v1.1/user", json={"profile": profile}, headers=headers)
        assert answer.status_code == 200, answer.text
        user_id: str = answer.json()["user_id"]
        return user_id

    def run_the_job(self) -> None:
        service = self.other.service
        asyncio.run(delete_expired(service.database, self.clock, HOUR, service.settings.pepper))

    def rows(self) -> int:
        """How many rows name a person."""
        with self.one.service.database.reading() as connection:
            tables = {column.table for column in PERSONAL}
            return sum(number_of(connection, table) for table in tables)


@pytest.fixture(params=[1, 2])
def company(request: pytest.FixtureRequest, tmp_path: Path, database_url: str) -> Iterator[Company]:
    with ExitStack() as stack:
        yield Company(stack, tmp_path, database_url, request.param)


def assert_unknown(answer) -> None:
    """Row 34: as a token that never was, with the challenge of RFC 6750."""
    assert (answer.status_code, answer.json()["code"]) == (401, "token_invalid")
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


def test_the_token_of_an_erased_user_writes_nothing_anywhere(company):
    """Rows 34, 451: in the process that erased, and in one that still remembers the token."""
    token = mint(company.one, company.partner, USER)
    logs = [company.phone(each, token).log(company.meal()).json() for each in company.processes]
    company.erase(company.one)
    for each, log in zip(company.processes, logs, strict=True):
        phone = company.phone(each, token)
        assert_unknown(phone.log(company.meal()))
        assert_unknown(phone.log(company.meal(), **{"Idempotency-Key": "k"}))
        assert_unknown(phone.change(log["id"], {"name": "Lunch"}))
    assert company.rows() == 0


def test_a_token_that_another_process_remembers_changes_nothing_that_is_new(company):
    """Row 451: not even once the partner has begun again with the same id."""
    token = mint(company.one, company.partner, USER)
    assert company.phone(company.other, token).logs() == []  # which now remembers it
    company.clock.advance(1)
    company.erase(company.one)
    mine = with_key(company.one, USER, NEW, company.partner)
    log = mine.log(company.meal()).json()
    company.clock.advance(1)
    assert_unknown(company.phone(company.other, token).change(log["id"], {"name": "Lunch"}))
    assert_unknown(company.phone(company.other, token).log(company.meal()))
    assert [each["name"] for each in mine.logs()] == ["Breakfast"]


def test_in_the_process_that_erases_a_token_is_forgotten_at_once(company):
    """Rows 34, 451: for reading, too, and under whichever id the user was erased."""
    user_id = company.register(company.one)
    for erased in (user_id, USER):
        token = mint(company.one, company.partner, USER)
        assert state(company.one, token) == "active"
        company.erase(company.one, erased)
        assert state(company.one, token) == "token_invalid"


def test_who_is_registered_again_after_an_erasure_is_kept(company):
    """Rows 446, 451: a new user of the same id, with logs and tokens; the sweep leaves them."""
    mint(company.one, company.partner, USER)
    company.erase(company.one)
    user_id = company.register(company.other)
    token = mint(company.other, company.partner, USER)
    for api in company.processes:
        assert company.phone(api, token).log(company.meal()).status_code == 201
        keyed = with_key(api, user_id, NEW, company.partner)
        assert keyed.log(company.meal(), **{"Idempotency-Key": api.settings.state_dir.name})
    before = company.rows()
    company.clock.advance(61)
    company.run_the_job()
    assert company.rows() == before
    assert len(with_key(company.one, USER, NEW, company.partner).logs()) == 2 * len(
        company.processes
    )


def test_what_slipped_in_is_swept_when_the_tombstone_falls(company):
    """Rows 331, 451: as a process of an earlier release would write it."""
    mint(company.one, company.partner, USER)
    company.erase(company.one)
    with company.one.service.database.writing() as connection:
        mine = {"organization_id": company.partner.id, "end_user_id": USER}
        moments = {"created_at": company.clock.now(), "eaten_at": company.clock.now()}
        for name in (USER, "u-2"):
            log = {"id": name, "foods": "[]", **moments}
            connection.execute(insert(food_log).values(mine | log | {"end_user_id": name}))
        answer = {"key": "k", "request_sha256": b"", "claimed_until": company.clock.now()}
        created = {"created_at": company.clock.now()}
        connection.execute(insert(idempotency).values(**mine, **answer, **created))
    company.clock.advance(59)
    company.run_the_job()
    assert company.rows() == 3
    company.clock.advance(1)
    company.run_the_job()
    with company.one.service.database.reading() as connection:
        assert connection.execute(select(food_log.c.end_user_id)).scalars().all() == ["u-2"]
        assert number_of(connection, idempotency) == number_of(connection, tombstone) == 0
        last = select(audit.c.subject).order_by(audit.c.id.desc()).limit(1)
        assert connection.execute(last).scalar_one() == "rows of erased users: 2"


def test_a_tombstone_stands_for_a_minute_and_names_no_one(database):
    """S13: longer than any process remembers a credential, and gone with the next run."""
    with database.writing() as connection:
        for pepper in (b"", PEPPER):
            add_traces(connection, 1, USER)
            erase_user(connection, 1, USER, NOW, "key 5", pepper)
        add_traces(connection, 1, "test-1")
        purge_test_identities(connection, 1, NOW)
        stored = connection.execute(select(tombstone.c.person)).scalars().all()
        assert len(set(stored)) == 3  # the key of the hash makes it another
        assert not any(USER in each or "test" in each for each in stored)
        just = timedelta(milliseconds=1)
        assert purge(connection, NOW + MINUTE - just, HOUR)["tombstone"] == 0
        assert purge(connection, NOW + MINUTE, HOUR)["tombstone"] == 3


def test_an_erasure_waits_for_a_write_that_came_first(database):
    """Row 451: concurrent writes of an API key or a token are erased."""
    with database.writing() as connection:
        add_traces(connection, 1, USER)

    def erase() -> None:
        with database.writing() as connection:
            erase_user(connection, 1, USER, NOW, "key 5", PEPPER)

    with ThreadPoolExecutor() as threads:
        with database.writing() as connection:
            minted = {"token_issued_at": NOW, "pepper": PEPPER}
            tombstones.allow_writing(connection, 1, USER, NOW, **minted)
            erased = threads.submit(erase)
            wait([erased], timeout=0.5)
            add_traces(connection, 1, USER, "written meanwhile")
        erased.result()
    with database.writing() as connection:
        assert [number_of(connection, column.table) for column in PERSONAL] == [0] * len(PERSONAL)
        with pytest.raises(tombstones.Erased):
            tombstones.allow_writing(connection, 1, USER, NOW, **minted)
        tombstones.allow_writing(connection, 2, USER, NOW, **minted)  # another partner's
        tombstones.allow_writing(connection, 1, "u-2", NOW, **minted)


def test_a_write_that_comes_later_waits_for_the_erasure(database):
    """Row 451: and is refused."""
    with database.writing() as connection:
        add_traces(connection, 1, USER)

    def write() -> None:
        with database.writing() as connection:
            tombstones.allow_writing(connection, 1, USER, NOW, token_issued_at=NOW)
            add_traces(connection, 1, USER)

    with ThreadPoolExecutor() as threads:
        with database.writing() as connection:
            erase_user(connection, 1, USER, NOW, "key 5")
            written = threads.submit(write)
            wait([written], timeout=0.5)
        with pytest.raises(tombstones.Erased):
            written.result()


def test_the_job_runs_often_enough_for_the_sweep():
    """S13: within a minute after the tombstone's time."""
    assert timedelta(seconds=INTERVAL_S) <= MINUTE


def test_a_deleted_log_takes_its_stored_answer_along(company):
    """Rows 253, 415: its key brings back neither the content nor the log."""
    me, key = with_key(company.one, USER, NEW, company.partner), {"Idempotency-Key": "k"}
    canary = "canary breakfast"
    log = me.log(company.meal(canary), **key).json()
    kept = me.log(company.meal("other"), **{"Idempotency-Key": "k-2"})
    assert me.delete(log["id"]).status_code == 204
    with company.one.service.database.reading() as connection:
        stored = connection.execute(select(idempotency.c.answer)).scalars().all()
    assert not any(canary.encode() in answer for answer in stored)
    other = with_key(company.other, USER, NEW, company.partner)
    again = other.log(company.meal(canary), **key)
    assert (again.status_code, again.json()["code"]) == (404, "not_found")
    assert canary not in again.text
    assert other.log(company.meal("other"), **{"Idempotency-Key": "k-2"}).content == kept.content
    assert [each["name"] for each in other.logs()] == ["other"]
    assert other.log(company.meal("Lunch"), **key).status_code == 422  # as for any used key
    company.clock.advance(HOUR.total_seconds() * 24)
    assert other.log(company.meal(canary), **key).status_code == 201


def test_answers_that_were_stored_before_go_with_their_logs(empty_database_url):
    """Row 253: a migration stores the log of each answer."""
    database = Database(empty_database_url)
    migrate(database, "0004")
    with database.writing() as connection:
        row = {"id": 1, "name": "one", "plan": "free", "agreement": "{}", "may_mint": True}
        names = ", ".join(f":{name}" for name in row)
        connection.execute(
            text(f"INSERT INTO organization ({', '.join(row)}, created_at) VALUES ({names}, :at)"),
            row | {"at": "2026-01-01 00:00:00"},
        )
        this = {"owner": 1, "person": USER, "sha": b"", "at": "2026-01-01 00:00:00"}
        log_id = "0b36ddb1-6a52-43a5-b6ba-5be3e4ed3d1a"
        answers = {"k": b'{"id":"%s","name":"canary"}' % log_id.encode(), "in flight": None}
        for key, answer in answers.items():
            connection.execute(
                text(
                    "INSERT INTO idempotency (organization_id, end_user_id, key, request_sha256,"
                    " created_at, claimed_until, answer)"
                    " VALUES (:owner, :person, :key, :sha, :at, :at, :answer)"
                ),
                this | {"key": key, "answer": answer},
            )
    migrate(database)
    with database.writing() as connection:
        Diary(connection, 1, USER).remove(log_id)
        stored = dict(connection.execute(select(idempotency.c.key, idempotency.c.answer)).all())
    assert stored == {"k": b"", "in flight": None}
    database.close()


def test_a_token_minted_before_a_new_beginning_stays_refused(database):
    """Row 451: the tombstone counts from the partner's new beginning, whichever clock is ahead."""
    with database.writing() as connection:
        add_traces(connection, 1, USER)
        erase_user(connection, 1, USER, NOW + timedelta(seconds=5), "key 5")
        tombstones.allow_writing(
            connection, 1, USER, NOW + timedelta(seconds=3), token_issued_at=None
        )
        for issued_at, allowed in ((NOW, False), (NOW + timedelta(seconds=4), True)):
            try:
                tombstones.allow_writing(connection, 1, USER, NOW, token_issued_at=issued_at)
            except tombstones.Erased:
                assert not allowed
            else:
                assert allowed
