"""An MCP server on the network: requests with the caller's headers, and answers of a bounded size."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp.client.streamable_http import streamable_http_client

from .._common.hosts import is_local_host
from .._exceptions import SettingsError

MAX_BODY_BYTES = 16 * 1024 * 1024
"""Bytes of one answer; a server that sends more is cut off."""
CONNECT_TIMEOUT_S, READ_TIMEOUT_S = 15.0, 330.0


def check_url(field: str, url: str) -> None:
    """Raise `SettingsError` for an address that is no HTTP one, or not encrypted although it is far away."""
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme != "http" or not parts.hostname or not is_local_host(parts.hostname):
        raise SettingsError(field, "an address that begins with https://, or http:// on this machine")


@asynccontextmanager
async def http_transport(url: str, headers: Mapping[str, str]) -> AsyncIterator[Any]:
    """Yield the streams that the SDK's client reads and writes."""
    check_url("url", url)
    timeout = httpx2.Timeout(CONNECT_TIMEOUT_S, read=READ_TIMEOUT_S)
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=timeout, transport=_Bounded()) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MAX_BODY_BYTES) as streams,
    ):
        yield streams


class _Bounded(httpx2.AsyncHTTPTransport):
    """A transport that ends answers which are too long, and takes none that is compressed.

    Some kilobytes can be gigabytes when they are decompressed, which happens after this transport.
    """

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; reading more than the limit of its answer raises."""
        request.headers["accept-encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            await response.aclose()
            raise httpx2.RemoteProtocolError("the answer is compressed, which was not asked for")
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            stream: Any = response.stream
            response.stream = _BoundedStream(stream)
        return response


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:  # noqa: ANN401 - of the library
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_BODY_BYTES:
                raise httpx2.ReadError(f"the answer has more than {MAX_BODY_BYTES} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
