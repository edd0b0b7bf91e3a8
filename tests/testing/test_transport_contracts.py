"""The contract holds for our own transports, and finds what is wrong with others."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import discord
import pytest

from discord_twin import Twin
from streamcord import Message, Receipt
from streamcord._store.database import Statement
from streamcord._store.sql_store import SqlStore
from streamcord._store.sqlite import open_sqlite
from streamcord._testing import persona_store_checks as store_personas
from streamcord._testing import store_contracts as store
from streamcord._testing.store_contracts import STORE_CHECKS
from streamcord._testing.transport_contracts import TransportContract
from streamcord.discord import DiscordChannel
from streamcord.store import Memory, Place
from streamcord.testing import FakeChannel


class Fake(TransportContract):
    def read(self, transport: FakeChannel) -> Sequence[str]:
        return transport.texts


class TestFakeChannel(Fake):
    @pytest.fixture
    def transport(self) -> FakeChannel:
        return FakeChannel()


class TestDiscordChannel(TransportContract):
    @pytest.fixture
    async def transport(self, twin: Twin, twin_client: discord.Client) -> DiscordChannel:
        self.twin = twin
        return DiscordChannel(twin_client.get_partial_messageable(twin.channel.id))

    def read(self, transport: DiscordChannel) -> Sequence[str]:
        return self.twin.channel.texts

    def make_send_fail(self, transport: DiscordChannel) -> None:
        self.twin.state.delete_channel(self.twin.channel)


class Twice(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        await super().send(message)
        return await super().send(message)


class Backwards(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        receipt = await super().send(message)
        self.messages.insert(0, self.messages.pop())
        return receipt


class OneId(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        await super().send(message)
        return Receipt(message, 1)


class Chatty(FakeChannel):
    async def typing(self) -> None:
        await self.send(Message("..."))


class Short(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        return await super().send(Message(message.content[:1900], files=message.files))


class Wordy(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        return await super().send(Message(message.content or "a file", files=message.files))


class Broken(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        raise OSError("the line is cut")


class Breaks(Fake):
    def make_send_fail(self, transport: FakeChannel) -> None:
        pass


ALL = Breaks()


@pytest.mark.parametrize(
    ("bad", "test"),
    [
        (Twice, ALL.test_a_message_arrives_once),
        (Backwards, ALL.test_messages_arrive_in_the_order_in_which_they_were_sent),
        (OneId, ALL.test_equal_messages_are_two_messages),
        (Chatty, ALL.test_typing_is_no_message),
        (Short, ALL.test_any_text_of_a_legal_length_arrives_as_it_is),
        (Wordy, ALL.test_a_file_needs_no_words),
        (Twice, ALL.test_a_whole_answer_passes_through_it),
    ],
)
async def test_a_transport_that_breaks_the_contract_is_found(
    bad: type[FakeChannel], test: Callable[[FakeChannel], Awaitable[None]]
) -> None:
    with pytest.raises(AssertionError):
        await test(bad())


async def test_an_error_of_another_kind_is_found() -> None:
    with pytest.raises(OSError, match="cut"):
        await ALL.test_it_fails_with_a_delivery_error_and_nothing_else(Broken())


@pytest.mark.parametrize("name", ["TransportContract", "StoreContract"])
def test_contract_without_pytest_says_how_to_install_it(name: str) -> None:
    script = f"import sys; sys.modules['pytest'] = None; from streamcord.testing import {name}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert done.stderr.splitlines()[-1] == (
        f"ImportError: streamcord.testing.{name} needs pytest: pip install pytest"
    )


async def test_what_is_not_filled_in_says_so() -> None:
    with pytest.raises(NotImplementedError, match="read"):
        TransportContract().read(None)


# --- Stores --------------------------------------------------------------------------------------------


class LosesUpdates(SqlStore):
    async def change_settings(self, place: Place, changes: Mapping[str, Any]) -> None:
        rows = [
            Statement(
                "INSERT INTO settings VALUES ($1, $2, $3, $4)", (place.guild, place.channel, name, str(value))
            )
            for name, value in {**await self.settings(place), **changes}.items()
        ]
        await self._database.write(Statement("DELETE FROM settings"), *rows)


class KeepsTablesForever(SqlStore):
    async def find_table(self, message: int) -> str | None:
        rows = await self._database.read("SELECT source FROM table_sources WHERE message = $1", message)
        return rows[0][0] if rows else None


class TellsDirectMessages(SqlStore):
    async def recall(self, persona: str, place: Place) -> tuple[Memory, ...]:
        sql = "SELECT DISTINCT guild, channel FROM memories WHERE guild = $1"
        rows = [] if place.channel else await self._database.read(sql, place.guild)
        found = [memory for row in rows for memory in await SqlStore.recall(self, persona, Place(*row))]
        return tuple(found) or await super().recall(persona, place)


class ForgetsNobody(SqlStore):
    async def forget_person(self, user: int) -> int:
        return len(await self._database.read("SELECT id FROM memories WHERE user_id = $1", user))


class KeepsDeletedAnswers(SqlStore):
    async def forget_messages(self, messages: Iterable[int]) -> None:
        await super().forget_messages([])


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (LosesUpdates, "fifty_writers_lose_nothing"),
        (KeepsTablesForever, "a_table_is_kept_for_two_hours"),
        (TellsDirectMessages, "direct_messages_stay_among_themselves"),
        (ForgetsNobody, "a_person_is_forgotten_everywhere"),
        (KeepsDeletedAnswers, "deleted_messages_never_happened"),
    ],
)
async def test_a_faulty_store_is_found_out(kind: type[SqlStore], check: str, tmp_path: Path) -> None:
    async def store_factory(clock: Callable[[], float]) -> SqlStore:
        return kind(await open_sqlite(str(tmp_path / "x.db")), clock)

    (found,) = (one for one in STORE_CHECKS if one.__name__ == check)
    with pytest.raises(AssertionError):
        await found(store_factory)


def test_every_check_says_what_it_is_about_and_none_is_left_out() -> None:
    written = [
        value
        for module in (store_personas, store)
        for value in vars(module).values()
        if asyncio.iscoroutinefunction(value)
        and value.__module__ == module.__name__
        # What the checks share is handed a store, never an store_factory.
        and "StoreFactory" in value.__annotations__.values()
    ]

    assert list(STORE_CHECKS) == written
    assert all(check.__doc__ for check in STORE_CHECKS)
