"""`/persona sprite` on the twin."""

from __future__ import annotations

from bot.commands.using import with_commands
from bot.models import Model
from streamcord import Sprite
from streamcord._bot.commands.sprite_command import SPRITE_CAP
from streamcord._bot.persona.pictures import plain_png
from streamcord._settings import Persona
from streamcord.store import Picture, StoredPersona
from streamcord.twin import Message

MAD = plain_png(8, (200, 0, 0))


async def test_a_look_is_added_shown_and_removed() -> None:
    async with with_commands() as commands:
        added = await commands.use(
            "persona sprite add", persona="luna", name="mad", picture=("mad.png", MAD), identity=True
        )
        picture = await commands.store.find_picture(commands.guild, "Luna", "mad")
        found = await commands.store.find_persona(commands.guild, "Luna")
        listed = await commands.says("persona list")
        removed = await commands.says("persona sprite remove", persona="Luna", name="MAD")
        again = await commands.says("persona sprite remove", persona="Luna", name="mad")

    assert added.content == "**Luna** has the look **mad**. The model wears it with `Luna (mad): `."
    assert picture is not None
    assert (picture.content, picture.kind) == (MAD, "image/png")
    assert found is not None
    assert found.persona.sprites == (Sprite("mad", picture.url, identity=True),)
    assert found.prompt == "You are Luna, a cat."
    assert "- **Luna** · looks: **mad**" in listed
    assert (removed, again) == ("**Luna** has no look **MAD** any more.", "**Luna** has no look **mad**.")


async def test_a_picture_from_inside_the_network_is_not_fetched() -> None:
    async with with_commands() as commands:
        inside = f"{commands.stage.twin.cdn_url}/avatars/1/x.png"
        answer = await commands.use("persona sprite add", persona="Luna", name="mad", url=inside)
        kept = await commands.store.personas(commands.guild)

    assert (
        answer.content
        == "That address leads into a private network, so nothing was fetched. Use a public one."
    )
    assert kept == ()


async def test_one_picture_is_needed_and_a_bomb_is_none() -> None:
    huge = MAD[:16] + (60_000).to_bytes(4, "big") * 2 + MAD[24:]
    async with with_commands() as commands:
        none = await commands.use("persona sprite add", persona="Luna", name="mad")
        bomb = await commands.use("persona sprite add", persona="Luna", name="mad", picture=("mad.png", huge))
        kept = await commands.store.personas(commands.guild)

    assert none.content == "Give a picture, either as a file or by its address."
    assert bomb.content == "The picture is 60000 × 60000 pixels: at most 4096 × 4096 are taken."
    assert kept == ()


async def test_looks_have_a_cap_but_each_can_be_changed() -> None:
    async with with_commands() as commands:
        await commands.store.save_persona(StoredPersona(Persona("Ren"), commands.guild))
        for number in range(SPRITE_CAP):
            await commands.store.save_sprite(
                commands.guild, "Ren", Sprite(f"look {number}"), Picture("https://a.b/c.png")
            )
        full = await commands.use(
            "persona sprite add", persona="Ren", name="one more", picture=("x.png", MAD)
        )
        changed = await commands.use(
            "persona sprite add", persona="Ren", name="look 3", picture=("x.png", MAD)
        )

    assert full.content == "A persona has at most 50 looks. Remove one first."
    assert changed.content.startswith("**Ren** has the look **look 3**.")


async def test_looks_of_the_persona_are_offered() -> None:
    async with with_commands() as commands:
        for name in ("mad", "sad"):
            await commands.use("persona sprite add", persona="Luna", name=name, picture=("x.png", MAD))
        assert await commands.offers("persona sprite remove", "name", persona="Luna", name="") == [
            "mad",
            "sad",
        ]
        assert await commands.offers("persona sprite remove", "name", persona="Nobody", name="") == []
        assert await commands.offers("persona sprite remove", "persona", persona="l") == ["Luna"]


async def test_who_is_not_there_has_no_looks() -> None:
    async with with_commands() as commands:
        answer = await commands.use(
            "persona sprite add", persona="Nobody", name="mad", picture=("x.png", MAD)
        )

    assert answer.content.startswith("There is no persona **Nobody** here.")


async def test_a_look_that_was_added_is_worn_and_remembered() -> None:
    async with with_commands(Model(["Luna (mad): Hmph."])) as commands:
        await commands.use("persona sprite add", persona="Luna", name="mad", picture=("mad.png", MAD))
        picture = await commands.store.find_picture(commands.guild, "Luna", "mad")
        question = commands.stage.ask("hi")
        channel = commands.stage.twin.channel

        def said() -> Message | None:
            return next(
                (one for id_, one in channel.messages.items() if id_ > question.id and one.content), None
            )

        answer = await commands.stage.twin.until(said)
        await commands.stage.quiet()
        labels = await commands.store.labels([answer.id])

    assert picture is not None
    assert (answer.content, answer.author.name) == ("Hmph.", "Luna")
    assert answer.webhook is not None
    assert picture.url.encode() in b"".join(one.body for one in commands.stage.twin.log.requests)
    assert labels == {answer.id: "Luna (mad): "}
