"""`/persona` on the twin: made, changed, listed, switched, removed; who may, and what hostile names do."""

from __future__ import annotations

import pytest

from bot.commands.using import with_commands
from bot.models import Model
from bot.stage import make_config
from discord_twin import Message, Permission
from streamcord import Persona, Sprite
from streamcord.store import Memory, Picture, Place, StoredPersona
from streamcord_bot.commands.sprites import SPRITE_CAP
from streamcord_bot.personas.pictures import plain_png

FACE = plain_png(8, (9, 8, 7))


async def test_a_persona_is_made_listed_and_speaks_after_a_switch() -> None:
    async with with_commands() as commands:
        said = await commands.says(
            "persona create", name="Ren", prompt="You are Ren, a fox.", aliases="Foxy, , R"
        )
        listed = await commands.says("persona list")
        switched = await commands.tells("persona switch", name="ren")
        after = await commands.says("persona list")
        channel_config = await commands.stage.app.channel_configs.find(commands.place)

    assert said.splitlines() == [
        "**Ren** was created. Use `/persona switch` to let **Ren** speak.",
        "-# R does not wake this persona, because it is in nearly every message.",
    ]
    assert listed.splitlines()[1:] == [
        "- **Ren** · listens to Ren, Foxy",
        "- **Luna** · listens to Luna · in every server",
    ]
    assert switched == "From now on **Ren** speaks in this channel."
    assert after.splitlines()[1] == "- **Ren** · listens to Ren, Foxy · speaks in this channel"
    assert channel_config.speaker == StoredPersona(
        Persona("Ren", ("Foxy", "R"), alter=True), commands.guild, "You are Ren, a fox."
    )


async def test_a_switch_for_the_server_counts_where_a_channel_has_no_own() -> None:
    async with with_commands() as commands:
        await commands.says("persona create", name="Ren")
        await commands.tells("persona switch", name="Ren", where="server")
        await commands.tells("persona switch", name="Luna")
        elsewhere = Place(commands.guild, 5)
        assert [await commands.store.find_choice(place) for place in (commands.place, elsewhere)] == [
            "Luna",
            "Ren",
        ]
        assert "- **Ren** · listens to Ren · speaks in this server" in await commands.says("persona list")
        assert await commands.tells("persona switch") == "This channel uses the server's persona again."
        assert await commands.store.find_choice(commands.place) == "Ren"


async def test_the_next_answer_is_the_new_speakers() -> None:
    model = Model(["I am here."])
    async with with_commands(model) as commands:
        await commands.says("persona create", name="Ren", prompt="You are Ren, a fox.", own_identity=False)
        await commands.tells("persona switch", name="Ren")
        commands.stage.ask("who are you?")
        await commands.stage.twin.until(lambda: model.prompts or None)

    assert model.prompts[0].system.startswith("You are Ren, a fox.")


async def test_a_picture_is_kept_with_its_address() -> None:
    async with with_commands() as commands:
        answer = await commands.use("persona create", name="Ren", picture=("face.png", FACE))
        picture = await commands.store.find_picture(commands.guild, "Ren")
        found = await commands.store.find_persona(commands.guild, "Ren")

    assert picture is not None
    assert found is not None
    assert (picture.content, picture.kind) == (FACE, "image/png")
    assert picture.url == found.persona.avatar
    assert "/cdn/emojis/" in picture.url
    assert [file.content for file in answer.draft.attachments] == [FACE]


async def test_a_persona_is_changed_in_part_and_keeps_the_rest() -> None:
    async with with_commands() as commands:
        await commands.says("persona create", name="Ren", prompt="A fox.", greeting="Hi.")
        await commands.store.remember(Memory("Ren", commands.place, "x", (1,)))
        await commands.tells("persona switch", name="Ren")
        said = await commands.says(
            "persona edit", name="Ren", new_name="Rena", prompt_file=("p.txt", "Eine Füchsin.".encode())
        )
        found = await commands.store.find_persona(commands.guild, "rena")
        kept = (
            len(await commands.store.recall("Rena", commands.place)),
            await commands.store.find_choice(commands.place),
        )

    assert said == "**Rena** was updated."
    assert found == StoredPersona(Persona("Rena", alter=True), commands.guild, "Eine Füchsin.", "Hi.")
    assert kept == (1, "Rena")


async def test_a_form_opens_with_what_there_is_and_keeps_what_is_written() -> None:
    async with with_commands() as commands:
        twin = commands.stage.twin
        await commands.says("persona create", name="Ren", prompt="A fox.", greeting="Hi.")
        used = twin.slash("persona edit", name="Ren")
        callback = await twin.until(lambda: used.callback)
        fields = [row["components"][0] for row in callback["data"]["components"]]
        sent = twin.submit(
            used, {"name": "Ren", "aliases": "Foxy", "prompt": "A clever fox.", "greeting": ""}
        )
        answer = await twin.until(lambda: sent.original if sent.original and sent.original.content else None)
        found = await commands.store.find_persona(commands.guild, "Ren")

    assert {field["label"]: field.get("value", "") for field in fields} == {
        "name": "Ren",
        "aliases": "",
        "prompt": "A fox.",
        "greeting": "Hi.",
    }
    assert answer.content == "**Ren** was updated."
    assert found == StoredPersona(Persona("Ren", ("Foxy",), alter=True), commands.guild, "A clever fox.", "")


