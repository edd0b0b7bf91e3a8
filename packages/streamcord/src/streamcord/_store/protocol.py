"""The protocol of a store: every operation that a bot needs, whatever database it uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from .._events import Decision
from .._personas import Sprite
from .ask_repository import AskRow
from .models import Account, Change, Memory, PersonaEntry, Picture, Place, Spending, StoredPersona, Trace


class Store(Protocol):
    """Everything that a bot keeps; `open_store` opens one in SQLite or PostgreSQL.

    Example:
        async with await open_store("bot.db") as store:
            persona = await store.find_persona(guild.id, "Luna")

    """

    # Who can speak.

    async def personas(self, guild: int) -> tuple[PersonaEntry, ...]:
        """The server's own personas, then those of server 0 that it has no own one for; each by name.

        This is asked for every message: it holds names and sprites, neither texts nor cards.
        """

    async def find_persona(self, guild: int, name: str) -> StoredPersona | None:
        """The server's own persona of that name with all its texts, else the common one."""

    async def save_persona(self, stored: StoredPersona, *, was: str | None = None) -> None:
        """Save a persona and those of its pictures that have an address; other pictures and all bytes stay.

        `was` is the name that it had until now, if it changes.
        """

    async def remove_persona(self, guild: int, name: str) -> bool:
        """Forget a persona of this server, its sprites, memories and choices; says whether there was one."""

    async def save_avatar(self, guild: int, persona: str, picture: Picture) -> None:
        """Keep the picture of a persona's base look."""

    async def save_sprite(self, guild: int, persona: str, sprite: Sprite, picture: Picture) -> None:
        """Keep a sprite and its picture; one of the same name is replaced."""

    async def remove_sprite(self, guild: int, persona: str, sprite: str) -> bool:
        """Forget a sprite; says whether there was one."""

    async def find_picture(self, guild: int, persona: str, sprite: str = "") -> Picture | None:
        """The picture of a sprite, or of the base look, bytes included."""

    async def picture_urls(self) -> Mapping[str, frozenset[int]]:
        """The addresses of all pictures of an avatar or sprite, each with the ids of the servers that use it."""

    async def remove_picture_url(self, url: str) -> None:
        """Forget an address that no longer works, on every server; the bytes of its pictures stay."""

    async def persona_bytes(self, guild: int) -> int:
        """How much the personas of a server take, about: bytes of pictures, characters of texts and cards."""

    async def choose_persona(self, place: Place, name: str | None) -> None:
        """Choose the persona of a channel or server; `None` removes the choice."""

    async def find_choice(self, place: Place) -> str | None:
        """The name of the persona that was chosen for the channel, else for its server."""

    # What was set.

    async def settings(self, place: Place) -> dict[str, Any]:
        """What was set for exactly this place."""

    async def change_settings(self, place: Place, changes: Mapping[str, Any]) -> None:
        """Set values of a place; `None` unsets one, what is not named stays."""

    # Single messages.

    async def label_messages(self, labels: Mapping[int, str]) -> None:
        """Note under which label (`Luna (mad): `) messages were sent."""

    async def labels(self, messages: Iterable[int]) -> dict[int, str]:
        """The labels of those messages that have one."""

    async def save_table(self, message: int, source: str) -> None:
        """Keep the Markdown of a table that a message shows as a picture, for two hours."""

    async def find_table(self, message: int) -> str | None:
        """The Markdown of a message's table, if it is not too long ago."""

    async def forget_messages(self, messages: Iterable[int]) -> None:
        """Forget messages that were deleted: their labels, tables and answers."""

    # What was said.

    async def remember(self, memory: Memory) -> None:
        """Keep an answer; of a persona's answers in a channel only the last ten stay."""

    async def find_answer(self, message: int) -> Memory | None:
        """The answer that this message is a part of, with its variants; `None` if it is not kept."""

    async def recall(self, persona: str, place: Place) -> tuple[Memory, ...]:
        """The last ten answers of a persona in a channel, or in a whole server; the newest last."""

    async def forget(self, place: Place, persona: str | None = None) -> int:
        """Forget the answers in a place, of one persona or of all; says how many."""

    async def forget_person(self, user: int) -> int:
        """Forget every answer to this person, everywhere, and what they have spent; says how many answers."""

    # What it cost.

    async def add_spending(self, day: int, amounts: Mapping[Account, Spending]) -> dict[Account, Spending]:
        """Add to what these accounts have spent, all or nothing; returns their new totals of that day."""

    async def spending(self, day: int, accounts: Iterable[Account]) -> dict[Account, Spending]:
        """What these accounts have spent on a day."""

    # What people and servers may ask for.

    async def memories_of(self, user: int) -> tuple[Memory, ...]:
        """Every answer to this person that is kept, in all places, the oldest first."""

    async def traces_of(self, user: int, direct: int = 0) -> tuple[Trace, ...]:
        """Where and when this person asked lately; `direct` is the channel of their direct messages, if known."""

    async def refuse_memory(self, user: int, *, refused: bool = True) -> None:
        """Note that answers to this person are not to be remembered, or may be again."""

    async def refuses_memory(self, user: int) -> bool:
        """Whether answers to this person are not to be remembered; who remembers must ask first."""

    async def forget_place(self, place: Place) -> None:
        """Forget everything of a channel, or of a whole server: memories, settings, choices, personas."""

    async def forget_before(self, at: float) -> int:
        """Forget answers and changes that are older than this moment; says how many answers."""

    async def record_change(self, change: Change) -> None:
        """Keep a change; of a server the newest 500 stay."""

    async def changes(self, guild: int, cap: int = 50) -> tuple[Change, ...]:
        """The last changes in a server, the newest first."""

    async def changes_by(self, user: int) -> tuple[Change, ...]:
        """Every change that this person made and that is kept, the newest first."""

    # What people are asked.

    async def open_ask(self, row: AskRow) -> None:
        """Keep a question before it is sent."""

    async def find_ask(self, id_: str) -> AskRow | None:
        """The question with this id, with its decision if there is one."""

    async def place_ask(self, id_: str, message: int) -> None:
        """Note which message shows the question."""

    async def decide_ask(
        self,
        id_: str,
        decision: Decision,
        *,
        allows: str = "",
        change: Change | None = None,
        message: int = 0,
    ) -> bool:
        """Make the decision, if the question is open and has not expired; says whether this call made it.

        Of all calls for one question, in all processes, exactly one returns true.
        """

    async def take_ask(self, id_: str, turn: str, *, before: str = "") -> bool:
        """Take a decision over as this turn, to act on it; says whether this call may.

        `before` is a turn that has taken it and was interrupted before it began to act; empty if there was none. Of
        all calls for one decision exactly one returns true.
        """

    async def act_on_ask(self, id_: str, turn: str) -> bool:
        """Begin to act on a decision that this turn has taken; says whether it may, which it may once."""

    async def close_ask(self, id_: str, *, about: Mapping[str, Any] | None = None) -> None:
        """End a question: what was decided is done, or it expired or was withdrawn; `about` replaces the old one.

        Without it the old one is deleted: nothing will act on the decision any more.
        """

    async def asks(self, bot: int, *states: str) -> tuple[AskRow, ...]:
        """The questions of a bot in these states, the oldest first; at most 500."""

    async def asks_of(self, user: int) -> tuple[AskRow, ...]:
        """The questions that this person was asked and that are kept, the oldest first."""

    async def is_allowed(self, channel: int, what: str, since: float) -> bool:
        """Whether a decision in this channel, after this moment, allows this from then on."""

    async def close(self) -> None:
        """Finish what was begun, then close the database."""
