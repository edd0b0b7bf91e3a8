"""A question as the bot handles it: the messages it consists of, and how it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import discord

from streamcord.store import TurnJournal

from .chat_message import ChatMessage

__all__ = ["AnswerKind", "Question"]


class AnswerKind(StrEnum):
    """What is wanted: an answer, another one, or more of the same."""

    ANSWER = "answer"
    REGENERATE = "regenerate"
    CONTINUE = "continue"


@dataclass(slots=True, eq=False)
class Question:
    """One person's question, of one or more messages; the last one is replied to."""

    owner: int
    messages: list[ChatMessage]
    kind: AnswerKind = AnswerKind.ANSWER
    since: float | None = None
    """When its first message came; set by the queue."""
    ready: float = 0.0
    """When it may be answered."""
    hold: float = 0.0
    """Until when nothing of the answer is shown, since its author may go on."""
    seen_at: float = float("-inf")
    """When people were last shown that it is going to be answered."""
    discarded: bool = False
    """Its question was changed: what was said to it goes away."""
    replaces: tuple[int, ...] = ()
    """Messages of the answer that this one replaces or continues."""
    reply: discord.Interaction[Any] | None = None
    """The command that it was asked with; the answer is the reply to it."""
    private: bool = False
    """Whether only who asked sees the answer to their command."""
    restarts: int = 0
    """How often its answer began anew because its author went on or changed it."""
    asked_by: int = 0
    """Who pressed the button, if it is not the owner's own doing: it is on their budget."""

    journal: TurnJournal | None = None
    """An answer to it that broke off and goes on."""
    waits: TurnJournal | None = None
    """Keeps a command that waits, since no message tells of it."""

    @property
    def payer(self) -> int:
        """On whose budget it is answered."""
        return self.asked_by or self.owner

    @property
    def channel(self) -> int:
        """Where it was asked."""
        return self.messages[-1].channel

    def has(self, id_: int) -> bool:
        """Whether this message is a part of it."""
        return any(message.id == id_ for message in self.messages)
