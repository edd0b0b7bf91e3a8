"""`/persona` on the twin: made, changed, listed, switched, removed; who may, and what hostile names do."""

from __future__ import annotations

import pytest

from bot.commands.using import at_desk
from bot.models import Model
from bot.stage import make_config
from streamcord import Persona
from streamcord._bot.persona.pictures import plain_png
from streamcord.store import Memory, Place, StoredPersona
from streamcord.twin import Permission

FACE = plain_png(8, (9, 8, 7))


async def test_a_persona_is_made_listed_and_speaks_after_a_switch() -> None:
    async with at_desk() as desk:
        said = await desk.says(
            "persona create", name="Ren", prompt="You are Ren, a fox.", aliases="Foxy, , R"
        )
        listed = await desk.says("persona list")
        switched = await desk.tells("persona switch", name="ren")
        after = await desk.says("persona list")
        scene = await desk.stage.bot.services.scenes.glance(desk.place)

    assert said == "**Ren** is here. `/persona switch` lets **Ren** speak."
    assert listed.splitlines()[1:] == ["- **Ren**", "- **Luna** · everywhere"]
    assert switched == "From now on **Ren** speaks in this channel."
    assert after.splitlines()[1] == "- **Ren** · speaks in this channel"
    assert scene.speaker == StoredPersona(
        Persona("Ren", ("Foxy", "R"), alter=True), desk.guild, "You are Ren, a fox."
    )


async def test_a_switch_for_the_server_counts_where_a_channel_has_no_own() -> None:
    async with at_desk() as desk:
        await desk.says("persona create", name="Ren")
        await desk.tells("persona switch", name="Ren", where="server")
        await desk.tells("persona switch", name="Luna")
        elsewhere = Place(desk.guild, 5)
        assert [await desk.store.find_choice(place) for place in (desk.place, elsewhere)] == ["Luna", "Ren"]
        assert "- **Ren** · speaks in this server" in await desk.says("persona list")
        assert await desk.tells("persona switch") == "This channel follows the server again."
        assert await desk.store.find_choice(desk.place) == "Ren"


async def test_the_next_answer_is_the_new_speakers() -> None:
    model = Model(["I am here."])
    async with at_desk(model) as desk:
        await desk.says("persona create", name="Ren", prompt="You are Ren, a fox.", own_face=False)
        await desk.tells("persona switch", name="Ren")
        desk.stage.ask("who are you?")
        await desk.stage.twin.until(lambda: model.prompts or None)

    assert model.prompts[0].system.startswith("You are Ren, a fox.")


async def test_a_picture_is_kept_with_its_address() -> None:
    async with at_desk() as desk:
        answer = await desk.use("persona create", name="Ren", picture=("face.png", FACE))
        picture = await desk.store.find_picture(desk.guild, "Ren")
        found = await desk.store.find_persona(desk.guild, "Ren")

    assert picture is not None
    assert found is not None
    assert (picture.content, picture.kind) == (FACE, "image/png")
    assert picture.url == found.persona.avatar
    assert "/cdn/emojis/" in picture.url
    assert [file.content for file in answer.draft.attachments] == [FACE]


async def test_a_persona_is_changed_in_part_and_keeps_the_rest() -> None:
    async with at_desk() as desk:
        await desk.says("persona create", name="Ren", prompt="A fox.", greeting="Hi.")
        await desk.store.remember(Memory("Ren", desk.place, "x", (1,)))
        await desk.tells("persona switch", name="Ren")
        said = await desk.says(
            "persona edit", name="Ren", new_name="Rena", prompt_file=("p.txt", "Eine Füchsin.".encode())
        )
        found = await desk.store.find_persona(desk.guild, "rena")
        kept = len(await desk.store.recall("Rena", desk.place)), await desk.store.find_choice(desk.place)

    assert said == "**Rena** is changed."
    assert found == StoredPersona(Persona("Rena", alter=True), desk.guild, "Eine Füchsin.", "Hi.")
    assert kept == (1, "Rena")


async def test_a_form_opens_with_what_there_is_and_keeps_what_is_written() -> None:
    async with at_desk() as desk:
        twin = desk.stage.twin
        await desk.says("persona create", name="Ren", prompt="A fox.", greeting="Hi.")
        used = twin.slash("persona edit", name="Ren")
        callback = await twin.until(lambda: used.callback)
        fields = [row["components"][0] for row in callback["data"]["components"]]
        sent = twin.submit(
            used, {"name": "Ren", "aliases": "Foxy", "prompt": "A clever fox.", "greeting": ""}
        )
        answer = await twin.until(lambda: sent.original if sent.original and sent.original.content else None)
        found = await desk.store.find_persona(desk.guild, "Ren")

    assert {field["label"]: field.get("value", "") for field in fields} == {
        "name": "Ren",
        "aliases": "",
        "prompt": "A fox.",
        "greeting": "Hi.",
    }
    assert answer.content == "**Ren** is changed."
    assert found == StoredPersona(Persona("Ren", ("Foxy",), alter=True), desk.guild, "A clever fox.", "")


