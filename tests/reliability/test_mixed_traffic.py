"""R18: hours of mixed traffic leave memory and file handles as they were."""

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from api_client import OLD_PREDICT, PREDICT, ZONE
from client_tokens import MINT, REVOKE
from real_server import RealServer

pytestmark = pytest.mark.reliability

PACE = 40  # calls a second
LATE_HANDLES = 24  # eight SQLite connections of three files each, opened when first needed
USERS = 50
WORDS = ("rice", "oat milk", "chicken soup", "banana", "bread with butter", "apple pie", "sushi")
MEALS = ("2 eggs and toast", "a bowl of rice with beans", "1 cup of coffee with milk")


@pytest.fixture
def server(tmp_path):
    settings = {"log_level": "warning", "workers": 2, "client_tokens": True}
    with RealServer(tmp_path, **settings) as server:
        yield server


def rss_mib(server: RealServer) -> float:
    """Resident memory of all processes."""
    total_kib = 0
    for pid in (server.process.pid, *server.worker_pids()):
        status = Path(f"/proc/{pid}/status").read_text()
        total_kib += int(status.partition("VmRSS:")[2].split()[0])
    return total_kib / 1024


def handles(server: RealServer) -> int:
    """Open files of the workers."""
    return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in server.worker_pids())


class Traffic:
    """Calls of all kinds, drawn by chance; a diary is emptied about as often as it is filled."""

    def __init__(self, server: RealServer, seed: int) -> None:
        self.server, self.chance = server, random.Random(seed)
        self.statuses: Counter[int] = Counter()
        self.logs: list[tuple[str, str]] = []

    def run(self, seconds: float) -> None:
        calls = (
            [self.search] * 6 + [self.predict] * 5 + [self.predict_old] * 2 + [self.write] * 3
            + [self.delete] * 3 + [self.read] * 3 + [self.text] * 2 + [self.mint, self.wrong]
        )  # fmt: skip
        began = time.monotonic()
        number = 0
        while (passed_s := time.monotonic() - began) < seconds:
            time.sleep(max(0.0, number / PACE - passed_s))
            self.chance.choice(calls)()
            number += 1

    def call(self, method: str, path: str, *expected: int, **options):
        version = path[1:5]
        headers = self.server.headers(version) | options.pop("headers", {})
        answer = self.server.client.request(method, path, headers=headers, **options)
        self.statuses[answer.status_code] += 1
        assert answer.status_code in expected, answer.text
        return answer

    def user(self) -> dict[str, str]:
        return {"Service-End-User-ID": f"user-{self.chance.randrange(USERS)}"}

    def search(self) -> None:
        self.call("GET", f"/v1.2/foods?query={self.chance.choice(WORDS)}", 200)

    def predict(self) -> None:
        self.call("POST", PREDICT, 200, json=self.server.body)

    def predict_old(self) -> None:
        self.call("POST", OLD_PREDICT, 200, json=self.server.old_body, headers=ZONE)

    def write(self) -> None:
        user, body = self.user(), {"foods": self.server.body["foods"], "name": "Lunch"}
        made = self.call("POST", "/v1.2/food-logs", 201, json=body, headers=user)
        self.logs.append((user["Service-End-User-ID"], made.json()["id"]))

    def delete(self) -> None:
        if self.logs:
            person, log = self.logs.pop(self.chance.randrange(len(self.logs)))
            user = {"Service-End-User-ID": person}
            self.call("DELETE", f"/v1.2/food-logs/{log}", 204, headers=user)

    def read(self) -> None:
        today = time.strftime("%Y-%m-%d", time.gmtime())
        path = f"/v1.2/food-logs?start={today}&end={today}"
        self.call("GET", path, 200, headers=self.user())

    def text(self) -> None:
        path = f"/v1.1/search/foods/nlp?query={self.chance.choice(MEALS)}"
        self.call("GET", path, 200, headers=ZONE)

    def mint(self) -> None:
        whose = {"end_user_id": self.user()["Service-End-User-ID"]}
        self.call("POST", MINT, 201, json=whose)
        self.call("POST", REVOKE, 200, json=whose)

    def wrong(self) -> None:
        self.call("POST", PREDICT, 400, json={"foods": []})
        self.call("GET", "/v1.2/foods/999999999", 404)


@pytest.mark.parametrize("seconds", [60, pytest.param(3600, marks=pytest.mark.soak)])
def test_memory_and_file_handles_stay_as_they_are(server, seconds):
    """Less than 5 % more memory after the warm-up, file handles flat, no 5xx."""
    traffic = Traffic(server, seed=seconds)
    traffic.run(max(30, seconds / 10))
    before_mib, before_handles = rss_mib(server), handles(server)
    traffic.run(seconds)
    after_mib, after_handles = rss_mib(server), handles(server)
    print(
        f"{sum(traffic.statuses.values()):,} calls {dict(traffic.statuses)}; memory"
        f" {before_mib:.0f} to {after_mib:.0f} MiB, file handles {before_handles} to"
        f" {after_handles}"
    )
    assert after_mib < 1.05 * before_mib
    assert after_handles <= before_handles + LATE_HANDLES
