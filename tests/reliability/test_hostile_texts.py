"""Texts at full length, random and crafted, delay neither their sender nor the neighbors."""

import json
import random
import re
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from api_client import PREDICT, ZONE
from real_server import RealServer

from benchmarks.steady import steady_load
from postmeal.chat.history import MAX_MESSAGES, MAX_QUESTION_LETTERS
from postmeal.literature.search import MAX_QUERY_LETTERS
from postmeal.scans.corrections.correction import LONGEST_CORRECTION
from postmeal_serve.resources.meal_text import LONGEST_MEAL_TEXT
from postmeal_serve.v1_1.nutrients import DETECTION_KEYS

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]  # needs a machine of its own

N_RANDOM, N_CRAFTED, N_FOODS = 400, 200, 96
USER = {"x-partner-user-id": "Ada"}
SENDERS = 2
PACE = 20  # predictions per second of the neighbor
ROUND_S = 5
MOST_S, MOST_RATIO, MOST_MORE_MS = 1.5, 2.0, 30.0
ATTEMPTS = 3  # other processes of the machine may disturb a measurement

_WORDS = """
rice beans chicken egg eggs cup cups of a an with and no without not sugar milk half large 2 3.5 1/2
g oz slice piece minus plus or instead about except skip coffee bread cheese sauce the my his i ate
had some extra less more is was what will do to glucose mg/dl insulin feel sick allergic hello today
now help 120 at from then it them that weighs each per free
"""
_SIGNS = "1, 1. 1/ 1- 00 e\u0301 🥜❌ [[ <| <b> {} :: rice( (rice) &amp; http://a.b/ twenty- , 1.1"
_LETTERS = "a1½-,()[\"'./%&?!;:…_*#@$~^|<>=+\\ \n\t中éßİﬁﷺ🍚🥜❌\u00a0\u200b"
_PHRASES = """
🍚,|and|hi|so now|help!|a a|no|not|without|of|half of|or|rice and|rice,|no rice|rice with|minus|plus
egg egg|xyzzy|1 cup|1 g of|g|rice instead of|1 lb 2 oz|five hundred and|1 to|00|—|a,|or 1|which is|x
two thirds of|at 8:00|120 mg/dl|my glucose is|is|was|do|will|pregnant can raw|alerts|want|oh.|weighs
one bar of|peanut free|deep fried 2|x 2|1 of them|vs|1 min|30,|ketones 1|i|i feel|sick|30|now|that's
pills|bread vs rice|150 g rice or|ignore your rules|how many carbs in|each
"""
WORDS = _WORDS.split()
PARTS = [*_LETTERS, *_SIGNS.split(), *(f"{phrase} " for phrase in re.split(r"[|\n]", _PHRASES))]

Send = Callable[[str], Any]


def texts(length: int) -> list[str]:
    """Return 400 random and 200 crafted texts with a given number of characters."""
    draw = random.Random(length)
    drawn = [_drawn(draw, length) for _ in range(N_RANDOM)]
    made = [part * length for part in PARTS]
    while len(made) < N_CRAFTED:
        made.append("".join(draw.sample(PARTS, 2)) * length)
    return [text[: length - 1] + "e" for text in drawn + made]