async def test_removed_persona_can_be_imported_again() -> None:
    async with with_commands() as commands:
        await commands.use("persona create", name="Ren", prompt="A fox.", aliases="Foxy", greeting="Hi.")
        before = await commands.store.find_persona(commands.guild, "Ren")
        answer = await commands.use("persona remove", name="Ren")
        gone = await commands.store.find_persona(commands.guild, "Ren")
        (file,) = answer.draft.attachments
        await commands.use("persona import", file=(file.filename, file.content))
        back = await commands.store.find_persona(commands.guild, "Ren")

    assert before is not None
    assert gone is None
    assert back is not None
    assert (back.persona.aliases, back.prompt, back.greeting) == (("Foxy",), "A fox.", "Hi.")


async def test_a_persona_of_the_file_is_changed_for_this_server_alone() -> None:
    config = make_config(
        personas={"Luna": {"prompt": "A cat.", "sprites": [{"name": "mad", "picture": "https://a.b/m.png"}]}}
    )
    async with with_commands(config=config) as commands:
        await commands.says("persona edit", name="Luna", greeting="Mew.")
        found = await commands.store.find_persona(commands.guild, "Luna")
        other = await commands.store.find_persona(commands.guild + 1, "Luna")
        refused = (
            await commands.says("persona remove", name="Luna"),
            await commands.says("persona remove", name="Luna"),
        )

    assert found is not None
    assert (found.prompt, found.greeting) == ("A cat.", "Mew.")
    assert [sprite.name for sprite in found.persona.sprites] == ["mad"]
    assert other is None
    assert refused == (
        (
            "**Luna** was deleted, including all sprites and memories. "
            "Its card is attached: `/persona import` brings the persona back, without its memories."
        ),
        "**Luna** is available in every server and cannot be removed here.",
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
    async with with_commands() as commands:
        answer = await commands.use(command, commands.guest, **options)
        changed = (
            await commands.store.personas(commands.guild),
            await commands.store.find_choice(commands.place),
        )

    assert answer.content == "You need the permission **Manage Server** for that."
    assert changed == ((), None)


async def test_a_channel_is_switched_by_who_may_manage_channels() -> None:
    async with with_commands() as commands:
        twin = commands.stage.twin
        refused = await commands.use("persona switch", commands.guest, name="Luna")
        role = twin.state.add_role(twin.guild, "mod", Permission.MANAGE_CHANNELS)
        twin.guild.members[commands.guest.id].role_ids.append(role.id)
        allowed = await commands.use("persona switch", commands.guest, name="Luna")

    assert "**Manage Channels**" in refused.content
    assert allowed.content == "From now on **Luna** speaks in this channel."


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("\u200b\u202e", "no visible characters"),
        ("x" * 81, "at most 80 characters"),
        ("LUNA", "There is a persona **LUNA** already"),
    ],
)
async def test_a_name_that_cannot_be_is_refused(name: str, words: str) -> None:
    async with with_commands() as commands:
        assert words in await commands.says("persona create", name=name)
        assert await commands.store.personas(commands.guild) == ()


async def test_a_hostile_name_is_only_a_name() -> None:
    async with with_commands() as commands:
        said = await commands.says("persona create", name="@everyone <@1> `x`\n# big")
        await commands.tells("persona switch", name="@everyone <@1> `x` # big")
        listed = await commands.says("persona list")
        pings = list(commands.stage.twin.log.pings)

    assert said.startswith("**\\@everyone \\<\\@1\\> \\`x\\` \\# big** was created")
    assert len(listed.splitlines()) == 3
    assert pings == []


async def test_names_are_offered_while_they_are_typed() -> None:
    async with with_commands() as commands:
        for name in ("Ren", "Aren", "Zoe"):
            await commands.says("persona create", name=name)
        assert await commands.offers("persona switch", "name", name="") == ["Aren", "Ren", "Zoe", "Luna"]
        assert await commands.offers("persona switch", "name", name="re") == ["Ren", "Aren"]


async def test_nobody_by_that_name_is_said_so() -> None:
    async with with_commands() as commands:
        answer = await commands.use("persona switch", name="No*body*")

    assert answer.content == "There is no persona **No\\*body\\*** here. `/persona list` shows all personas."


async def test_a_file_that_is_no_picture_changes_nothing() -> None:
    async with with_commands() as commands:
        answer = await commands.use("persona create", name="Ren", picture=("face.png", b"MZ not a picture"))
        kept = await commands.store.personas(commands.guild)

    assert answer.content == "That is not a picture: send a PNG, JPEG, GIF or WebP."
    assert kept == ()


