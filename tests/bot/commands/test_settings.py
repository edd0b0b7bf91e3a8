from __future__ import annotations

import pytest

from bot.commands.using import with_commands
from bot.stage import on_stage
from streamcord import Degree, Settings
from streamcord.store import Place
from streamcord.testing import ScriptedProvider
from streamcord_bot.commands.autocomplete import CHOICE_CAP
from streamcord_bot.commands.settings import COMMON, SAMPLE, plan_sample
from streamcord_bot.config.settings_catalog import all_settings, suggest_values


async def test_a_setting_is_set_for_a_channel_or_the_server_shown_and_unset() -> None:
    async with with_commands() as commands:
        said = [
            await commands.says("settings set", name="message_cap", value="12", where="server"),
            await commands.says("settings set", name="message_cap", value="5"),
        ]
        shown = await commands.says("settings show")
        one = await commands.says("settings show", name="message_cap")
        counts = (await commands.stage.app.channel_configs.find(commands.place)).settings.message_cap
        back = await commands.says("settings reset", name="message_cap")
        again = await commands.says("settings reset", name="message_cap")
        kept = await commands.store.settings(Place(commands.guild))

    assert said == ["`message_cap` is now `12` in this server.", "`message_cap` is now `5` in this channel."]
    assert shown.splitlines() == [
        *("**Settings in this server**", "- `message_cap`: `12`"),
        *("**Settings in this channel**", "- `message_cap`: `5`"),
    ]
    assert one.splitlines()[0] == "`message_cap`: `5`"
    assert "before it is halted for safety" in one
    assert counts == 5
    assert back == "`message_cap` is `12` again in this channel."
    assert again == "`message_cap` was not set in this channel."
    assert kept == {"message_cap": 12}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("degree", "7", "degree must be 0 to 3, or NONE, LIGHT, MEDIUM, HEAVY, not 7."),
        ("message_length", "5", r"message\_length must be a whole number from 32 to 1000000, not 5."),
        ("message_cap", "many", r"message\_cap must be a whole number from 0 to 100000, not 'many'."),
        ("rules", "perhaps", "rules must be true or false, not 'perhaps'."),
        ("typing", "*no*", r"typing must be auto or on or off, not '\*no\*'."),
        ("pause_max", "0.1", r"pause\_max must be at least pause\_min (0.25), not 0.1."),
        ("answer.debounce", "-1", "answer.debounce must be a number from 0 to 60, not -1.0."),
        (
            "answer.channels",
            "here",
            "answer.channels must be a list of ids, such as \\[\"123456789012345678\"\\], not \\['here'\\].",
        ),
        (
            "thought_log",
            "-4",
            r"thought\_log must be an id, such as 123456789012345678, or 0 for none, not -4.",
        ),
        (
            "context.tokens",
            "9999",
            "context.tokens must be at most 4000, as the bot's file says, not 9999.",
        ),
        ("answer_cap", "0", r"answer\_cap must be at most 1048576, as the bot's file says, not 0."),
        ("thought_log", "5", r"thought\_log must be a channel of this server, or 0 for none, not 5."),
        ("degre", "1", "There is no setting `degre`. Did you mean `degree`?"),
        ("zzz", "1", "There is no setting `zzz`."),
    ],
)
async def test_a_value_that_does_not_fit_is_refused_in_plain_words(name: str, value: str, words: str) -> None:
    async with with_commands() as commands:
        assert await commands.says("settings set", name=name, value=value) == words
        assert await commands.store.settings(commands.place) == {}


async def test_values_are_checked_against_what_else_is_set_here() -> None:
    async with with_commands() as commands:
        await commands.says("settings set", name="pause_min", value="1.4", where="server")
        refused = await commands.says("settings set", name="pause_max", value="1.3")

    assert "at least pause" in refused


async def test_settings_of_every_kind_can_be_set() -> None:
    async with with_commands() as commands:
        for name in ("degree", "typing", "rules", "prefill", "answer.words", "context.source", "thought_log"):
            setting = all_settings()[name]
            await commands.says("settings set", name=name, value=suggest_values(setting)[0])
        channel_config = await commands.stage.app.channel_configs.find(commands.place)
        kept = await commands.store.settings(commands.place)

    assert set(kept) == {
        "degree",
        "typing",
        "rules",
        "prefill",
        "answer.words",
        "context.source",
        "thought_log",
        "by.thought_log",
    }
    assert channel_config.settings.degree == 0


async def test_a_server_may_have_less_than_the_file_gives_and_a_log_of_its_own() -> None:
    async with with_commands() as commands:
        log = commands.stage.twin.channel
        said = [
            await commands.says("settings set", name="context.tokens", value="500"),
            await commands.says("settings set", name="answer_cap", value="5000"),
            await commands.says("settings set", name="thought_log", value=f"<#{log.id}>"),
        ]

    assert all("is now" in one for one in said), said


