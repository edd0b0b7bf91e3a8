"""Voice messages as text, by a server that speaks OpenAI's `/audio/transcriptions` (also local ones)."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from streamcord.utils import BoundedCache

if TYPE_CHECKING:
    from ..config.sections import VoiceConfig

__all__ = ["HttpTranscriber", "Pay", "Transcriber"]

BYTES = 8 * 1024 * 1024
"""A voice message that is larger is not sent anywhere."""
ANSWER_BYTES = 256 * 1024
KEPT = 1000
"""Transcripts that are kept, so that a message is listened to once."""
PAUSE = 600.0
"""Seconds for which one that failed is left alone: nobody shall wait for it with every question."""
BYTES_A_MINUTE = 240_000
"""Of a voice message from Discord's own programs; how long one says that it is, anybody can write."""

Pay: TypeAlias = Callable[[float], Awaitable[bool]]
"""Is asked before something costs money, with how much; whether it may."""

_log = logging.getLogger(__name__)


class Transcriber(Protocol):
    """Whoever can write down what was said in a voice message."""

    async def transcribe(self, id_: int, content: bytes, kind: str, pay: Pay | None = None) -> str:
        """The words of a voice message; empty if they cannot be had. The id is the attachment's."""
        ...


class HttpTranscriber:
    """Asks a server for the words of each voice message once."""

    def __init__(self, config: VoiceConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._clock = clock
        self._kept: BoundedCache[int, str] = BoundedCache(KEPT)
        self._failed: BoundedCache[int, float] = BoundedCache(KEPT)

    async def transcribe(self, id_: int, content: bytes, kind: str, pay: Pay | None = None) -> str:
        """The words of a voice message; empty if it is too large or too dear, or the server fails."""
        known = self._kept.find(id_)
        if known is not None:
            return known
        if not content or len(content) > BYTES or self._clock() < (self._failed.find(id_) or 0.0):
            return ""
        cost = self._config.price * len(content) / BYTES_A_MINUTE
        if cost and pay is not None and not await pay(cost):
            return ""
        try:
            async with asyncio.timeout(self._config.timeout):
                return self._kept.keep(id_, await self._ask(content, kind))
        except (OSError, ValueError, TimeoutError) as error:
            # The server's own words may hold anything; its kind of failure is enough.
            _log.warning("a voice message could not be transcribed: %s", type(error).__name__)
            self._failed.keep(id_, self._clock() + PAUSE)
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
                answer = json.loads(await response.content.read(ANSWER_BYTES))
        except aiohttp.ClientError as error:
            raise OSError(type(error).__name__) from None
        text = answer.get("text") if isinstance(answer, dict) else None
        if not isinstance(text, str):
            raise ValueError("no text")  # noqa: TRY004 - what a server says, not who called
        return text.strip()