async def test_answers_are_in_the_language_of_who_asks() -> None:
    async with with_commands() as commands:
        commands.guest.locale = "de"
        assert (
            await commands.says("persona remove", commands.guest, name="Luna")
            == "Dafür brauchst du das Recht **Server verwalten**."
        )


async def test_a_store_that_fails_is_an_answer_too() -> None:
    async with with_commands() as commands:
        await commands.store.close()
        assert "My memory is unavailable right now" in await commands.says("persona list")


# --- Looks ----------------------------------------------------------------------------------------------


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

    assert (
        added.content
        == "**Luna** now has the sprite **mad**. The model selects it by writing `Luna (mad): `."
    )
    assert picture is not None
    assert (picture.content, picture.kind) == (MAD, "image/png")
    assert found is not None
    assert found.persona.sprites == (Sprite("mad", picture.url, identity=True),)
    assert found.prompt == "You are Luna, a cat."
    assert "- **Luna** · listens to Luna · sprites: **mad**" in listed
    assert (removed, again) == (
        "**Luna** no longer has the sprite **MAD**.",
        "**Luna** has no sprite **mad**.",
    )


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

    assert none.content == "Give a picture, either as a file or as a URL."
    assert bomb.content == "The picture is 60000 × 60000 pixels: at most 4096 × 4096 are taken."
    assert kept == ()


async def test_looks_have_a_cap_but_each_can_be_changed() -> None:
    async with with_commands() as commands:
        await commands.store.save_persona(StoredPersona(Persona("Ren"), commands.guild))
        for number in range(SPRITE_CAP):
            await commands.store.save_sprite(
                commands.guild, "Ren", Sprite(f"sprite {number}"), Picture("https://a.b/c.png")
            )
        full = await commands.use(
            "persona sprite add", persona="Ren", name="one more", picture=("x.png", MAD)
        )
        changed = await commands.use(
            "persona sprite add", persona="Ren", name="sprite 3", picture=("x.png", MAD)
        )

    assert full.content == "A persona can have at most 50 sprites. Remove one first."
    assert changed.content.startswith("**Ren** now has the sprite **sprite 3**.")


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


# --- Several personas in a channel ---


async def test_list_shows_who_listens_to_which_word() -> None:
    async with with_commands() as commands:
        await commands.says("persona create", name="Ren", aliases="fox, red one")
        said = await commands.says("persona create", name="Kit", aliases="Fox, the, kitty")
        listed = await commands.says("persona list")
        await commands.says("settings set", name="answer.personas", value="one")
        alone = await commands.says("persona list")

    # The one who made the persona reads which of its words do not wake it.
    assert said.splitlines()[1:] == [
        "-# Fox does not wake this persona, because it already wakes **Ren**.",
        "-# the does not wake this persona, because it is in nearly every message.",
    ] or said.splitlines()[1:] == [
        "-# the does not wake this persona, because it is in nearly every message.",
    ]
    words = {line.split("**")[1]: line for line in listed.splitlines()[1:]}
    assert sum("fox" in line.casefold() for line in words.values()) == 1
    assert "kitty" in words["Kit"]
    assert "listens to Luna" in alone
    assert "kitty" not in alone


async def test_setting_of_one_persona_is_not_that_of_another() -> None:
    async with with_commands() as commands:
        await commands.says("persona create", name="Ren")
        said = await commands.says("persona set", name="Ren", setting="degree", value="0")
        await commands.says("settings set", name="degree", value="3")
        configs = commands.stage.app.channel_configs
        degrees = [
            (await configs.find(commands.place, persona=name)).settings.degree for name in ("Ren", "Luna")
        ]
        reset = await commands.says("persona set", name="Ren", setting="degree")
        after = (await configs.find(commands.place, persona="Ren")).settings.degree
        refused = [
            await commands.says("persona set", name="Ren", setting=name, value="x")
            for name in ("mentions", "answer.words", "no such")
        ]
        wrong = await commands.says("persona set", name="Ren", setting="degree", value="7")

    assert said == "`degree` is now `0` for **Ren**."
    assert degrees == [0, 3]
    assert (reset, after) == ("`degree` was removed for **Ren**.", 3)
    assert all(line.startswith("There is no setting") for line in refused)
    assert "degree" in wrong


async def test_instruction_of_a_sprite_is_told_to_the_model_and_kept_with_another_picture() -> None:
    model = Model(["I am here."])
    async with with_commands(model) as commands:
        await commands.says("persona create", name="Ren", prompt="You are Ren.", own_identity=False)
        await commands.use(
            "persona sprite add",
            persona="Ren",
            name="mad",
            picture=("a.png", FACE),
            instruction="when teased",
        )
        await commands.use("persona sprite add", persona="Ren", name="mad", picture=("b.png", FACE))
        await commands.use("persona sprite add", persona="Ren", name="calm", picture=("c.png", FACE))
        await commands.tells("persona switch", name="Ren")
        commands.stage.ask("who are you?")
        await commands.stage.twin.until(lambda: model.prompts or None)

    assert "Your looks:\n- calm\n- mad: when teased" in model.prompts[0].system
