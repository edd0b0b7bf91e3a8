"""Fetch pictures from addresses that users give, and never from a private network (SSRF protection).

A host name may resolve to a private address, to another address at each lookup (DNS rebinding), or to a server that
redirects to one. So each redirect is checked, and the address that is connected to is the one that was checked.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from streamcord.store import Picture

from .pictures import PICTURE_CAP, PictureError

REDIRECT_CAP = 3
URL_LENGTH = 2048

Lookup: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""The addresses of a host."""

# https://www.rfc-editor.org/rfc/rfc6052: the last 32 bits are an IPv4 address.
_NAT64 = IPv6Network("64:ff9b::/96")
_INSIDE = "That address leads into a private network, so nothing was fetched. Use a public one."


class FetchError(ValueError):
    """Something could not be fetched; the message is for the person who gave the address."""


class Fetcher:
    """Fetches from public addresses only; `allow`, `lookup` and `ports` exist for tests."""

    def __init__(
        self,
        *,
        allow: Callable[[str], bool] | None = None,
        lookup: Lookup | None = None,
        ports: frozenset[int] = frozenset({80, 443}),
        seconds: float = 10.0,
    ) -> None:
        # Whether an IP address may be connected to.
        self._allow = allow or is_public
        self._lookup = lookup or _look_up
        self._ports = ports
        self._seconds = seconds

    async def fetch_picture(
        self, address: str, check: Callable[[bytes], Awaitable[Picture]], cap: int = PICTURE_CAP
    ) -> Picture:
        """The picture at an address, if `check` finds it to be one."""
        content = await self.fetch(address, cap)
        try:
            return replace(await check(content), url=address)
        except PictureError as error:
            raise FetchError(str(error)) from None

    async def fetch(self, address: str, cap: int = PICTURE_CAP) -> bytes:
        """Return the content at an address.

        Raises:
            FetchError: the address is not public, cannot be reached, or has more than `cap` bytes.

        """
        # No cache and no reuse: every connection resolves its host through our own check.
        connector = aiohttp.TCPConnector(
            resolver=_Resolver(self._addresses), use_dns_cache=False, force_close=True
        )
        timeout = aiohttp.ClientTimeout(total=self._seconds)
        try:
            async with aiohttp.ClientSession(
                connector=connector,
                timeout=timeout,
                # One request must not leave anything for the next, which may be for another server's user.
                cookie_jar=aiohttp.DummyCookieJar(),
                # A compressed body could unpack to gigabytes.
                auto_decompress=False,
                headers={"Accept-Encoding": "identity", "User-Agent": "streamcord"},
            ) as session:
                return await self._follow(session, self._check(address), cap)
        except TimeoutError:
            raise FetchError(f"That address did not answer within {self._seconds:g} seconds.") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if isinstance(error, FetchError):
                raise
            raise FetchError("That address cannot be reached.") from None

    async def _follow(self, session: aiohttp.ClientSession, url: URL, cap: int) -> bytes:
        for _ in range(REDIRECT_CAP + 1):
            # aiohttp would follow redirects without our check.
            async with session.get(url, allow_redirects=False) as response:
                if response.status not in {301, 302, 303, 307, 308}:
                    return await _read(response, cap)
                url = self._check(str(url.join(URL(response.headers.get("Location", "")))))
        raise FetchError("That address leads from one place to the next without an end.")

    def _check(self, address: str) -> URL:
        """The parsed address; raises `FetchError` if it must not be fetched."""
        url = _parse(address)
        if url is None or url.host is None:
            raise FetchError("That is not the address of a picture: it begins with https://.")
        if url.port not in self._ports or (_is_address(url.host) and not self._allow(url.host)):
            raise FetchError(_INSIDE)
        return url

    async def _addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a host; raises `FetchError` unless all of them are allowed."""
        found = await self._lookup(host, port)
        # One private address among public ones is enough to refuse: the connection may use any of them.
        if not found or not all(map(self._allow, found)):
            raise FetchError(_INSIDE)
        return found


class _Resolver(AbstractResolver):
    """Resolves a host to the addresses that were checked; a second lookup could return others."""

    def __init__(self, addresses: Lookup) -> None:
        self._addresses = addresses

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - aiohttp names it
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await self._addresses(host, port)
        ]

    async def close(self) -> None:
        """Do nothing: there are no resources."""


def _parse(address: str) -> URL | None:
    """An http or https address without a user name and password, or `None`."""
    if len(address) > URL_LENGTH:
        return None
    try:
        url = URL(address)
        usable = url.scheme in {"http", "https"} and url.host and url.port is not None
    except ValueError:
        return None
    return url if usable and not (url.user or url.password) else None


def is_public(address: str) -> bool:
    """Whether an IP address is public; IPv4 addresses inside of IPv6 ones are checked as well."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        inner = _inner(ip)
        if inner is not None:
            return is_public(str(inner))
        # Teredo and site-local addresses (both deprecated) can lead into a private network.
        if ip.teredo or ip.is_site_local:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified or ip.is_loopback)


def _inner(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that is embedded in an IPv6 address, if any."""
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


async def _look_up(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


async def _read(response: aiohttp.ClientResponse, cap: int) -> bytes:
    if response.status != 200:
        raise FetchError(f"There is nothing to fetch at that address (it says {response.status}).")
    content = bytearray()
    async for piece in response.content.iter_chunked(64 * 1024):
        content += piece
        # `Content-Length` may lie, so the bytes themselves are counted.
        if len(content) > cap:
            raise FetchError(f"The file at that address is larger than {cap // 2**20} MB.")
    return bytes(content)
