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

__all__ = ["HttpTranscriber", "Pay", "Transcriber"]

MAX_AUDIO_BYTES = 8 * 1024 * 1024
"""Larger voice messages are not transcribed."""
MAX_RESPONSE_BYTES = 256 * 1024
MAX_TRANSCRIPTS = 1000
"""Size of the cache, so that each message is transcribed once."""
RETRY_AFTER_S = 600.0
"""A failed transcription is not tried again for this long, so that not every question waits for it."""
BYTES_PER_MINUTE = 240_000
"""Size of a minute in Discord's own clients; costs follow from the size, since the stated duration can be forged."""

Pay: TypeAlias = Callable[[float], Awaitable[bool]]
"""Called with a cost before it arises; returns whether the budget allows it."""

_log = logging.getLogger(__name__)


class Transcriber(Protocol):
    """Transcribes voice messages."""

    async def transcribe(self, id_: int, content: bytes, kind: str, pay: Pay | None = None) -> str:
        """Return the text of a voice message; empty if it cannot be transcribed. `id_` is the attachment's."""
        ...


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
        cost = self._config.price * len(content) / BYTES_PER_MINUTE
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
