"""What is different for every answer: the persona, the people, the emoji, and what was said before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._common.fields import build, check_fields, describe_fields, setting
from .._events import Speaker
from .._personas import Emoji, Person, Persona

__all__ = ["NO_CONTEXT", "AnswerContext"]


@dataclass(frozen=True, kw_only=True)
class AnswerContext:
    """What belongs to one answer: who takes part in the conversation, and what was said before.

    Unlike `Settings`, it is different for every answer.
    """

    persona: Persona | None = setting(
        None, "The persona that speaks; its name before a line is a label and not shown."
    )
    personas: tuple[Persona, ...] = setting(
        (),
        "The other personas of the conversation: their appearance may be used, and their lines end the answer "
        "(see `speaker_guard`).",
    )
    people: tuple[Person, ...] = setting(
        (), "The people of the conversation, or of the server, who may be mentioned."
    )
    emoji: tuple[Emoji, ...] = setting(
        (), "The server's custom emoji; without any, shortcodes and tags stay as they are."
    )
    recent_messages: tuple[str, ...] = setting((), "Our own last messages before this turn, the newest last.")
    previous_speaker: Speaker | None = setting(
        None, "The speaker of our last message, if it is recent and no other message followed it."
    )
    prefill: str = setting(
        "", "What the answer was made to begin with; shown once, and stripped where the model repeats it."
    )

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> AnswerContext:
        """Return the context of a TOML table or a JSON object, whose keys are the field names."""
        return build(cls, "context", values)


NO_CONTEXT = AnswerContext()
"""The context of an answer without persona, people, emoji or earlier messages."""

AnswerContext.__doc__ = (AnswerContext.__doc__ or "") + describe_fields(AnswerContext)
