"""Twenty people in two organizations, and what each of them can do to the logs of all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_client import Api, Partner
from diarist import NEW, OLD, Diarist, with_key, with_token

pytestmark = pytest.mark.reliability

USERS = tuple(f"user {n}" for n in range(10))


@pytest.fixture
def fresh_api(tmp_path) -> Iterator[Api]:
    with Api(tmp_path) as api:
        yield api


class Person:
    """One user of one partner, by every credential, and the ids of their logs."""

    def __init__(self, api: Api, partner: Partner, user: str) -> None:
        self.old = with_key(api, user, OLD, partner)
        self.new = [with_key(api, user, NEW, partner), with_token(api, user, partner)]
        self.ids: list[str] = []

    def everything(self) -> list[dict[str, object]]:
        by_key, by_token = (who.logs() for who in self.new)
        assert by_key == by_token
        assert [log["id"] for log in self.old.logs()] == [log["id"] for log in by_key]
        return by_key


@pytest.mark.parametrize("logs_each", [3, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.timeout(7200)
def test_nobody_reads_or_changes_what_is_anothers(fresh_api, logs_each):
    """S1: every credential tries every id on every verb; 0 foreign reads, changes or deletes."""
    people = [
        Person(fresh_api, fresh_api.partner(name), user)
        for name in ("one", "two")
        for user in USERS
    ]
    for person in people:
        for number in range(logs_each):
            who: Diarist = (person.old, *person.new)[number % 3]
            body = fresh_api.old_body() if who is person.old else fresh_api.body()
            person.ids.append(who.log({"foods": body["foods"], "name": "mine"}).json()["id"])
    before = [person.everything() for person in people]
    assert [{log["id"] for log in logs} for logs in before] == [set(each.ids) for each in people]
    foreign = 0
    for person in people:
        for other in people:
            if other is not person:
                foreign += sum(reaches(person, log_id) for log_id in other.ids)
    assert foreign == 0
    assert [person.everything() for person in people] == before
    for person in people:
        for log_id in person.ids:
            assert person.new[0].read(log_id).status_code == 200
            assert person.new[1].delete(log_id).status_code == 204
            assert person.new[0].read(log_id).status_code == 404
    assert all(person.everything() == [] for person in people)


def reaches(person: Person, log_id: str) -> int:
    """How many of the verbs tell of the log, or answer otherwise than for an unknown id."""
    statuses = [
        [who.read(log_id).status_code, who.change(log_id, {"name": "stolen"}).status_code,
         who.delete(log_id).status_code]
        for who in person.new
    ]  # fmt: skip
    old = person.old.delete(log_id)
    told = sum(each != [404, 404, 204] for each in statuses)
    return told + ((old.status_code, old.json()) != (200, {"status": "deleted"}))
