"""Tell whether a host is this machine."""

from __future__ import annotations

from ipaddress import ip_address


def is_local_host(host: str) -> bool:
    """Return whether a host name or IP address always means this machine.

    Loopback addresses (127.0.0.0/8, ::1), `localhost` and names below `.localhost`
    (https://www.rfc-editor.org/rfc/rfc6761#section-6.3) are local. Names are not looked up.

    Args:
        host: A host without port; an IPv6 address may have brackets.

    Example:
        >>> is_local_host("[::1]"), is_local_host("example.com")
        (True, False)

    """
    host = host.removeprefix("[").removesuffix("]").lower()
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
