"""One request to Discord, and nothing behind its back: no retry, and the truth about what became of it.

discord.py repeats a webhook's POST after every server error, and Discord knows no key by which it could tell
the repeat from a second message (https://github.com/discord/discord-api-docs/issues/6647). So webhooks are
asked here: a request either has an answer, or was certainly never sent, or nobody can tell.

What discord.py knows and does not show (its client, its HTTP side, the state of a rate limit) are private
names of discord.py 2.x, so everything that asks for them may find nothing: then we count for ourselves and go
without the second witness of the gateway.
"""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp
import discord
from discord.http import Route

from .._delivery.error_codes import ErrorCode
from .._delivery.outbox import Pings
from .._errors import Refused, Unavailable, Uncertain
from .._events import ALT_LENGTH, Attachment, Message
from .._settings import DISCORD_LIMIT

__all__ = [
    "PROXY_HEADER",
    "PROXY_TIMEOUT",
    "Answer",
    "Bucket",
    "PlainHttp",
    "as_allowed",
    "as_file",
    "as_files",
    "as_named_files",
    "content_with_name",
    "describe_files",
    "error_paths",
    "file_name",
    "find_bucket",
    "find_client",
    "find_http",
    "put_name",
    "reopen",
    "reopening",
    "safe_name",
    "send_and_confirm",
]


TIMEOUT = 30.0
"""Seconds for one request; a webhook that takes longer has an uncertain outcome."""
PROXY_TIMEOUT, PROXY_HEADER = 408, "generated-by-proxy"
"""What a REST proxy says when Discord did not answer it in time, and below its own rate limits.

https://github.com/germanoeich/nirn-proxy
"""
LEAST_PAUSE = 0.05
"""What is waited after a refusal, at least."""
_CONNECT_TIMEOUT = 10.0
_AGENT = "DiscordBot (streamcord, 1)"
# What aiohttp raises while there is no connection yet; everything else may have been read by Discord.
_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of Discord; `body` is its JSON, empty if there was none."""

    status: int
    headers: Mapping[str, str]
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300

    @property
    def code(self) -> int:
        """Discord's number for what is wrong, or 0."""
        code = self.body.get("code", 0)
        return code if isinstance(code, int) else 0

    @property
    def is_unclear(self) -> bool:
        """Whether it may have succeeded although the answer is an error."""
        return (self.status >= 500 or self.status == PROXY_TIMEOUT) and self.code == 0

    @property
    def is_from_cloudflare(self) -> bool:
        """Whether it is a rate limit of Cloudflare, which bans the whole address, and not of Discord."""
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
        for told in (self.body.get("retry_after"), self.headers.get("Retry-After")):
            try:
                # A pause of nothing would let us ask without end.
                return max(LEAST_PAUSE, float(told))  # type: ignore[arg-type]
            except (TypeError, ValueError):
                continue
        return 1.0


@dataclass(frozen=True, slots=True)
class PlainHttp:
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
    ) -> Answer:
        """Send one request; raises `Unavailable` if nothing was sent, `Uncertain` if nobody can tell.

        The path of a webhook holds its token, so what aiohttp raises is not passed on.
        """
        timeout = aiohttp.ClientTimeout(total=TIMEOUT, sock_connect=_CONNECT_TIMEOUT)
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
                return Answer(response.status, response.headers, await _read(response))
        except _NOT_SENT as error:
            raise Unavailable(f"Discord cannot be reached ({type(error).__name__})") from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Uncertain(f"the answer was lost ({type(error).__name__})") from None


def _body(payload: Mapping[str, Any] | None) -> io.BytesIO | None:
    # aiohttp writes a file in slices; many bytes at once would hold up everybody else.
    return None if payload is None else io.BytesIO(_dump(payload))


def _dump(payload: Mapping[str, Any]) -> bytes:
    # Half a surrogate pair is no JSON that Discord reads.
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
    """A file name without characters that would break the header it stands in."""
    return "".join("_" if one in '"\\' or not one.isprintable() else one for one in name) or "file"


