"""What the model is told about itself before it reads anything: who it is, its looks, what it remembers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from streamcord import Emoji, Persona
from streamcord.store import Memory

from .prompt_history import tidy_name

__all__ = ["CONTINUE", "NUDGE", "instruct"]

CONTINUE = "[Go on exactly where your last message ended. Do not repeat any of it.]"
NUDGE = "[Your last answer was empty. Answer in words that people can see.]"

_MANNERS = (
    "Each message of other people begins with their name. You are {name}: write only what {name} says, "
    "without a name in front."
)
EMOJI_CAP = 60
MEMORY_LENGTH = 400
DETAILS_LENGTH = 2000


def instruct(
    persona: Persona,
    prompt: str,
    memories: Sequence[Memory] = (),
    shown: Collection[int] = (),
    emoji: Iterable[Emoji] = (),
) -> str:
    """The system prompt; memories of messages that are `shown` in the conversation are not told twice."""
    name = tidy_name(persona.name)
    sections = [
        prompt.strip() or f"You are {name}, a friendly member of a Discord server.",
        _MANNERS.format(name=name),
        _looks(persona, name),
        _emoji(emoji),
        _answers(memories, frozenset(shown)),
        _details(memories),
    ]
    return "\n\n".join(section for section in sections if section)


def _looks(persona: Persona, name: str) -> str:
    looks = [sprite.name for sprite in persona.sprites if sprite.usable]
    if not looks:
        return ""
    return f"To change your look, begin a line with `{name} (look): `. Your looks: {', '.join(looks)}."


def _emoji(emoji: Iterable[Emoji]) -> str:
    names = [f":{one.name}:" for one in emoji][:EMOJI_CAP]
    return f"Emoji of this server that you may use: {' '.join(names)}" if names else ""


def _answers(memories: Sequence[Memory], shown: frozenset[int]) -> str:
    told = [memory for memory in memories if not shown.intersection(memory.messages) and memory.text.strip()]
    lines = [f"- {_short(memory.text, MEMORY_LENGTH)}" for memory in told]
    return "\n".join(["What you said elsewhere lately, the oldest first:", *lines]) if lines else ""


def _details(memories: Sequence[Memory]) -> str:
    """Notes of the model to itself; the newest count most, so the oldest go first."""
    notes = [note.strip() for memory in memories for note in memory.details if note.strip()]
    text = "\n\n".join(notes)
    if len(text) > DETAILS_LENGTH:
        text = "…" + text[-DETAILS_LENGTH:]
    return f"Notes that you made for yourself:\n{text}" if text else ""


def _short(text: str, length: int) -> str:
    words = " ".join(text.split())
    return words if len(words) <= length else words[: length - 1] + "…"