async def test_a_persona_of_the_file_is_changed_for_this_server_alone() -> None:
    config = make_config(
        personas={"Luna": {"prompt": "A cat.", "sprites": [{"name": "mad", "picture": "https://a.b/m.png"}]}}
    )
    async with at_desk(config=config) as desk:
        await desk.says("persona edit", name="Luna", greeting="Mew.")
        found = await desk.store.find_persona(desk.guild, "Luna")
        other = await desk.store.find_persona(desk.guild + 1, "Luna")
        refused = (
            await desk.says("persona remove", name="Luna"),
            await desk.says("persona remove", name="Luna"),
        )

    assert found is not None
    assert (found.prompt, found.greeting) == ("A cat.", "Mew.")
    assert [sprite.name for sprite in found.persona.sprites] == ["mad"]
    assert other is None
    assert refused == (
        "**Luna** is gone, with all looks and memories.",
        "**Luna** belongs to every server and cannot be removed here.",
    )


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("persona create", {"name": "Ren"}),
        ("persona edit", {"name": "Luna", "prompt": "x"}),
        ("persona remove", {"name": "Luna"}),
        ("persona switch", {"name": "Luna", "where": "server"}),
        ("persona import", {"url": "https://example.com/x.png"}),
        ("persona export", {"name": "Luna"}),
        ("persona sprite add", {"persona": "Luna", "name": "mad", "url": "https://example.com/x.png"}),
        ("persona sprite remove", {"persona": "Luna", "name": "mad"}),
    ],
)
async def test_who_may_not_manage_the_server_is_told_so(command: str, options: dict[str, str]) -> None:
    async with at_desk() as desk:
        answer = await desk.use(command, desk.guest, **options)
        changed = await desk.store.personas(desk.guild), await desk.store.find_choice(desk.place)

    assert answer.content == "You need the permission **Manage Server** for that."
    assert changed == ((), None)


async def test_a_channel_is_switched_by_who_may_manage_channels() -> None:
    async with at_desk() as desk:
        twin = desk.stage.twin
        refused = await desk.use("persona switch", desk.guest, name="Luna")
        role = twin.state.add_role(twin.guild, "mod", Permission.MANAGE_CHANNELS)
        twin.guild.members[desk.guest.id].role_ids.append(role.id)
        allowed = await desk.use("persona switch", desk.guest, name="Luna")

    assert "**Manage Channels**" in refused.content
    assert allowed.content == "From now on **Luna** speaks in this channel."


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("\u200b\u202e", "nothing in it that could be seen"),
        ("x" * 81, "at most 80 characters"),
        ("LUNA", "There is a persona **LUNA** already"),
    ],
)
async def test_a_name_that_cannot_be_is_refused(name: str, words: str) -> None:
    async with at_desk() as desk:
        assert words in await desk.says("persona create", name=name)
        assert await desk.store.personas(desk.guild) == ()


async def test_a_hostile_name_is_only_a_name() -> None:
    async with at_desk() as desk:
        said = await desk.says("persona create", name="@everyone <@1> `x`\n# big")
        await desk.tells("persona switch", name="@everyone <@1> `x` # big")
        listed = await desk.says("persona list")
        pings = list(desk.stage.twin.log.pings)

    assert said.startswith("**\\@everyone \\<\\@1\\> \\`x\\` \\# big** is here")
    assert len(listed.splitlines()) == 3
    assert pings == []


async def test_names_are_offered_while_they_are_typed() -> None:
    async with at_desk() as desk:
        for name in ("Ren", "Aren", "Zoe"):
            await desk.says("persona create", name=name)
        assert await desk.offers("persona switch", "name", name="") == ["Aren", "Ren", "Zoe", "Luna"]
        assert await desk.offers("persona switch", "name", name="re") == ["Ren", "Aren"]


async def test_nobody_by_that_name_is_said_so() -> None:
    async with at_desk() as desk:
        answer = await desk.use("persona switch", name="No*body*")

    assert answer.content == "There is no persona **No\\*body\\*** here. `/persona list` shows who there is."


async def test_a_file_that_is_no_picture_changes_nothing() -> None:
    async with at_desk() as desk:
        answer = await desk.use("persona create", name="Ren", picture=("face.png", b"MZ not a picture"))
        kept = await desk.store.personas(desk.guild)

    assert answer.content == "That is not a picture: send a PNG, JPEG, GIF or WebP."
    assert kept == ()


async def test_answers_are_in_the_language_of_who_asks() -> None:
    async with at_desk() as desk:
        desk.guest.locale = "de"
        assert (
            await desk.says("persona remove", desk.guest, name="Luna")
            == "Dafür brauchst du das Recht **Server verwalten**."
        )


async def test_a_store_that_fails_is_an_answer_too() -> None:
    async with at_desk() as desk:
        await desk.store.close()
        assert "My memory cannot be reached just now" in await desk.says("persona list")
