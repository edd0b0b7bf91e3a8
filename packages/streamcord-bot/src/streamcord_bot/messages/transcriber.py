"""Transcribe voice messages with a server that supports OpenAI's `/audio/transcriptions`, also a local one.

https://platform.openai.com/docs/api-reference/audio/createTranscription
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from streamcord.utils import BoundedCache

if TYPE_CHECKING:
    from ..config import VoiceConfig

MAX_AUDIO_BYTES = 8 * 1024 * 1024
"""Larger voice messages are not transcribed."""
MAX_RESPONSE_BYTES = 256 * 1024
MAX_TRANSCRIPTS = 1000
"""Size of the cache, so that each message is transcribed once."""
RETRY_AFTER_S = 600.0
"""A failed transcription is not tried again for this long, so that not every question waits for it."""
BYTES_PER_MINUTE = 240_000
"""Size of a minute in Discord's own clients."""
MIN_BYTES_PER_MINUTE = 45_000
"""Size of a minute of speech at 6 kbit/s, for files that are not in the format of Discord's clients."""

Pay: TypeAlias = Callable[[float], Awaitable[bool]]
"""Called with a cost before it arises; returns whether the budget allows it."""

_log = logging.getLogger(__name__)


class Transcriber(Protocol):
    """Transcribes voice messages."""

    async def transcribe(self, id_: int, content: bytes, kind: str, pay: Pay | None = None) -> str:
        """Return the text of a voice message; empty if it cannot be transcribed. `id_` is the attachment's."""


class HttpTranscriber:
    """Asks a server to transcribe each voice message once."""

    def __init__(self, config: VoiceConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._clock = clock
        self._transcripts: BoundedCache[int, str] = BoundedCache(MAX_TRANSCRIPTS)
        # When a failed message may be tried again.
        self._failed: BoundedCache[int, float] = BoundedCache(MAX_TRANSCRIPTS)

    async def transcribe(self, id_: int, content: bytes, kind: str, pay: Pay | None = None) -> str:
        """Return the text of a voice message; empty if it is too large or too expensive, or the server fails."""
        known = self._transcripts.find(id_)
        if known is not None:
            return known
        if not content or len(content) > MAX_AUDIO_BYTES or self._clock() < (self._failed.find(id_) or 0.0):
            return ""
        # The price is paid for minutes. In a thread: a long message has a hundred thousand packets.
        cost = self._config.price * await asyncio.to_thread(minutes_of, content)
        if cost and pay is not None and not await pay(cost):
            return ""
        try:
            async with asyncio.timeout(self._config.timeout):
                return self._transcripts.keep(id_, await self._ask(content, kind))
        except (OSError, ValueError, TimeoutError, RecursionError) as error:
            # The error text comes from the server and may contain anything: log only its type.
            _log.warning(
                "transcribing a voice message failed, continuing without its text: %s", type(error).__name__
            )
            self._failed.keep(id_, self._clock() + RETRY_AFTER_S)
            return ""

    async def _ask(self, content: bytes, kind: str) -> str:
        import aiohttp  # noqa: PLC0415  (an extra)

        form = aiohttp.FormData()
        form.add_field("model", self._config.model)
        form.add_field("file", content, filename="voice.ogg", content_type=kind or "audio/ogg")
        address = self._config.base_url.rstrip("/") + "/audio/transcriptions"
        headers = {"Authorization": f"Bearer {self._config.key}"} if self._config.key else {}
        try:
            async with (
                aiohttp.ClientSession(headers=headers) as session,
                session.post(address, data=form, allow_redirects=False) as response,
            ):
                response.raise_for_status()
                answer = json.loads(await response.content.read(MAX_RESPONSE_BYTES))
        except aiohttp.ClientError as error:
            raise OSError(type(error).__name__) from None
        text = answer.get("text") if isinstance(answer, dict) else None
        if not isinstance(text, str):
            raise ValueError("the server returned no text")  # noqa: TRY004 - an error of the server, not of the caller
        return text.strip()


def minutes_of(content: bytes) -> float:
    """Return the minutes of a voice message for its price, at least those that its size suggests.

    The stated duration can be forged, and a low bit rate puts hours into a small file. So the packets of an Ogg Opus
    file are counted, as a decoder plays them (https://www.rfc-editor.org/rfc/rfc3533, https://www.rfc-editor.org/rfc/rfc6716#section-3.1).
    """
    if not content.startswith(b"OggS"):
        return len(content) / MIN_BYTES_PER_MINUTE
    at, seconds, begins = 0, 0.0, True
    while content.startswith(b"OggS", at) and at + 27 <= len(content):
        body = at + 27 + content[at + 26]
        sizes, at = content[at + 27 : body], body
        for size in sizes:
            if begins and at + 1 < len(content):
                seconds += _seconds_of_packet(content[at], content[at + 1])
            # A packet continues after a segment of full size.
            begins = size < 255
            at += size
    return max(len(content) / BYTES_PER_MINUTE, seconds / 60)


def _seconds_of_packet(head: int, second: int) -> float:
    """Return the length of an Opus packet by its first two bytes."""
    kind, count = head >> 3, head & 3
    lengths = (
        (0.01, 0.02, 0.04, 0.06)
        if kind < 12
        else (0.01, 0.02) * 2
        if kind < 16
        else (0.0025, 0.005, 0.01, 0.02)
    )
    return lengths[kind & 3] * (second & 63 if count == 3 else 1 if count == 0 else 2)