async def _read(response: aiohttp.ClientResponse) -> Mapping[str, Any]:
    """The JSON body; empty if it breaks off, since the status has said what matters most."""
    try:
        body = json.loads(await response.read())
    except (TimeoutError, aiohttp.ClientError, OSError, ValueError):
        return {}
    return body if isinstance(body, dict) else {}


def error_paths(errors: object, path: str = "") -> list[str]:
    """The fields that an error body complains about, such as `content` or `embeds.0.title`."""
    if not isinstance(errors, Mapping):
        return []
    found = [path] if path and "_errors" in errors else []
    for name, inner in errors.items():
        found += error_paths(inner, f"{path}.{name}" if path else str(name))
    return found


# --- The parts of a request, as discord.py takes them ---------------------------------------------

MENTION_CAP = 100
"""People that Discord lets one message allow to be pinged, at most."""
NAME_CAP = 100
"""Characters of a file's name that are kept."""

_BLOCKS = frozenset("#>-*`|+0123456789")


def as_files(message: Message) -> list[discord.File]:
    """The files of a message, with their alt texts."""
    return [as_file(file) for file in message.files if isinstance(file, Attachment)]


def as_named_files(files: Iterable[object]) -> list[Attachment]:
    """The same for a request of ours, under the names by which Discord knows them."""
    return [replace(file, name=file_name(file)) for file in files if isinstance(file, Attachment)]


def describe_files(files: Sequence[Attachment]) -> list[dict[str, Any]]:
    """What a request says about the files that it brings."""
    return [
        {"id": number, "filename": file.name} | ({"description": file.alt[:ALT_LENGTH]} if file.alt else {})
        for number, file in enumerate(files)
    ]


def as_file(file: Attachment) -> discord.File:
    """One file, under a safe name."""
    return discord.File(io.BytesIO(file.content), file_name(file), description=file.alt[:ALT_LENGTH] or None)


def file_name(file: Attachment) -> str:
    """The name that a file is sent under; Discord covers what its prefix says is a spoiler."""
    return ("SPOILER_" if file.spoiler else "") + safe_name(file.name)


def safe_name(name: str) -> str:
    """The last part of a path, without control characters and without Discord's spoiler prefix."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(letter for letter in last if letter.isprintable()).lstrip(".")
    while plain.startswith("SPOILER_"):
        plain = plain.removeprefix("SPOILER_")
    stem, dot, ending = plain.rpartition(".")
    kept = f"{stem[: NAME_CAP - 1 - len(ending)]}{dot}{ending}" if len(ending) < 16 else plain[:NAME_CAP]
    return kept[-NAME_CAP:].strip() or "file"


def as_allowed(pings: Pings) -> discord.AllowedMentions:
    """The allowed mentions with every field set, so that no default of the client or of Discord applies."""
    users: bool | list[discord.Object]
    if isinstance(pings.users, bool):
        users = pings.users
    else:
        users = [discord.Object(user) for user in dict.fromkeys(pings.users)][:MENTION_CAP]
    return discord.AllowedMentions(
        everyone=False, users=users, roles=pings.roles, replied_user=pings.replied_user
    )


def content_with_name(name: str, content: str) -> str:
    """As `put_name`; raises `Refused` with the length that fits if the name leaves too little room."""
    named = put_name(name, content)
    if len(named) > DISCORD_LIMIT:
        room = DISCORD_LIMIT - len(named) + len(content)
        raise Refused(
            "too long with its name", code=ErrorCode.INVALID_FORM_BODY, fields=("content",), limit=room
        )
    return named


def put_name(name: str, content: str) -> str:
    """The text with the speaker's name in front, on a line of its own if the text starts a block."""
    if not name:
        return content
    gap = "\n" if content[:1] in _BLOCKS else " "
    return f"**{discord.utils.escape_markdown(name)}:**{gap}{content}".rstrip()


# --- What discord.py knows and does not show -----------------------------------------------------------


ATTEMPT_TIMEOUT = 90.0
"""An answer that takes longer is lost; discord.py waits for rate limits within this time."""
GRACE = 0.25
"""What an answer may take once the gateway has shown the message."""
GATE_PAUSE = 5.0
"""How long a gate that nobody would open stays shut: longer than most global limits."""

