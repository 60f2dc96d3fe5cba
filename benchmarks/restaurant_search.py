"""Benchmark of restaurant search over HTTP, compared with food search on the same service.

The service has one process and 100,000 synthetic places. The maximum rates are measured in turn.
The 99th percentiles are measured while requests for both searches arrive at a fixed rate.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import quote

from benchmarks.comparison import Comparison
from benchmarks.over_http import benchmark_key, http_server, responses_per_second
from benchmarks.steady import steady_load
from benchmarks.synthetic_places import write_places
from postmeal.restaurants.places import Places
from postmeal.restaurants.sources.import_places import import_places

__all__ = ["compare"]

_PLACES = 100_000
_PACE = 40  # requests per second of each search
_SECONDS = 20
_CONNECTIONS = 16
_AIM_RATE, _AIM_P99 = 0.6, 1.5
_FOODS = ("rice", "oat milk", "banana", "chicken soup", "bread", "apple pie", "yogurt")
_RESTAURANTS = ("mcdonalds", "pizza", "burger king", "sushi", "cafe", "kebab", "subway")


def compare() -> Comparison:
    """Compare the maximum rates and the 99th percentiles of the two searches."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_places(folder / "places.geojson", _PLACES)
        import_places([folder / "places.geojson"], folder / "places.bin")
        requests = _requests(benchmark_key(folder), folder / "places.bin")
        state = {
            "POSTMEAL_STATE_DIR": name,
            "POSTMEAL_REQUIRE_HTTPS": "false",
            "POSTMEAL_ADDRESS_PER_MINUTE": "100000000",
            "POSTMEAL_PLACES": str(folder / "places.bin"),
        }
        with http_server(["-m", "postmeal_serve", "run"], state) as port:
            calls = [{"name": n, "port": port, "request": r} for n, r in requests.items()]
            rates = responses_per_second(calls)
            steady = steady_load(
                {
                    "port": port,
                    "requests": requests,
                    "pace": dict.fromkeys(requests, _PACE),
                    "seconds": _SECONDS,
                    "connections": _CONNECTIONS,
                }
            )
    p99_ms = {kind: quantiles(steady[kind]["ms"], n=100)[98] for kind in requests}
    rate = median(
        ours / peer for ours, peer in zip(rates["restaurants"], rates["foods"], strict=True)
    )
    p99 = p99_ms["restaurants"] / p99_ms["foods"]
    return Comparison(
        f"search over HTTP, one process, {_PLACES:,} places; p99 at {_PACE} requests/s of each",
        ("responses/s", "p99, ms", "rate / foods", "p99 / foods"),
        [
            ("foods", f"{median(rates['foods']):,.0f}", f"{p99_ms['foods']:.1f}", "", ""),
            (
                "restaurants",
                f"{median(rates['restaurants']):,.0f}",
                f"{p99_ms['restaurants']:.1f}",
                f"{rate:.2f} ×",
                f"{p99:.2f} ×",
            ),
        ],
        [
            (f"at least {_AIM_RATE} × the rate of food search", rate >= _AIM_RATE),
            (f"p99 at most {_AIM_P99} × that of food search", p99 <= _AIM_P99),
        ],
    )


def _requests(secret: str, file: Path) -> dict[str, list[str]]:
    head = f"HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {secret}\r\n\r\n"
    places = Places.open(file)
    restaurants = []
    for number, query in enumerate(_RESTAURANTS):
        found = places.near(query, limit=100)[number]
        near = f"latitude={found.place.latitude}&longitude={found.place.longitude}"
        restaurants.append(f"GET /v1.2/restaurants?query={quote(query)}&{near} {head}")
    places.close()
    foods = [f"GET /v1.2/foods?query={quote(query)} {head}" for query in _FOODS]
    return {"foods": foods, "restaurants": restaurants}
