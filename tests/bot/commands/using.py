"""Using the bot's commands on the twin, as people do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.stage import Stage, make_config, on_stage
from discord_twin import Channel, Message, User
from streamcord.providers import Provider
from streamcord.store import Place, Store
from streamcord.testing import ScriptedProvider

LOADING, EPHEMERAL = 1 << 7, 1 << 6


@dataclass(slots=True)
class CommandUser:
    """A stage on which commands are used."""

    stage: Stage
    guest: User
    """Somebody without any right."""

    @property
    def store(self) -> Store:
        return self.stage.store

    @property
    def guild(self) -> int:
        return self.stage.twin.guild.id

    @property
    def place(self) -> Place:
        return Place(self.guild, self.stage.twin.channel.id)

    async def use(
        self, command: str, user: User | None = None, channel: Channel | None = None, /, **options: object
    ) -> Message:
        """Use a command and wait for its answer."""
        twin = self.stage.twin
        used = twin.slash(command, channel or twin.channel, user or twin.user, **options)

        def answer() -> Message | None:
            original = used.original
            if original is None or not original.draft.flags & LOADING:
                return original
            # What went wrong follows a public reply that was taken back.
            there = (channel or twin.channel).messages.values()
            gone = original.id not in {one.id for one in there}
            return next((one for one in there if gone and one.interaction is used), None)

        return await twin.until(answer)

    async def says(self, command: str, user: User | None = None, /, **options: object) -> str:
        """Use a command, and read what only its user sees."""
        answer = await self.use(command, user, **options)
        assert answer.draft.flags & EPHEMERAL, answer.content
        return answer.content

    async def tells(self, command: str, /, **options: object) -> str:
        """Use a command, and read what everybody sees."""
        answer = await self.use(command, **options)
        assert not answer.draft.flags & EPHEMERAL, answer.content
        return answer.content

    async def offers(self, command: str, typing: str, /, **options: object) -> list[str]:
        """The values that are suggested while someone types."""
        typed = self.stage.twin.complete(command, typing, **options)
        callback = await self.stage.twin.until(lambda: typed.callback)
        return [choice["value"] for choice in callback["data"]["choices"]]


@asynccontextmanager
async def with_commands(
    model: Provider | Mapping[str, Provider] | None = None, **stage: Any
) -> AsyncIterator[CommandUser]:
    """A bot whose commands can be used; the twin's own user owns the server."""
    provider = model or ScriptedProvider(["Hello."])
    async with on_stage(provider, **{"config": make_config(), **stage}) as played:
        yield CommandUser(played, played.twin.add_user("guest"))