_LEFT: set[asyncio.Future[Any]] = set()
"""Requests that nobody waits for any more; discord.py may hold them until their bucket has drained."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A rate limit as the last headers said: requests used, their limit, and seconds until it is reset."""

    used: int
    limit: int
    seconds: float


def find_http(place: object) -> Any | None:  # noqa: ANN401 - discord.http.HTTPClient
    """The HTTP side of the client that a channel, message or interaction belongs to."""
    return getattr(getattr(place, "_state", None), "http", None)


def reopen(http: object) -> None:
    """Let discord.py send again, after a request of ours was cancelled.

    While it waits out a global limit, discord.py holds back all requests; one that is cancelled in that wait
    never lets them go, and the whole bot is silent for ever (`HTTPClient.request` of 2.7.1).
    """
    gate = getattr(http, "_global_over", None)
    if isinstance(gate, asyncio.Event) and not gate.is_set():
        asyncio.get_running_loop().call_later(GATE_PAUSE, gate.set)


@contextmanager
def reopening(http: object) -> Iterator[None]:
    """Guard a request that may be cancelled, so that it does not block all later ones."""
    try:
        yield
    except asyncio.CancelledError:
        reopen(http)
        raise


def find_client(place: object) -> discord.Client | None:
    """The client that a channel, message or interaction belongs to."""
    ask = getattr(getattr(place, "_state", None), "_get_client", None)
    client = ask() if callable(ask) else None
    return client if isinstance(client, discord.Client) else None


def find_bucket(http: Any, channel_id: int, now: float) -> Bucket | None:  # noqa: ANN401
    """The rate limit of new messages in a channel; `None` if it is unknown or makes no sense."""
    route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel_id)
    hashes, buckets = getattr(http, "_bucket_hashes", {}), getattr(http, "_buckets", {})
    known = buckets.get(f"{hashes.get(route.key)}:{route.major_parameters}")
    limit, left = getattr(known, "limit", 0), getattr(known, "remaining", 0)
    if limit < 2 or not 0 <= left <= limit:
        return None
    expires = getattr(known, "expires", None)
    if expires is None or expires <= now:
        return Bucket(0, limit, 0.0)
    return Bucket(limit - left, limit, expires - now)


# --- A message has two witnesses: the answer to its request, and the gateway -------------------------


async def send_and_confirm(
    request: Coroutine[Any, Any, discord.Message], channel: object, nonce: str
) -> discord.Message:
    """The message that was sent, from the answer to its request or from the gateway, whichever is first."""
    answer = asyncio.ensure_future(request)
    shown = _wait_for_gateway(find_client(channel), nonce)
    try:
        async with asyncio.timeout(ATTEMPT_TIMEOUT):
            await asyncio.wait({answer, shown}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                # A gateway that went away has shown nothing: then only the answer counts.
                await asyncio.wait({answer}, timeout=None if _has_failed(shown) else GRACE)
        use_answer = (answer.done() and not _has_failed(answer)) or not shown.done() or _has_failed(shown)
        return answer.result() if use_answer else shown.result()
    finally:
        shown.cancel()
        _abandon(answer, find_http(channel))


def _wait_for_gateway(client: discord.Client | None, nonce: str) -> asyncio.Future[discord.Message]:
    """The message with this nonce once the gateway shows it, which may be never."""
    if client is None or client.is_closed():
        return asyncio.get_running_loop().create_future()
    return asyncio.ensure_future(client.wait_for("message", check=lambda seen: str(seen.nonce) == nonce))


def _has_failed(future: asyncio.Future[discord.Message]) -> bool:
    return future.cancelled() or future.exception() is not None


def _abandon(request: asyncio.Future[discord.Message], http: object) -> None:
    """Cancel a request that is still under way; discord.py may take its time to notice."""
    if request.done():
        return
    request.cancel()
    _LEFT.add(request)
    request.add_done_callback(_forget)
    request.add_done_callback(lambda _: reopen(http))


def _forget(request: asyncio.Future[Any]) -> None:
    _LEFT.discard(request)
    if not request.cancelled():
        request.exception()
