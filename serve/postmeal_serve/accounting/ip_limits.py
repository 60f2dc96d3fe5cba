"""Grouping of IP addresses into networks for rate limits."""

from __future__ import annotations

from ipaddress import IPv6Address
from socket import AF_INET, inet_pton

__all__ = ["network_of"]


def network_of(address: str) -> str:
    """Return the network that an IP address belongs to."""
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
