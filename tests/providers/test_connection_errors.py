from __future__ import annotations

import ssl
from errno import ECONNREFUSED, ENETUNREACH

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey

from streamcord._exceptions import Overloaded, ProviderError, RequestRejected
from streamcord._providers.connection_errors import connection_failure

KEY = ConnectionKey("llm.example", 443, True, True, None, None, None)


@pytest.mark.parametrize(
    ("error", "kind", "what"),
    [
        (TimeoutError(), Overloaded, "in time"),
        (aiohttp.ClientConnectorSSLError(KEY, ssl.SSLError("bad")), RequestRejected, "who it is"),
        (aiohttp.ClientProxyConnectionError(KEY, OSError("no")), Overloaded, "proxy that cannot be reached"),
        (aiohttp.ClientConnectorDNSError(KEY, OSError("no")), Overloaded, "has no address"),
        (aiohttp.InvalidURL("x"), RequestRejected, "no address"),
        (aiohttp.ClientPayloadError("cut"), Overloaded, "cannot be reached"),
        (OSError(ENETUNREACH, "away"), Overloaded, "cannot be reached"),
    ],
)
def test_every_failure_says_what_it_was_and_what_to_do(
    error: Exception, kind: type[ProviderError], what: str
) -> None:
    failure = connection_failure("llm.example", error)

    assert type(failure) is kind
    assert what in str(failure)
    assert str(failure).startswith("llm.example")
    assert failure.user_message.endswith(".")


@pytest.mark.parametrize(("host", "asks"), [("127.0.0.1", True), ("llm.example", False)])
def test_who_is_refused_on_this_machine_is_asked_whether_the_server_runs(host: str, asks: bool) -> None:
    failure = connection_failure(host, OSError(ECONNREFUSED, "refused"))

    assert ("Is the server running?" in failure.user_message) is asks
