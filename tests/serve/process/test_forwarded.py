"""Forwarded addresses: which proxies are believed, and which of several addresses counts."""

from collections.abc import Iterator

import pytest
from client_tokens import FOODS
from few_foods import few_foods
from pydantic import ValidationError
from real_server import RealServer

from postmeal_serve.settings import Settings

LIMIT = 5
PROXIES = "127.0.0.1, 198.51.100.0/24, 2001:db8:ffff::1"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """Two processes that admit five requests a minute from an address."""
    limits = {"workers": 2, "address_per_minute": LIMIT, "log_level": "warning"}
    folder = tmp_path_factory.mktemp("forwarded")
    given = {"forwarded_allow_ips": PROXIES, "food_table": few_foods(folder)}
    with RealServer(folder, **limits, **given) as server:
        yield server


def flood(server: RealServer, *forwarded: str) -> list[int]:
    """Return the statuses of calls, each on a connection of its own."""
    return [
        server.client.get(
            FOODS,
            headers=server.headers() | {"X-Forwarded-For": value, "Connection": "close"},
        ).status_code
        for value in forwarded
    ]


@pytest.mark.reliability
def test_the_last_address_that_is_not_a_proxy_counts_in_all_processes_together(server):
    """What a caller writes in front of it changes nothing; a second proxy is not the caller."""
    spoofed = [f"192.0.2.{number}, 203.0.113.1, 198.51.100.7" for number in range(LIMIT + 3)]
    assert flood(server, *spoofed) == [200] * LIMIT + [429] * 3
    assert flood(server, "203.0.113.1", "203.0.113.1:4711", "::ffff:203.0.113.1") == [429] * 3
    assert flood(server, "203.0.113.1, 203.0.113.2") == [200]
    assert flood(server, "203.0.113.1, 192.0.2.9, 2001:db8:ffff::1") == [200]


def test_addresses_of_one_ipv6_network_count_as_one(server):
    forwarded = [f"2001:db8:1:1::{number:x}" for number in range(LIMIT + 1)]
    assert flood(server, *forwarded) == [200] * LIMIT + [429]
    assert flood(server, "2001:db8:1:2::") == [200]


def test_a_proxy_is_an_address_or_a_network_and_nobody_else_is_believed():
    for accepted in ("", "10.0.0.1", "10.0.0.0/8,fd00::/8"):
        assert Settings(forwarded_allow_ips=accepted).forwarded_allow_ips == accepted
    for refused in ("*", "localhost", "10.0.0.1/8", "10.0.0.0/33", "127.0.0.1 10.0.0.1"):
        with pytest.raises(
            ValidationError, match="must be comma-separated IP addresses or networks"
        ):
            Settings(forwarded_allow_ips=refused)
