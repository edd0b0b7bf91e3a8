"""`/memory` on the twin: shown, cleared, and oneself forgotten."""

from __future__ import annotations

from bot.commands.using import with_commands
from streamcord.store import Memory, Place


async def test_what_is_remembered_of_this_channel_is_shown_and_nothing_of_others() -> None:
    async with with_commands() as commands:
        elsewhere = Place(commands.guild, 5)
        await commands.store.remember(
            Memory("Luna", commands.place, "I **like** tea.\n@everyone", (1,), ("likes tea",))
        )
        await commands.store.remember(Memory("Luna", commands.place, "y" * 500, (2,)))
        await commands.store.remember(Memory("Luna", elsewhere, "a secret", (3,)))
        shown = await commands.says("memory show", commands.guest)
        nobody = await commands.says("memory show", persona="Ren")

    head, first, notes, second = shown.splitlines()
    assert head == "What **Luna** remembers of this channel, the oldest first:"
    assert first.endswith(r"R> I \*\*like\*\* tea. \@everyone")
    assert notes == "  -# Notes: likes tea"
    assert second.endswith("y…")
    assert nobody == "**Ren** remembers nothing of this channel."


async def test_much_memory_fits_one_message() -> None:
    async with with_commands() as commands:
        for number in range(10):
            await commands.store.remember(
                Memory("Luna", commands.place, f"{number}" + "*" * 300, (number + 1,), ("_" * 300,))
            )
        shown = await commands.says("memory show")

    assert len(shown) <= 2000
    assert "> 9" in shown


async def test_memory_is_cleared_by_channel_persona_and_server() -> None:
    async with with_commands() as commands:
        elsewhere = Place(commands.guild, 5)
        for number, (persona, place) in enumerate(
            [
                ("Luna", commands.place),
                ("Ren", commands.place),
                ("Luna", elsewhere),
                ("Luna", Place(9, 9)),
            ],
            1,
        ):
            await commands.store.remember(Memory(persona, place, "x", (number,)))
        said = [
            await commands.says("memory clear", persona="luna"),
            await commands.says("memory clear"),
            await commands.says("memory clear", where="server"),
        ]
        kept = await commands.store.recall("Luna", Place(9, 9))

    assert said == [
        "Answers forgotten in this channel: 1.",
        "Answers forgotten in this channel: 1.",
        "Answers forgotten in this server: 1.",
    ]
    assert len(kept) == 1


async def test_who_may_not_clears_nothing() -> None:
    async with with_commands() as commands:
        await commands.store.remember(Memory("Luna", commands.place, "x", (1,)))
        channel = await commands.says("memory clear", commands.guest)
        server = await commands.says("memory clear", commands.guest, where="server")
        kept = await commands.store.recall("Luna", commands.place)

    assert ("Manage Channels" in channel, "Manage Server" in server, len(kept)) == (True, True, 1)


async def test_anybody_is_forgotten_who_wants_to_be() -> None:
    async with with_commands() as commands:
        commands.stage.ask("hi", user=commands.guest)
        await commands.stage.texts(1)
        await commands.stage.quiet()
        await commands.store.remember(Memory("Luna", Place(9, 9), "x", (1,), user=commands.guest.id))
        await commands.store.remember(
            Memory("Luna", commands.place, "for another", (2,), user=commands.stage.twin.user.id)
        )
        assert len(commands.stage.bot.services.recent_answers) == 1
        said = await commands.says("memory forget-me", commands.guest)
        kept = await commands.store.recall("Luna", commands.place)

        assert said.startswith("Answers to you that I forgot, everywhere: 2.")
        assert [memory.text for memory in kept] == ["for another"]
        assert len(commands.stage.bot.services.recent_answers) == 0


async def test_a_direct_message_shows_and_clears_its_own() -> None:
    async with with_commands() as commands:
        dm = commands.stage.twin.dm()
        await commands.store.remember(Memory("Luna", Place(0, dm.id), "psst", (1,)))
        shown = await commands.use("memory show", None, dm)
        cleared = await commands.use("memory clear", None, dm)

    assert shown.content.endswith("psst")
    assert cleared.content == "Answers forgotten in this channel: 1."