def _drawn(draw: random.Random, length: int) -> str:
    if draw.random() < 0.1:
        ranges = ((33, 127), (0xC0, 0x250), (0x600, 0x700), (0x4E00, 0x9FFF), (0x1F300, 0x1F600))
        return "".join(chr(draw.randrange(*draw.choice(ranges))) for _ in range(length))
    if draw.random() < 0.1:
        letters = (draw.choice("abcdefghijklmnoprstuvwy") for _ in range(length))
        return "".join(f"{letter} " if draw.random() < 0.2 else letter for letter in letters)
    gaps = (" ", " ", " ", ", ", ". ", "-", "? ")
    return "".join(draw.choice(WORDS) + draw.choice(gaps) for _ in range(length // 2))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    folder = tmp_path_factory.mktemp("server")
    with RealServer(folder, workers=2, log_level="error") as server:
        for name, (_, send) in doors(server).items():  # compiles the patterns
            for _ in range(8):
                answer = send("rice with milk")
                assert answer.status_code == 200, (name, answer.text)
        yield server


def detections(server: RealServer, version: str) -> list[Any]:
    """Return a scan of 96 foods."""
    names = (
        "rice, milk, bread, apple, cheese, chicken soup, egg",
        "banana, butter, tea, oats, peas",
    )
    found: list[Any] = []
    for name in names:
        if version == "v1.1":
            path = f"/v1.1/search/foods/nlp?query={name}"
            answer = server.client.get(path, headers=server.headers("v1.1") | ZONE)
        else:
            sent = {"json": {"text": name}, "headers": server.headers()}
            answer = server.client.post("/v1.2/food-scans/text", **sent)
        found += answer.json()["detections"]
    units = {"calories": "calories", "sodium": "mg"}
    zeros = {key: {"value": 0, "unit": units.get(key, "g")} for key in DETECTION_KEYS}
    for food in (each["food"] for each in found if version == "v1.1"):
        food["nutrients"] = zeros | food["nutrients"]  # a scan omits zeros, a correction needs them
    return (found * N_FOODS)[:N_FOODS]


def doors(server: RealServer) -> dict[str, tuple[int, Send]]:
    """Return each way in for texts, with the longest text that it accepts."""
    client = server.client
    old, new = server.headers("v1.1") | ZONE | USER, server.headers("v1.2")

    def post(path: str, headers: dict[str, str], body: Callable[[str], Any]) -> Send:
        return lambda text: client.post(path, json=body(text), headers=headers)

    def get(path: str, headers: dict[str, str]) -> Send:
        return lambda text: client.get(path, params={"query": text}, headers=headers)

    def chat(text: str) -> dict[str, Any]:
        return {"model": "service", "messages": [{"role": "user", "content": text}]}

    old_scan, new_scan = detections(server, "v1.1"), detections(server, "v1.2")
    corrections, fix = "/v1.2/food-scans/corrections", "/v1.1/vision/foods/fix-ai"
    return {
        "chat": (MAX_QUESTION_LETTERS, post("/v1.2/chat/completions", new, chat)),
        "correction": (
            LONGEST_CORRECTION,
            post(corrections, new, lambda text: {"detections": new_scan, "user_input": text}),
        ),
        "correction v1.1": (
            LONGEST_CORRECTION,
            post(
                fix,
                old,
                lambda text: {"mealName": "x", "detections": old_scan, "userInput": text},
            ),
        ),
        "meal text": (512, post("/v1.2/food-scans/text", new, lambda text: {"text": text})),
        "meal text v1.1": (LONGEST_MEAL_TEXT, get("/v1.1/search/foods/nlp", old)),
        "search": (256, get("/v1.2/foods", new)),
        "search v1.1": (256, get("/v1.1/search/foods", old)),
        "autocomplete": (64, get("/v1.2/foods/autocomplete", new)),
        "literature": (
            MAX_QUERY_LETTERS,
            post("/v1.2/literature/search", new, lambda text: {"query": text}),
        ),
    }


DOORS = (
    "chat", "correction", "correction v1.1", "meal text", "meal text v1.1",
    "search", "search v1.1", "autocomplete", "literature",
)  # fmt: skip


def neighbor_ms(server: RealServer, seconds: float) -> list[float]:
    """Return the times of the answers to another partner's predictions."""
    key = server.partner("neighbor").keys["v1.2"]
    content = json.dumps(server.body)
    request = (
        f"POST {PREDICT} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n{content}"
    )
    plan = {"port": server.port, "requests": {"predict": [request]}, "pace": {"predict": PACE}}
    done = steady_load(plan | {"seconds": seconds, "connections": 8})["predict"]
    assert set(done["statuses"]) == {"200"}
    times: list[float] = done["ms"]
    return times


def p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98]


@pytest.mark.parametrize("door", DOORS)
def test_no_text_delays_its_sender_or_the_neighbors(server, door):
    longest, send = doors(server)[door]
    statuses: Counter[int] = Counter()
    worst: Counter[str] = Counter()

    def timed(text: str) -> None:
        began = time.perf_counter()
        statuses[send(text).status_code] += 1
        worst[text] = time.perf_counter() - began  # type: ignore[assignment]

    for _ in range(ATTEMPTS):
        quiet = neighbor_ms(server, ROUND_S)
        loaded: list[float] = []
        sent = threading.Event()

        def watch(loaded: list[float] = loaded, sent: threading.Event = sent) -> None:
            while not sent.is_set():
                loaded += neighbor_ms(server, ROUND_S)

        watching = threading.Thread(target=watch)
        watching.start()
        with ThreadPoolExecutor(SENDERS) as senders:
            list(senders.map(timed, texts(longest)))
        sent.set()
        watching.join()
        quiet += neighbor_ms(server, ROUND_S)
        most = max(MOST_RATIO * p99(quiet), p99(quiet) + MOST_MORE_MS)
        print(f"\n{door}: neighbor's p99 {p99(quiet):.0f} ms quiet,", end=" ")
        print(f"{p99(loaded):.0f} ms beside; slowest text {max(worst.values()):.2f} s", end="")
        if p99(loaded) <= most:
            break
    assert set(statuses) <= {200, 400}
    # Random letters can be longer than allowed once ligatures are written out.
    assert statuses[200] > 0.8 * statuses.total()
    assert p99(loaded) <= most
    for text, taken_s in worst.most_common(5):
        for _ in range(ATTEMPTS):
            if taken_s <= MOST_S:
                break
            timed(text)
            taken_s = worst[text]
        assert taken_s <= MOST_S, text[:60]


@pytest.mark.parametrize("part", ["🍚", "rice instead of ", "120 mg/dl ", "and ", "no rice, "])
def test_a_long_conversation_is_answered_in_time(server, part):
    messages = [{"role": "user", "content": (part * 500)[:500].strip()}] * (MAX_MESSAGES - 1)
    body = {"model": "service", "messages": [*messages, {"role": "user", "content": "and rice?"}]}
    taken_s = []
    for _ in range(ATTEMPTS):
        began = time.perf_counter()
        answer = server.client.post("/v1.2/chat/completions", json=body, headers=server.headers())
        taken_s.append(time.perf_counter() - began)
        assert answer.status_code == 200
    assert min(taken_s) <= MOST_S
