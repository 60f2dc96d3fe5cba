"""Addresses: the network that the calls of an address are counted under."""

import pytest

from postmeal_serve.accounting.ip_limits import network_of


@pytest.mark.parametrize("mapped", ["::ffff:192.0.2.7", "::FFFF:C000:207", "192.0.2.7"])
def test_an_ipv4_address_counts_by_itself_even_if_mapped_into_ipv6(mapped):
    assert network_of(mapped) == "192.0.2.7"
    assert network_of("192.0.2.8") == "192.0.2.8"


@pytest.mark.parametrize(
    "address", ["2001:db8:1:2::", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:DB8:1:2::7%eth0"]
)
def test_the_addresses_of_an_ipv6_64_count_as_one(address):
    assert network_of(address) == "2001:db8:1:2::/64"
    assert network_of("2001:db8:1:3::") == "2001:db8:1:3::/64"


@pytest.mark.parametrize("text", ["", "unknown", "192.0.2", "192.0.2.1, 192.0.2.2", "x" * 60_000])
def test_what_is_not_an_address_counts_as_one(text):
    """A proxy may forward any text: it must not open a window of its own."""
    assert network_of(text) == ""
