"""Grouping of IP addresses into networks for rate limits."""

from __future__ import annotations

from ipaddress import IPv6Address
from socket import AF_INET, inet_pton

__all__ = ["network_of"]


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
        inet_pton(AF_INET, address)  # several times as fast as `ipaddress`
    except (OSError, ValueError):
        return _network_of_ipv6(address)
    return address


def _network_of_ipv6(address: str) -> str:
    try:
        parsed = IPv6Address(address)
    except ValueError:
        return ""
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return f"{IPv6Address(int(parsed) >> 64 << 64)}/64"
