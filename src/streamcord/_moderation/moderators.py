"""Who may hold a text back, and how several of them are asked; a list of words is the simplest."""

from __future__ import annotations

import asyncio
import logging
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypeAlias

from .._errors import SettingsError
from .._events import Attachment, Message, Table
from .._shared.safety.secret_texts import UNSEEN

__all__ = ["ModerationStage", "Moderator", "WordList", "check_text", "words_of"]

ModerationStage: TypeAlias = Literal["question", "answer"]
"""Before the model reads a text, or before people do."""
TIMEOUT = 15.0
"""Seconds that a moderator may take."""
FILE_LENGTH = 100_000

_log = logging.getLogger("streamcord")


class Moderator(Protocol):
    """Looks at texts; one that raises or takes too long holds the text back."""

    async def check(self, text: str, stage: ModerationStage, /) -> str:
        """Why the text may not pass, in a few words for a log; empty if it may."""
        ...


async def check_text(moderators: Sequence[Moderator], text: str, stage: ModerationStage) -> str:
    """Why a text may not pass, from the first moderator that says so; empty if it may."""
    for moderator in moderators if text.strip() else ():
        name = type(moderator).__name__
        try:
            async with asyncio.timeout(TIMEOUT):
                reason = await moderator.check(text, stage)
        except Exception as error:
            # Whoever asked for a check does not want what was not checked.
            _log.error("the moderator %s failed", name, exc_info=error)
            return f"{name} failed"
        if reason:
            return reason
    return ""


def words_of(message: Message) -> str:
    """Everything in a message that people can read: its words, its tables, and files that are text."""
    texts = [message.content, *(text for file in message.files if (text := _read(file)))]
    return "\n".join(filter(None, texts))


def _read(file: Attachment | Table) -> str:
    if isinstance(file, Table):
        return file.source
    text = file.content[:FILE_LENGTH].decode("utf-8", "ignore")
    return "\n".join([file.name, file.alt, *([text] if "\0" not in text else [])])


# --- A list of words -------------------------------------------------------------------------------------

_UNSEEN = re.compile(rf"[\\*_~|`{UNSEEN}]+")
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


class WordList:
    """Holds back texts with one of these words or phrases, in any case and behind any decoration.

    words: whole words, except in scripts that set no spaces between words.
    stages: which texts are looked at; both kinds, if left out.
    """

    def __init__(
        self, words: Iterable[str], *, stages: Iterable[ModerationStage] = ("question", "answer")
    ) -> None:
        if isinstance(words, str):
            raise SettingsError("words", "a list of words, as in WordList([...])", words)
        plain = sorted({_plain(word).strip() for word in words} - {""}, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_bounded, plain))) if plain else None
        self._stages = frozenset(stages)

    async def check(self, text: str, stage: ModerationStage, /) -> str:
        """Why the text may not pass; the word itself is not told, since logs hold no words."""
        if self._pattern is None or stage not in self._stages:
            return ""
        return "a word of the list" if self._pattern.search(_plain(text)) else ""


def _plain(text: str) -> str:
    """A text as people read it: small plain letters, single spaces, nothing that cannot be seen."""
    return " ".join(unicodedata.normalize("NFKC", _UNSEEN.sub("", text)).casefold().split())


def _bounded(word: str) -> str:
    first = "" if _SPACELESS.match(word[0]) else r"(?<!\w)"
    last = "" if _SPACELESS.match(word[-1]) else r"(?!\w)"
    return f"{first}{re.escape(word)}{last}"