async def test_words_and_channels_are_lists() -> None:
    async with with_commands() as commands:
        await commands.says("settings set", name="answer.words", value="kitty, moon cat ,")
        await commands.says("settings set", name="answer.channels", value="<#123456789012345678>, 5")
        channel_config = await commands.stage.app.channel_configs.find(commands.place)

    assert channel_config.answer.words == ("kitty", "moon cat")
    assert channel_config.answer.channels == (123456789012345678, 5)


async def test_the_degree_is_set_with_a_sample_of_how_it_looks() -> None:
    async with with_commands() as commands:
        whole = await commands.says("settings degree", degree=0)
        lively = await commands.says("settings degree", degree=3, where="server")
        tried = await commands.says("settings degree", commands.guest, degree=1, try_only=True)
        kept = (
            await commands.store.settings(commands.place),
            await commands.store.settings(Place(commands.guild)),
        )

    assert whole.splitlines()[:3] == [
        "`degree` is now `0` in this channel.",
        "Degree 0 (NONE): an answer would arrive like this.",
        "-# at once",
    ]
    assert lively.startswith("`degree` is now `3` in this server.")
    assert whole.count("-# ") == 1
    assert lively.count("-# ") >= 6
    assert tried.startswith("Degree 1 (LIGHT)")
    assert kept == ({"degree": 0}, {"degree": 3})


async def test_who_may_not_is_told_which_permission_is_missing() -> None:
    async with with_commands() as commands:
        channel = await commands.says("settings set", commands.guest, name="degree", value="0")
        server = await commands.says("settings degree", commands.guest, degree=0, where="server")
        shown = await commands.says("settings show", commands.guest)

    assert ("Manage Channels" in channel, "Manage Server" in server) == (True, True)
    assert "the bot's configuration file" in shown


async def test_a_direct_message_has_settings_of_its_own() -> None:
    async with with_commands() as commands:
        dm = commands.stage.twin.dm()
        said = await commands.use("settings set", None, dm, name="degree", value="0")
        server = await commands.use("settings set", None, dm, name="degree", value="0", where="server")
        shown = await commands.use("settings show", None, dm)
        kept = await commands.store.settings(Place(0, dm.id))

    assert said.content == "`degree` is now `0` in this channel."
    assert server.content.startswith("That is for servers.")
    assert shown.content.splitlines() == ["**Settings in this channel**", "- `degree`: `0`"]
    assert kept == {"degree": 0}


async def test_names_and_values_are_offered() -> None:
    async with with_commands() as commands:
        names = await commands.offers("settings set", "name", name="typing")
        values = await commands.offers("settings set", "value", name="lists", value="")
        degrees = await commands.offers("settings set", "value", name="degree", value="m")
        nothing = await commands.offers("settings set", "value", name="zzz", value="")
        many = await commands.offers("settings set", "name", name="")

    assert names == ["typing", "typing_delay_min", "typing_delay_max", "max_typing_lag"]
    assert values == ["together", "lines"]
    assert degrees == ["2 MEDIUM"]
    assert nothing == []
    assert len(many) == 25


async def test_what_was_set_outlives_a_restart() -> None:
    async with with_commands() as commands:
        await commands.says("settings set", name="degree", value="0")
        async with with_commands(store=commands.store, twin=commands.stage.twin) as again:
            channel_config = await again.stage.app.channel_configs.find(commands.place)

    assert channel_config.settings.degree == 0


def test_degree_0_is_one_message_as_it_was_written() -> None:
    assert [message.content for message in plan_sample(Settings(degree=Degree.NONE))] == [SAMPLE]


def test_each_degree_looks_different_and_higher_ones_come_in_more_pieces() -> None:
    plans = [[message.content for message in plan_sample(Settings(degree=degree))] for degree in Degree]

    assert plans[0] != plans[1] != plans[3]
    assert len(plans[0]) < len(plans[2]) < len(plans[3])


def test_only_the_higher_degrees_take_their_time() -> None:
    delays = {degree: sum(one.delay for one in plan_sample(Settings(degree=degree))) for degree in Degree}

    assert [bool(delay) for delay in delays.values()] == [False, False, True, True]


@pytest.mark.parametrize("degree", Degree)
def test_a_sample_is_the_same_each_time_and_fits_an_answer(degree: Degree) -> None:
    plan = plan_sample(Settings(degree=degree))

    assert plan == plan_sample(Settings(degree=degree))
    assert sum(len(message.content) for message in plan) < 1000


async def test_a_server_chooses_messages_that_grow() -> None:
    async with on_stage(ScriptedProvider(["One.\nTwo.\nThree."])) as stage:
        stage.twin.slash("settings set", name="delivery", value="live")
        await stage.twin.next_message()
        stage.ask("count")
        await stage.texts(1)
        await stage.quiet()

        assert [message.content for message in stage.said()] == ["One.\nTwo.\nThree."]


def test_settings_that_are_suggested_first_exist() -> None:
    assert set(COMMON) <= set(all_settings())
    assert len(COMMON) == len(set(COMMON)) == CHOICE_CAP
