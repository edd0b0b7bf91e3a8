"""One request to Discord: what discord.py knows and does not show, what a request is made of, and its answer.

The client, its HTTP side and the state of a rate limit are private names of discord.py 2.x, so whoever
asks for them may find nothing. Then we count rate limits for ourselves and do without the gateway.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord.http import Route

from .._delivery.error_codes import ErrorCode
from .._delivery.outbox import Pings
from .._errors import Refused
from .._events import ALT_LENGTH, Attachment, Message
from .._settings import DISCORD_LIMIT

__all__ = [
    "Bucket",
    "as_allowed",
    "as_file",
    "as_files",
    "as_named_files",
    "content_with_name",
    "describe_files",
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


GATE_PAUSE = 5.0
"""How long a gate that nobody would open stays shut: longer than most global limits."""


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


ATTEMPT_TIMEOUT = 90.0
"""An answer that takes longer is lost; discord.py waits for rate limits within this time."""
GRACE = 0.25
"""What an answer may take once the gateway has shown the message."""
_LEFT: set[asyncio.Future[Any]] = set()
"""Requests that nobody waits for any more; discord.py may hold them until their bucket has drained."""


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
