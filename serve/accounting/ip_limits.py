"""Grouping of IP addresses into networks for rate limits."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

__all__ = ["network_of"]


def network_of(address: str) -> str:
    """Return the network of an address.

    Parameters
    ----------
    address : str
        An IP address.

    Returns
    -------
    str
        An IPv4 address unchanged, even if it is mapped to IPv6; the /64 network of an IPv6
        address, since a subscriber usually has at least that many addresses. Empty if the text is
        not an address.

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
