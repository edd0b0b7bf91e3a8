"""The values that a store saves and returns, and how they are parsed from rows.

An id of 0 means "not a particular one": guild 0 is every server (or none, in direct messages), channel 0 is
the server as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._personas import Persona, Sprite
from .database import Row, as_text, parse_rows


@dataclass(frozen=True, slots=True)
class Place:
    """A channel of a server; without a channel the server as a whole, without a server a direct message.

    Example:
        Place(guild=message.guild.id, channel=message.channel.id)

    """

    guild: int = 0
    channel: int = 0

    @property
    def server(self) -> Place:
        """The server of a channel; a direct message is its own."""
        return Place(self.guild) if self.guild else self


@dataclass(frozen=True, slots=True)
class Picture:
    """An image by its URL, by its bytes, or both; `kind` is the media type of the bytes.

    Example:
        Picture(content=png_bytes, kind="image/png")

    """

    url: str = ""
    content: bytes = field(default=b"", repr=False)
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a user asked something; it keeps a question from being answered twice after a restart.

    Example:
        channels = {trace.channel for trace in await store.traces_of(user.id)}

    """

    kind: str
    """`question`, or `newest direct message`: the last one that was received."""
    channel: int
    message: int
    at: float
    """When it was received, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class PersonaEntry:
    """The part of a persona that every message needs: its names and sprites. Guild 0 means every server.

    Example:
        names = [entry.persona.name for entry in await store.personas(guild.id)]

    """

    persona: Persona
    guild: int = 0

    @property
    def name(self) -> str:
        """The persona's name."""
        return self.persona.name


@dataclass(frozen=True, slots=True)
class StoredPersona:
    """A whole persona: its prompts, and the character card that it was imported from.

    Guild 0 holds the personas that every server can use. `card` is the card's JSON text; it may be large, so
    it is parsed only for an export and for its lorebook.

    Example:
        await store.save_persona(StoredPersona(Persona("Luna"), guild.id, prompt="You are Luna."))

    """

    persona: Persona
    guild: int = 0
    prompt: str = ""
    greeting: str = ""
    card: str = field(default="", repr=False)
    adult: bool = False
    """Whether the card is tagged as suitable for age-restricted channels only."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings that apply to this persona only, by their names."""

    @property
    def name(self) -> str:
        """The persona's name."""
        return self.persona.name


@dataclass(frozen=True, slots=True)
class Memory:
    """One answer as it was sent, with the model's side notes and the ids of its messages.

    `user` asked the question, and may have the answer deleted. The store sets `at` itself.

    Example:
        ids = tuple(receipt.id for receipt in result.receipts)
        await store.remember(Memory("Luna", place, result.text, ids, user=message.author.id))

    """

    persona: str
    place: Place
    text: str
    messages: tuple[int, ...]
    details: tuple[str, ...] = ()
    user: int = 0
    at: float = 0.0
    variants: tuple[str, ...] = ()
    """All texts that the answer was given, `text` included; empty if there was only one."""


class Account(NamedTuple):
    """Whose spending is counted: one user's, one server's, or the whole bot's (id 0).

    Example:
        Account("person", message.author.id)

    """

    kind: str
    """`person`, `server` or `all`."""
    id: int = 0


@dataclass(frozen=True, slots=True)
class Spending:
    """Requests to models, their tokens, and their cost in millionths of the configured currency.

    Example:
        total = Spending(requests=1, tokens=900, money=1_200) + Spending(requests=1)

    """

    requests: int = 0
    tokens: int = 0
    money: int = 0

    def __add__(self, other: Spending) -> Spending:
        return Spending(self.requests + other.requests, self.tokens + other.tokens, self.money + other.money)

    def __sub__(self, other: Spending) -> Spending:
        return Spending(self.requests - other.requests, self.tokens - other.tokens, self.money - other.money)


@dataclass(frozen=True, slots=True)
class Change:
    """An entry of a server's audit log: who changed what, and where. The store sets `at` itself.

    Example:
        Change(Place(guild.id, channel.id), user.id, "degree", "1 -> 3")

    """

    place: Place
    user: int
    action: str
    detail: str = ""
    at: float = 0.0


# --- Parsing rows ---------------------------------------------------------------------------------------

BASE_SPRITE = ""
"""The key of the base avatar; no other sprite has it, because a name is never blank."""
NO_CARD = "{}"
"""Saved for a persona without a card."""
_MAX_NAME_CHARS = 10_000


def parse_entry(row: Row, sprites: list[Row]) -> PersonaEntry:
    """Parse a row of `personas` and the rows of its sprites."""
    guild, _, name, aliases, alter = row
    base = next((as_text(url) for _, _, key, _, _, url, *_ in sprites if key == BASE_SPRITE), None)
    others = (sprite for sprite in sprites if sprite[2] != BASE_SPRITE)
    parsed = tuple(parse_rows(others, _parse_sprite, "sprites"))
    names = tuple(as_text(one, _MAX_NAME_CHARS) for one in json.loads(aliases))
    return PersonaEntry(
        Persona(as_text(name, _MAX_NAME_CHARS), names, base or None, parsed, bool(alter)), guild
    )


def _parse_sprite(row: Row) -> Sprite:
    _, _, _, name, identity, url, size, instruction = row
    return Sprite(
        as_text(name, _MAX_NAME_CHARS),
        as_text(url) or None,
        bool(identity),
        bool(url or size),
        as_text(instruction, _MAX_NAME_CHARS),
    )


def parse_persona(entry: PersonaEntry, texts: Row) -> StoredPersona:
    """Add the texts of a persona to its names and sprites."""
    prompt, greeting, card = map(as_text, texts[:3])
    card = "" if card == NO_CARD else card
    settings = json.loads(as_text(texts[4]))
    return StoredPersona(
        entry.persona,
        entry.guild,
        prompt,
        greeting,
        card,
        bool(texts[3]),
        settings if isinstance(settings, dict) else {},
    )
