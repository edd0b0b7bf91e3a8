"""What a store keeps: personas with their pictures, places, and what was said.

An id of 0 means "none in particular": server 0 is every server (or none, in direct messages), channel 0 the
server as a whole.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import NamedTuple

from .._cast import Persona, Sprite
from .database import Row, as_text, readable

__all__ = [
    "BASE_LOOK",
    "NO_CARD",
    "Account",
    "Change",
    "Memory",
    "PersonaEntry",
    "Picture",
    "Place",
    "Spending",
    "StoredPersona",
    "to_entry",
    "to_whole",
]


@dataclass(frozen=True, slots=True)
class Place:
    """A channel of a server; without a channel the server as a whole, without a server a direct message."""

    guild: int = 0
    channel: int = 0

    @property
    def server(self) -> Place:
        """The server of a channel; a direct message is its own."""
        return Place(self.guild) if self.guild else self


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by its address, by its bytes, or both; `kind` is the media type of the bytes."""

    url: str = ""
    content: bytes = field(default=b"", repr=False)
    kind: str = ""


@dataclass(frozen=True, slots=True)
class PersonaEntry:
    """What every message needs of a persona: its names and looks. Server 0 holds those of every server."""

    persona: Persona
    guild: int = 0

    @property
    def name(self) -> str:
        """What it is called."""
        return self.persona.name


@dataclass(frozen=True, slots=True)
class StoredPersona:
    """A whole persona: what the model is told about it, and the character card that it came from.

    Server 0 holds the personas that every server knows. `card` is the card's JSON text, which may be large:
    nobody parses it but who exports it or tells its lore.
    """

    persona: Persona
    guild: int = 0
    prompt: str = ""
    greeting: str = ""
    card: str = field(default="", repr=False)
    adult: bool = False
    """Whether its card says that it is for age-restricted channels."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.persona.name


@dataclass(frozen=True, slots=True)
class Memory:
    """One answer as it was sent, what the model noted on the side, and in which messages it went out.

    `user` is whom it answered, so that it can be forgotten for them. The store itself writes `at`.
    """

    persona: str
    place: Place
    text: str
    messages: tuple[int, ...]
    details: tuple[str, ...] = ()
    user: int = 0
    at: float = 0.0


class Account(NamedTuple):
    """Whose spending is counted: a person's, a server's, or everybody's (id 0)."""

    kind: str
    """`person`, `server` or `all`."""
    id: int = 0


@dataclass(frozen=True, slots=True)
class Spending:
    """Requests to models, their tokens, and what they cost in millionths of the currency of the prices."""

    requests: int = 0
    tokens: int = 0
    money: int = 0

    def __add__(self, other: Spending) -> Spending:
        return Spending(self.requests + other.requests, self.tokens + other.tokens, self.money + other.money)

    def __sub__(self, other: Spending) -> Spending:
        return Spending(self.requests - other.requests, self.tokens - other.tokens, self.money - other.money)


@dataclass(frozen=True, slots=True)
class Change:
    """Who changed what in a place, for a server's own record. The store itself writes `at`."""

    place: Place
    user: int
    action: str
    detail: str = ""
    at: float = 0.0


# --- Rows into values -----------------------------------------------------------------------------------

BASE_LOOK = ""
"""The key of the base look; no sprite has it, since a name is never blank."""
NO_CARD = "{}"
_NAME_CAP = 10_000


def to_entry(row: Row, looks: list[Row]) -> PersonaEntry:
    """A persona as its row tells of it, and the rows of its looks."""
    guild, _, name, aliases, alter = row
    base = next((as_text(url) for _, _, key, _, _, url, _ in looks if key == BASE_LOOK), None)
    sprites = tuple(readable((look for look in looks if look[2] != BASE_LOOK), _sprite, "looks"))
    names = tuple(as_text(one, _NAME_CAP) for one in json.loads(aliases))
    return PersonaEntry(Persona(as_text(name, _NAME_CAP), names, base or None, sprites, bool(alter)), guild)


def _sprite(look: Row) -> Sprite:
    _, _, _, name, identity, url, size = look
    return Sprite(as_text(name, _NAME_CAP), as_text(url) or None, bool(identity), bool(url or size))


def to_whole(entry: PersonaEntry, texts: Row) -> StoredPersona:
    """The same with its texts."""
    prompt, greeting, card = map(as_text, texts[:3])
    kept = "" if card == NO_CARD else card
    return StoredPersona(entry.persona, entry.guild, prompt, greeting, kept, bool(texts[3]))
