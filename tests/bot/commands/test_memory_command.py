"""`/memory` on the twin: shown, cleared, and oneself forgotten."""

from __future__ import annotations

from bot.commands.using import at_desk
from streamcord.store import Memory, Place


async def test_what_is_remembered_of_this_channel_is_shown_and_nothing_of_others() -> None:
    async with at_desk() as desk:
        elsewhere = Place(desk.guild, 5)
        await desk.store.remember(
            Memory("Luna", desk.place, "I **like** tea.\n@everyone", (1,), ("likes tea",))
        )
        await desk.store.remember(Memory("Luna", desk.place, "y" * 500, (2,)))
        await desk.store.remember(Memory("Luna", elsewhere, "a secret", (3,)))
        shown = await desk.says("memory show", desk.guest)
        nobody = await desk.says("memory show", persona="Ren")

    head, first, notes, second = shown.splitlines()
    assert head == "What **Luna** remembers of this channel, the oldest first:"
    assert first.endswith(r"R> I \*\*like\*\* tea. \@everyone")
    assert notes == "  -# Notes: likes tea"
    assert second.endswith("y…")
    assert nobody == "**Ren** remembers nothing of this channel."


async def test_much_memory_fits_one_message() -> None:
    async with at_desk() as desk:
        for number in range(10):
            await desk.store.remember(
                Memory("Luna", desk.place, f"{number}" + "*" * 300, (number + 1,), ("_" * 300,))
            )
        shown = await desk.says("memory show")

    assert len(shown) <= 2000
    assert "> 9" in shown


async def test_memory_is_cleared_by_channel_persona_and_server() -> None:
    async with at_desk() as desk:
        elsewhere = Place(desk.guild, 5)
        for number, (persona, place) in enumerate(
            [("Luna", desk.place), ("Ren", desk.place), ("Luna", elsewhere), ("Luna", Place(9, 9))], 1
        ):
            await desk.store.remember(Memory(persona, place, "x", (number,)))
        said = [
            await desk.says("memory clear", persona="luna"),
            await desk.says("memory clear"),
            await desk.says("memory clear", where="server"),
        ]
        kept = await desk.store.recall("Luna", Place(9, 9))

    assert said == [
        "Answers forgotten in this channel: 1.",
        "Answers forgotten in this channel: 1.",
        "Answers forgotten in this server: 1.",
    ]
    assert len(kept) == 1


async def test_who_may_not_clears_nothing() -> None:
    async with at_desk() as desk:
        await desk.store.remember(Memory("Luna", desk.place, "x", (1,)))
        channel = await desk.says("memory clear", desk.guest)
        server = await desk.says("memory clear", desk.guest, where="server")
        kept = await desk.store.recall("Luna", desk.place)

    assert ("Manage Channels" in channel, "Manage Server" in server, len(kept)) == (True, True, 1)


async def test_anybody_is_forgotten_who_wants_to_be() -> None:
    async with at_desk() as desk:
        desk.stage.ask("hi", user=desk.guest)
        await desk.stage.texts(1)
        await desk.stage.quiet()
        await desk.store.remember(Memory("Luna", Place(9, 9), "x", (1,), user=desk.guest.id))
        await desk.store.remember(
            Memory("Luna", desk.place, "for another", (2,), user=desk.stage.twin.user.id)
        )
        assert len(desk.stage.bot.services.archive) == 1
        said = await desk.says("memory forget-me", desk.guest)
        kept = await desk.store.recall("Luna", desk.place)

        assert said.startswith("Answers to you that I forgot, everywhere: 2.")
        assert [memory.text for memory in kept] == ["for another"]
        assert len(desk.stage.bot.services.archive) == 0


async def test_a_direct_message_shows_and_clears_its_own() -> None:
    async with at_desk() as desk:
        dm = desk.stage.twin.dm()
        await desk.store.remember(Memory("Luna", Place(0, dm.id), "psst", (1,)))
        shown = await desk.use("memory show", None, dm)
        cleared = await desk.use("memory clear", None, dm)

    assert shown.content.endswith("psst")
    assert cleared.content == "Answers forgotten in this channel: 1."
