"""Grouping of IP addresses into networks for rate limits."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address

__all__ = ["network_of"]


@lru_cache(maxsize=10_000)  # Parsing an address takes several microseconds.
def network_of(address: str) -> str:
    """Return the network that an IP address belongs to.

    Parameters
    ----------
    address : str
        An IP address.

    Returns
    -------
    str
        For an IPv4 address, even if it is given in IPv6-mapped form, the IPv4 address itself. For
        an IPv6 address, its /64 network, since a subscriber usually has at least that many
        addresses. For any other text, an empty string.

    Examples
    --------
    >>> network_of("192.0.2.1"), network_of("::ffff:192.0.2.1")
    ('192.0.2.1', '192.0.2.1')
    >>> network_of("2001:db8:0:1:2:3:4:5")
    '2001:db8:0:1::/64'
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return f"{IPv6Address(int(parsed) >> 64 << 64)}/64"
