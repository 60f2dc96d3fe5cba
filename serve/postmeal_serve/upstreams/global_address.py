"""IP addresses that belong to the public Internet."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

__all__ = ["is_global"]

_INTERNET = IPv6Network("2000::/3")  # global unicast, RFC 4291
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052; the last 32 bits are an IPv4 address
_NOT_PUBLIC_V6 = (
    IPv6Network("2001::/23"),  # protocol assignments, with Teredo (RFC 4380)
    IPv6Network("2002::/16"),  # 6to4 (RFC 3056), whose addresses contain IPv4 addresses
    IPv6Network("3fff::/20"),  # documentation (RFC 9637)
)
_NOT_PUBLIC_V4 = (
    IPv4Network("192.0.0.0/24"),  # protocol assignments (RFC 6890); cloud metadata services
    IPv4Network("192.88.99.0/24"),  # relays of 6to4 (RFC 7526)
    IPv4Network("168.63.129.16/32"),  # host of virtual machines in Azure
)


def is_global(address: str) -> bool:
    """Return whether an IP address belongs to a host on the public Internet.

    For an IPv6 address that contains an IPv4 address, the IPv4 address decides (IPv4-mapped,
    NAT64), or the address counts as not global (6to4, Teredo).
    """
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return _is_global_v4(found.ipv4_mapped)
        if found in _NAT64:
            return _is_global_v4(IPv4Address(int(found) & 0xFFFFFFFF))
        is_public = found in _INTERNET and not any(found in each for each in _NOT_PUBLIC_V6)
        return is_public and found.is_global
    return _is_global_v4(found)


def _is_global_v4(address: IPv4Address) -> bool:
    if address.is_multicast or any(address in each for each in _NOT_PUBLIC_V4):
        return False
    return address.is_global
