"""A question of a user: its messages, and how it was asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import discord

from streamcord import Receipt
from streamcord.store import TurnJournal

from ..config.answer import FollowUp
from .chat_message import ChatMessage


class AnswerKind(StrEnum):
    """What the user wants: an answer, another one, or more of the same."""

    ANSWER = "answer"
    REGENERATE = "regenerate"
    CONTINUE = "continue"
    DECIDED = "decided"
    """A person has decided what the answer asked; the answer continues with that."""


@dataclass(slots=True, eq=False)
class Question:
    """One person's question, of one or more messages; the bot replies to the last one.

    It has more than 15 attributes because the queue, the answer and recovery share it.
    """

    owner: int
    messages: list[ChatMessage]
    kind: AnswerKind = AnswerKind.ANSWER
    since: float | None = None
    """When its first message arrived; set by the queue."""
    ready_at: float = 0.0
    """When it may be answered."""
    gathers_until: float = 0.0
    """Until this time, further messages of the author belong to it without a mention, and its answer starts over."""
    seen_at: float = float("-inf")
    """When the typing indicator was last shown for it."""
    discarded: bool = False
    """The question was edited or its author wrote more at once: messages of the old answer are deleted."""
    replaces: tuple[int, ...] = ()
    """Messages of the answer that this one replaces or continues."""
    earlier: tuple[Receipt, ...] = ()
    """The messages of the answer that this one replaces, if they can be edited."""
    variants: tuple[str, ...] = ()
    """Texts of the answer that this one replaces, the newest last; empty if they are not kept."""
    reply: discord.Interaction[Any] | None = None
    """The command that it was asked with; the answer is sent as its reply."""
    is_late: bool = False
    """Discord accepted no reply to the command any more: the answer goes to the channel."""
    private: bool = False
    """Whether only the user of the command sees the answer.

    `AnswerFinisher` and `RecentAnswers` decide what this means: such an answer leaves nothing that others can read.
    """
    follow_up: FollowUp = "interrupt"
    """What a message of its author does while it is answered."""
    has_begun: bool = False
    """Whether words of its answer are shown, or a tool was called."""
    waited: bool = False
    """Whether it is a follow-up that waited: answers that were sent meanwhile belong before it."""
    steered: list[ChatMessage] = field(default_factory=list)
    """Follow-ups that reached the model while it answered: this answer is also theirs."""
    may_steer: bool = True
    """Whether it may reach a running answer; false once a moderator has objected to it."""
    restarts: int = 0
    """How often its answer was restarted because the author wrote more or edited it."""
    asked_by: int = 0
    """The user who pressed the button, if not the owner; they pay for the answer."""

    persona: str = ""
    """The persona that answers; empty is the one of the channel."""
    rounds: int = 0
    """How many personas before it spoke to the next one, since a person asked."""
    is_shared: bool = False
    """Whether another persona answers the same messages first, so that they are claimed already."""

    ask: str = ""
    """The row of the decision that the answer continues with."""
    ask_actor: str = ""
    """Who has taken that decision: an id that stays when another process resumes the answer."""

    journal: TurnJournal | None = None
    """The journal of an interrupted answer that is resumed."""
    waiting_turn: TurnJournal | None = None
    """The journal entry of a command or follow-up that waits; it may not be found in the channel again."""

    @property
    def is_resumed(self) -> bool:
        """Whether its answer was interrupted, and this process resumes it."""
        return self.journal is not None

    @property
    def payer(self) -> int:
        """The user whose budget pays for the answer."""
        return self.asked_by or self.owner

    @property
    def takes_messages(self) -> bool:
        """Whether later messages of the owner belong to it, so that its answer may start over with them.

        A command is complete: joining it to a message would answer a private question in the channel. So is what
        another persona said.
        """
        return self.kind is AnswerKind.ANSWER and self.reply is None and not self.messages[-1].own

    @property
    def open_reply(self) -> discord.Interaction[Any] | None:
        """The command whose reply is the answer; `None` if the answer goes to the channel."""
        return None if self.is_late else self.reply

    @property
    def channel(self) -> int:
        """Where it was asked."""
        return self.messages[-1].channel

    @property
    def ids(self) -> list[int]:
        """All messages that its answer answers."""
        return [message.id for message in (*self.messages, *self.steered)]

    def takes(self, message: ChatMessage) -> bool:
        """Return whether a later message may belong to it."""
        return self.takes_messages and message.author == self.owner

    def has(self, id_: int) -> bool:
        """Return whether this message is a part of the question."""
        return any(message.id == id_ for message in self.messages)
