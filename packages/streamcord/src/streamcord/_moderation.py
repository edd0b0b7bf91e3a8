"""Check text before a model or people read it: the moderator protocol, a word list, and a moderation endpoint."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from ._common.redaction import UNSEEN
from ._events import Attachment, Figure, Message
from ._exceptions import Overloaded, ProviderError, SettingsError
from ._providers.url_policy import check_base_url, check_header_value

__all__ = ["HttpModerator", "ModerationStage", "Moderator", "WordList", "check_text", "readable_text"]

ModerationStage: TypeAlias = Literal["question", "answer"]
"""`question`: before the model reads a text; `answer`: before people read it."""

MODERATOR_TIMEOUT_S = 15.0
"""How long one moderator may take for one text."""

MAX_FILE_BYTES = 100_000
"""How much of an attached text file is checked."""

_log = logging.getLogger(__name__)


class Moderator(Protocol):
    """Protocol: decides whether a text may be shown; a moderator that raises or times out blocks the text.

    Example:
        class NoLinks:
            async def check(self, text: str, stage: ModerationStage) -> str:
                return "a link" if "https://" in text else ""

        await say(channel, source, moderators=[NoLinks()])

    """

    async def check(self, text: str, stage: ModerationStage, /) -> str:
        """Decide about one text.

        Args:
            text: The text as people would read it.
            stage: Whether it is a question or an answer.

        Returns:
            The reason to block the text, in a few words for the log, or "" to allow it.

        """


async def check_text(moderators: Sequence[Moderator], text: str, stage: ModerationStage) -> str:
    """Ask all moderators in turn whether a text may pass.

    Args:
        moderators: The moderators to ask, in order.
        text: The text to check; blank text always passes.
        stage: Whether it is a question or an answer.

    Returns:
        The reason of the first moderator that blocks the text, or "" if all of them allow it.

    Example:
        if reason := await check_text([WordList(["swordfish"])], message.content, "question"):
            await message.reply("I cannot answer that.")

    """
    for moderator in moderators if text.strip() else ():
        name = type(moderator).__name__
        try:
            async with asyncio.timeout(MODERATOR_TIMEOUT_S):
                reason = await moderator.check(text, stage)
        except Exception as error:
            # Fail closed: text that could not be checked must not be shown.
            _log.error("moderator %s failed, blocking the text", name, exc_info=error)
            return f"{name} failed"
        if reason:
            return reason
    return ""


def readable_text(message: Message) -> str:
    """Return everything in a message that people can read: its content, tables, text files and buttons."""
    texts = [message.content, *(text for file in message.files if (text := _file_text(file)))]
    if message.ask is not None:
        texts += [text for one in message.ask.options for text in (one.label, one.description)]
    return "\n".join(filter(None, texts))


def _file_text(file: Attachment | Figure) -> str:
    if not isinstance(file, Attachment):
        return file.source
    text = file.content[:MAX_FILE_BYTES].decode("utf-8", "ignore")
    # A NUL means that the file is binary.
    return "\n".join([file.name, file.alt, *([text] if "\0" not in text else [])])


# --- Word list -------------------------------------------------------------------------------------------

# Markdown delimiters and invisible characters, which people do not see in a rendered message.
_DECORATION = re.compile(rf"[\\*_~|`{UNSEEN}]+")

# Scripts that put no spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean).
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


class WordList:
    """Blocks texts that contain one of these words or phrases, in any case and with any decoration.

    Args:
        words: Words or phrases. They match whole words only, except in scripts without spaces between words.
        stages: Which texts are checked; by default questions and answers.

    Raises:
        SettingsError: `words` is one text instead of a list.

    Example:
        await say(channel, source, moderators=[WordList(["swordfish", "open sesame"])])

    """

    def __init__(
        self, words: Iterable[str], *, stages: Iterable[ModerationStage] = ("question", "answer")
    ) -> None:
        if isinstance(words, str):
            raise SettingsError("words", "a list of words, as in WordList([...])", words)
        plain = sorted({_normalize(word).strip() for word in words} - {""}, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_word_pattern, plain))) if plain else None
        self._stages = frozenset(stages)

    async def check(self, text: str, stage: ModerationStage, /) -> str:
        """Return why the text may not pass, without the word itself, since logs contain no user text."""
        if self._pattern is None or stage not in self._stages:
            return ""
        return "a word of the list" if self._pattern.search(_normalize(text)) else ""


def _normalize(text: str) -> str:
    """Return a text as people read it: case-folded plain letters, single spaces, nothing invisible."""
    return " ".join(unicodedata.normalize("NFKC", _DECORATION.sub("", text)).casefold().split())


def _word_pattern(word: str) -> str:
    first = "" if _SPACELESS.match(word[0]) else r"(?<!\w)"
    last = "" if _SPACELESS.match(word[-1]) else r"(?!\w)"
    return f"{first}{re.escape(word)}{last}"


# --- Moderation endpoint ---------------------------------------------------------------------------------

MAX_INPUT_CHARS = 32_000
"""Longer texts are checked in several requests."""

MAX_RESPONSE_BYTES = 1_000_000

_MAX_CATEGORY_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpModerator:
    """Asks a provider's `POST /moderations` endpoint, as OpenAI and compatible servers have it.

    A text that could not be checked is blocked unless `fail_open` is set. Needs aiohttp.
    https://platform.openai.com/docs/api-reference/moderations

    Raises:
        SettingsError: The URL or the key is invalid.

    Example:
        await say(channel, source, moderators=[HttpModerator(key=openai_key)])

    """

    key: str = field(default="", repr=False)
    """The API key; it is only sent over https or to this machine."""
    base_url: str = "https://api.openai.com/v1"
    """The URL of the API."""
    model: str = "omni-moderation-latest"
    """The name of the moderation model."""
    timeout: float = 10.0
    """Seconds that one request may take."""
    fail_open: bool = False
    """Whether a text passes if the server is unreachable or its response is invalid."""
    stages: Iterable[ModerationStage] = ("question", "answer")
    """Which texts are checked."""

    def __post_init__(self) -> None:
        check_base_url(self.base_url)
        check_header_value("key", self.key)

    async def check(self, text: str, stage: ModerationStage, /) -> str:
        """Return the categories of harm that the server finds, or "" if there are none.

        Raises:
            ProviderError: The server could not be asked and `fail_open` is not set.

        """
        if stage not in self.stages:
            return ""
        try:
            for start in range(0, len(text), MAX_INPUT_CHARS):
                if reason := _flagged_categories(await self._post(text[start : start + MAX_INPUT_CHARS])):
                    return reason
        except ProviderError:
            if self.fail_open:
                return ""
            raise
        return ""

    async def _post(self, text: str) -> bytes:
        import aiohttp  # noqa: PLC0415  (an extra)

        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        limit = aiohttp.ClientTimeout(total=self.timeout)
        try:
            async with (
                aiohttp.ClientSession(timeout=limit, headers=headers) as session,
                session.post(
                    f"{self.base_url.rstrip('/')}/moderations",
                    json={"model": self.model, "input": text},
                    # The key must not follow a redirect to another host.
                    allow_redirects=False,
                ) as response,
            ):
                body = await response.content.read(MAX_RESPONSE_BYTES)
                status = response.status
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            # Without its cause: an error about a header would quote the key.
            raise Overloaded("The moderation endpoint cannot be reached.") from None
        if status != 200:
            raise ProviderError(f"The moderation endpoint answered {status}.")
        return body


def _flagged_categories(body: bytes) -> str:
    """Return the categories that a response flags, separated by commas."""
    try:
        results = json.loads(body)["results"]
        flagged = [result["categories"] for result in results if result["flagged"]]
        found = {
            str(category)[:_MAX_CATEGORY_CHARS]
            for categories in flagged
            for category, is_flagged in categories.items()
            if is_flagged
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ProviderError("The moderation endpoint sent an invalid response.") from None
    return ", ".join(sorted(found)) or ("flagged" if flagged else "")
