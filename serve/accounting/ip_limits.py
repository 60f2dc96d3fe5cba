"""Addresses: the network that the calls of an IP address are counted under."""

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
        An IPv4 address itself, also when it is mapped into IPv6; of an IPv6 address its /64, since
        a subscriber has at least that many. Empty if the text is not an address.

    Examples
    --------
    >>> network_of("192.0.2.1"), network_of("::ffff:192.0.2.1")
    ('192.0.2.1', '192.0.2.1')
    >>> network_of("2001:db8:0:1:2:3:4:5")
    '2001:db8:0:1::/64'
    """
    try:
        found = ip_address(address)
    except ValueError:
        return ""
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return f"{IPv6Address(int(found) >> 64 << 64)}/64"
