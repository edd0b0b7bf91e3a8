"""Map aiohttp's exceptions to provider errors."""

from __future__ import annotations

from errno import ECONNREFUSED

import aiohttp

from .._common.hosts import is_local_host
from .._exceptions import Overloaded, ProviderError, RequestRejected

_FAILURES: tuple[tuple[type[Exception], type[ProviderError], str, str], ...] = (
    (
        TimeoutError,
        Overloaded,
        "did not answer in time",
        "The provider took too long. Try again in a moment.",
    ),
    (
        aiohttp.ClientSSLError,
        RequestRejected,
        "could not prove who it is",
        "The provider's certificate is not trusted. Check the base URL and this machine's clock.",
    ),
    (
        aiohttp.ClientProxyConnectionError,
        Overloaded,
        "is behind a proxy that cannot be reached",
        "The proxy cannot be reached. Check the proxy setting.",
    ),
    (
        aiohttp.ClientHttpProxyError,
        RequestRejected,
        "is behind a proxy that refused us",
        "The proxy refused the connection. Check the proxy setting.",
    ),
    (
        aiohttp.ClientResponseError,
        ProviderError,
        "sent something that is not HTTP",
        "That address does not answer as it should. Check the base URL.",
    ),
    (
        aiohttp.ClientConnectorDNSError,
        Overloaded,
        "has no address",
        "The provider's address cannot be found. Check the base URL and the network.",
    ),
    (
        ValueError,
        RequestRejected,
        "is no address that can be used",
        "That address cannot be used. Check the base URL.",
    ),
    (
        Exception,
        Overloaded,
        "cannot be reached",
        "The provider cannot be reached. Check the base URL and the network, then try again.",
    ),
)


def connection_failure(host: str, error: Exception) -> ProviderError:
    """Our error for one of aiohttp's; the first row that fits."""
    _, cls, what, advice = next(row for row in _FAILURES if isinstance(error, row[0]))
    if getattr(error, "errno", None) == ECONNREFUSED and is_local_host(host):
        advice = "Nothing answers at that address of this machine. Is the server running?"
    return cls(f"{host} {what} ({type(error).__name__}: {error})", user_message=advice)
