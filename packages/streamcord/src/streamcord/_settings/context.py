"""What is different for every answer: the persona, the people, the emoji, and what was said before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._common.fields import build, check_fields, describe_fields, setting
from .._events import Speaker
from .._personas import Emoji, Person, Persona


@dataclass(frozen=True, kw_only=True)
class AnswerContext:
    """Who takes part in the conversation, and what was said before.

    Unlike `Settings`, it is different for every answer. All fields are optional.

    Raises:
        SettingsError: A value has the wrong type.

    Example:
        luna = Persona("Luna", avatar="https://example.com/luna.png")
        await say(message, stream, context=AnswerContext(persona=luna, people=(Person(id=1234, handle="ann"),)))

    """

    # --- Who speaks ---
    persona: Persona | None = setting(
        None, "The persona that speaks; its name before a line is a label and not shown."
    )
    personas: tuple[Persona, ...] = setting(
        (),
        "The other personas of the conversation: their appearance may be used, and their lines end the answer "
        "(see `speaker_guard`).",
    )
    # --- Who and what can be named: names in the text become mentions, shortcodes become emoji ---
    people: tuple[Person, ...] = setting(
        (), "The people of the conversation, or of the server, who may be mentioned."
    )
    asker: str = setting(
        "", "The name of the person who asked, for `{{user}}`; if empty, that of the only one of `people`."
    )
    emoji: tuple[Emoji, ...] = setting(
        (), "The server's custom emoji; without any, shortcodes and tags stay as they are."
    )
    # --- What came before, so that an emoji is not repeated and a name is not shown twice ---
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
        """Build the context from a TOML table or a JSON object.

        Args:
            values: Field names and values.

        Raises:
            SettingsError: A key is unknown, or a value does not fit.

        Example:
            >>> AnswerContext.from_mapping({"persona": {"name": "Luna"}}).persona.name
            'Luna'

        """
        return build(cls, "context", values)


NO_CONTEXT = AnswerContext()
"""The context of an answer without persona, people, emoji or earlier messages."""

# Appended, because the descriptions of the fields are written once, in `setting`.
AnswerContext.__doc__ = (AnswerContext.__doc__ or "") + describe_fields(AnswerContext)
