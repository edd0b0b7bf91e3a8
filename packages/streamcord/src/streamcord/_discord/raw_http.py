"""Send single requests to Discord without retries, and report exactly what became of them.

discord.py repeats a webhook's POST after every server error, and Discord knows no key by which it could tell
the repeat from a second message (https://github.com/discord/discord-api-docs/issues/6647). So webhooks are
called here: a request has a response, or was certainly not sent, or its outcome is unknown.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from discord.http import Route

from .._events import Attachment
from .._exceptions import DeliveryUnavailable, DeliveryUncertain

REQUEST_TIMEOUT_S = 30.0
"""Seconds for one request; a webhook that takes longer has an uncertain outcome."""
PROXY_TIMEOUT, PROXY_HEADER = 408, "generated-by-proxy"
"""Status of a REST proxy when Discord did not answer it in time, and the header of its own rate limits.

https://github.com/germanoeich/nirn-proxy
"""
MIN_PAUSE_S = 0.05
"""Minimum seconds to wait after a rate limit response."""
MAX_PAUSE_S, DOUBTED_PAUSE_S = 3600.0, 30.0
"""Longest pause that a response is believed, and the pause instead of a longer one.

Discord's longest limit of messages is ten minutes; a ban by Cloudflare may be an hour.
"""
_CONNECT_TIMEOUT_S = 10.0
_AGENT = "DiscordBot (streamcord, 1)"
# Errors of aiohttp before there is a connection; after any other, Discord may have read the request.
_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)


@dataclass(frozen=True, slots=True)
class Response:
    """A response of Discord; `body` is its JSON, empty if there was none."""

    status: int
    headers: Mapping[str, str]
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300

    @property
    def code(self) -> int:
        """Discord's error code, or 0."""
        code = self.body.get("code", 0)
        return code if isinstance(code, int) else 0

    @property
    def is_from_discord(self) -> bool:
        """Whether an error has the body that Discord gives to all of its errors.

        https://docs.discord.com/developers/reference#error-messages
        """
        return isinstance(self.body.get("message"), str)

    @property
    def is_ambiguous(self) -> bool:
        """Whether the request may have succeeded although the response is an error.

        The page of a proxy says nothing about the message, whatever its status: it is a failure on the way.
        """
        if self.ok or self.status == 429:
            return False
        failed = self.status >= 500 or self.status == PROXY_TIMEOUT or not self.is_from_discord
        return failed and self.code == 0

    def is_message_of(self, channel_id: int) -> bool:
        """Whether the body is a message of this channel.

        A status of 200 alone proves nothing: a proxy or a captive portal between us and Discord may answer any
        request with an empty body, a page or a cached message.
        """
        message_id, channel = str(self.body.get("id", "")), str(self.body.get("channel_id", ""))
        return message_id.isdecimal() and channel == str(channel_id)

    @property
    def is_from_cloudflare(self) -> bool:
        """Whether it is a rate limit of Cloudflare, which bans the whole IP address, and not of Discord."""
        return (
            self.status == 429
            and ("Via" not in self.headers or not self.body)
            and PROXY_HEADER not in self.headers
        )

    @property
    def fields(self) -> tuple[str, ...]:
        """The parts of the request that Discord complained about, as dotted paths."""
        return tuple(error_paths(self.body.get("errors")))

    @property
    def retry_after(self) -> float:
        """Seconds to wait, from the body or else from the header, which has no fractions."""
        for value in (self.body.get("retry_after"), self.headers.get("Retry-After")):
            try:
                seconds = float(value)  # type: ignore[arg-type]
            except (TypeError, ValueError, OverflowError):
                continue
            # A negative pause is none of Discord's, and neither is one that is not a number.
            if seconds >= 0:
                return plausible_pause(seconds)
        return 1.0


@dataclass(frozen=True, slots=True)
class RawHttp:
    """Requests over the connections of a discord.py client, but without its retries."""

    session: aiohttp.ClientSession = field(repr=False)
    proxy: str | None = field(default=None, repr=False)
    proxy_auth: aiohttp.BasicAuth | None = field(default=None, repr=False)

    async def request(
        self,
        method: str,
        path: str,
        payload: Mapping[str, Any] | None = None,
        files: Sequence[Attachment] = (),
        params: Mapping[str, str] | None = None,
    ) -> Response:
        """Send one request and return its response.

        Errors of aiohttp are not chained, because the path of a webhook contains its token.

        Raises:
            DeliveryUnavailable: nothing was sent.
            DeliveryUncertain: Discord may or may not have received the request.

        """
        timeout = aiohttp.ClientTimeout(total=REQUEST_TIMEOUT_S, sock_connect=_CONNECT_TIMEOUT_S)
        try:
            async with self.session.request(
                method,
                Route.BASE + path,
                params=params,
                headers={"User-Agent": _AGENT} | ({} if files else {"Content-Type": "application/json"}),
                data=_form(payload or {}, files) if files else _body(payload),
                timeout=timeout,
                allow_redirects=False,
                proxy=self.proxy,
                proxy_auth=self.proxy_auth,
            ) as response:
                return Response(response.status, response.headers, await _read(response))
        except _NOT_SENT as error:
            raise DeliveryUnavailable(f"Discord cannot be reached ({type(error).__name__})") from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise DeliveryUncertain(f"the response was lost ({type(error).__name__})") from None


def plausible_pause(seconds: float) -> float:
    """Return the seconds to wait before the next attempt, whatever a response asks for."""
    # A pause of zero would retry in a busy loop, and one of a year would silence the bot.
    return max(MIN_PAUSE_S, seconds) if seconds <= MAX_PAUSE_S else DOUBTED_PAUSE_S


def _body(payload: Mapping[str, Any] | None) -> io.BytesIO | None:
    # aiohttp writes a file in chunks; one large write would block the event loop.
    return None if payload is None else io.BytesIO(_dump(payload))


def _dump(payload: Mapping[str, Any]) -> bytes:
    # Discord rejects lone surrogates.
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _form(payload: Mapping[str, Any], files: Sequence[Attachment]) -> aiohttp.FormData:
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("payload_json", _dump(payload).decode(), content_type="application/json")
    for number, file in enumerate(files):
        name = _quotable(file.name)
        form.add_field(
            f"files[{number}]",
            io.BytesIO(file.content),
            filename=name,
            content_type="application/octet-stream",
        )
    return form


def _quotable(name: str) -> str:
    """Replace characters of a file name that would break its multipart header."""
    return "".join("_" if one in '"\\' or not one.isprintable() else one for one in name) or "file"


async def _read(response: aiohttp.ClientResponse) -> Mapping[str, Any]:
    """Return the JSON body; empty if it is cut off, because the status alone is enough."""
    try:
        body = json.loads(await response.read())
    except (TimeoutError, aiohttp.ClientError, OSError, ValueError):
        return {}
    return body if isinstance(body, dict) else {}


def error_paths(errors: object, path: str = "") -> list[str]:
    """Return the fields that an error body names, such as `content` or `embeds.0.title`."""
    if not isinstance(errors, Mapping):
        return []
    found = [path] if path and "_errors" in errors else []
    for name, inner in errors.items():
        found += error_paths(inner, f"{path}.{name}" if path else str(name))
    return found
