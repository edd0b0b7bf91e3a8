"""The file is a ceiling whenever a value is used: for servers, and for people in direct messages."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.commands.using import with_commands
from bot.models import Model
from bot.stage import make_config
from streamcord import AnswerContext, Settings, SettingsError
from streamcord._common.fields import fields_of
from streamcord.store import Place, Store, open_store
from streamcord_bot.config import (
    AnswerConfig,
    ContextConfig,
    DiscordConfig,
    LogConfig,
    ServersConfig,
    read_config,
)
from streamcord_bot.config.server_limits import GROUPS, may_change
from streamcord_bot.config.settings_catalog import all_settings
from streamcord_bot.policy.channel_config import ChannelConfigs

SERVER, DM = Place(1, 10), Place(0, 10)
MODELS: dict[str, Any] = {
    name: {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"} for name in ("small", "dear")
}


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    opened = await open_store(":memory:")
    yield opened
    await opened.close()


# --- Numbers ----------------------------------------------------------------------------------------------

NUMBERS = [
    (section, name)
    for section in (Settings, AnswerConfig, ContextConfig, DiscordConfig, LogConfig)
    for name, spec in fields_of(section).items()
    if spec.hint in (int, float)
]


@pytest.mark.parametrize(("section", "name"), NUMBERS, ids=lambda one: getattr(one, "__name__", one))
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 10**30, -(10**30)])
def test_every_number_is_finite_and_bounded(section: type, name: str, value: float) -> None:
    kind = fields_of(section)[name].hint
    with pytest.raises(SettingsError):
        section(**{name: kind(value) if math.isfinite(value) else value})


def test_the_file_is_checked_like_everything_else() -> None:
    with pytest.raises(SettingsError, match=r"answer\.debounce must be a number from 0 to 60, not inf"):
        read_config({"answer": {"debounce": math.inf}}, {})


# --- When a value is used ---------------------------------------------------------------------------------

HIGH = {
    name: spec.maximum
    for name, spec in all_settings().items()
    if spec.hint in (int, float) and spec.maximum is not None and not spec.is_id
}
FREE = {
    *(
        "message_length",
        "emoji_run_prefix_length",
        "comma_removal_chance",
        "comma_break",
    ),
    *("exclamation_break", "pause_chance", "send_message_limit"),
    # A channel may have every message answered anyway (answer.channels), each on its author's budget.
    *("answer.follow_up_time", "answer.follow_up_count"),
}
"""Numbers that cost nobody anything at their highest."""


@pytest.mark.parametrize("place", [SERVER, DM], ids=["server", "dm"])
@pytest.mark.parametrize("name", sorted(HIGH.keys() - FREE))
async def test_what_was_stored_as_the_highest_value_is_cut_when_it_is_used(
    store: Store, name: str, place: Place
) -> None:
    await store.change_settings(place, {name: HIGH[name]})
    channel_config = await ChannelConfigs(make_config(answer={"debounce": 1.0}), store).find(place)
    used = channel_config.value_of(name)

    assert isinstance(used, int | float)
    assert used < (HIGH[name] or 0)


@pytest.mark.parametrize(("given", "used"), [(1950, 200), (100, 100)])
async def test_messages_are_not_so_short_that_they_are_thousands(store: Store, given: int, used: int) -> None:
    await store.change_settings(SERVER, {"message_length": 32})
    config = make_config(settings={"message_length": given})
    channel_config = await ChannelConfigs(config, store).find(SERVER)

    assert channel_config.settings.message_length == used


async def test_a_ceiling_that_was_lowered_counts_for_what_was_set_before(store: Store) -> None:
    await store.change_settings(SERVER, {"context.tokens": 3000, "message_cap": 0, "degree": 0})
    config = make_config(context={"tokens": 500}, settings={"message_cap": 10})
    channel_config = await ChannelConfigs(config, store).find(SERVER)

    assert (channel_config.context.tokens, channel_config.settings.message_cap) == (500, 10)
    assert channel_config.settings.degree == 0


async def test_the_ceiling_is_that_of_the_model_that_answers(store: Store) -> None:
    models = {**MODELS, "dear": {**MODELS["dear"], "settings": {"message_cap": 3}}}
    await store.change_settings(SERVER, {"message_cap": 20, "model": "dear"})

    assert (await ChannelConfigs(make_config(models=models), store).find(SERVER)).settings.message_cap == 3


async def test_the_file_may_let_servers_go_further_or_less_far(store: Store) -> None:
    maximum = {"message_cap": 80, "mentions": "nobody", "answer.buttons": False}
    await store.change_settings(SERVER, {"message_cap": 90, "mentions": "users", "answer.buttons": True})
    channel_config = await ChannelConfigs(make_config(servers={"maximum": maximum}), store).find(SERVER)

    assert channel_config.settings.message_cap == 80
    assert channel_config.settings.mentions == "nobody"
    assert not channel_config.answer.buttons


async def test_what_is_not_on_the_list_is_not_used_whoever_stored_it(store: Store) -> None:
    for place in (SERVER, DM):
        await store.change_settings(place, {"degree": 0, "rules": False, "model": "dear", "thought_log": 5})
    config = make_config(models=MODELS, servers={"may_change": ["look"], "people_may_change": []})
    server, dm = [await ChannelConfigs(config, store).find(place) for place in (SERVER, DM)]

    assert (server.settings.degree, dm.settings.degree) == (0, 2)
    for one in (server, dm):
        assert (one.settings.rules, one.model, one.thought_log) == (True, "", 0)


async def test_a_value_that_fits_no_more_takes_no_other_with_it(store: Store) -> None:
    await store.change_settings(SERVER, {"degree": 0, "typing": {"a": 1}, "answer.debounce": math.inf})
    channel_config = await ChannelConfigs(make_config(), store).find(SERVER)

    assert (channel_config.settings.degree, channel_config.settings.typing) == (0, "off")
    assert channel_config.answer.debounce <= 10


async def test_nobodys_face_is_copied_unless_the_file_says_so(store: Store) -> None:
    await store.change_settings(SERVER, {"impersonation": "all"})
    careful = await ChannelConfigs(make_config(), store).find(SERVER)
    open_ = await ChannelConfigs(make_config(settings={"impersonation": "all"}), store).find(SERVER)

    assert (careful.settings.impersonation, open_.settings.impersonation) == ("personas", "all")


# --- In direct messages -----------------------------------------------------------------------------------


async def test_nobody_opens_direct_messages_that_the_file_has_closed() -> None:
    model = Model(["Hello."])
    config = make_config(answer={"direct_messages": False})
    async with with_commands(model, config=config) as commands:
        stage = commands.stage
        dm = stage.twin.dm(commands.guest)
        said = [
            (await commands.use("settings set", commands.guest, dm, name=name, value=value)).content
            for name, value in {
                "answer.direct_messages": "true",
                "answer.channels": str(dm.id),
                "answer.mentions": "true",
            }.items()
        ]
        await commands.store.change_settings(
            Place(0, dm.id),
            {"answer.direct_messages": True, "answer.channels": [dm.id], "answer.words": ["hello"]},
        )
        stage.app.channel_configs.forget()
        stage.twin.say(dm, commands.guest, "hello")
        stage.ask("hello", dm, commands.guest)
        await stage.settled()
        await stage.quiet()

    assert all("the operator of this bot" in one for one in said), said
    assert model.prompts == []


async def test_nobody_takes_the_dear_model_in_direct_messages() -> None:
    small, dear = Model(["small"]), Model(["dear"])
    async with with_commands({"small": small, "dear": dear}, config=make_config(models=MODELS)) as commands:
        dm = commands.stage.twin.dm(commands.guest)
        said = [
            (await commands.use("model", commands.guest, dm, name="dear", everywhere=everywhere)).content
            for everywhere in (False, True)
        ]
        kept = await commands.store.settings(Place(0, dm.id)), await commands.store.settings(Place(0))
        await commands.store.change_settings(Place(0, dm.id), {"model": "dear"})
        commands.stage.twin.say(dm, commands.guest, "hello")
        await small.called()
        await commands.stage.quiet()

    assert said == ["Only the operator of this bot can choose the model here."] * 2
    assert kept == ({}, {})
    assert (len(small.prompts), len(dear.prompts)) == (1, 0)


async def test_where_people_may_choose_a_model_they_choose_it_for_themselves_alone() -> None:
    config = make_config(models=MODELS, servers={"people_may_change": ["model"]})
    models = {"small": Model(["small"]), "dear": Model(["dear"])}
    async with with_commands(models, config=config) as commands:
        dm = commands.stage.twin.dm(commands.guest)
        everywhere = await commands.use("model", commands.guest, dm, name="dear", everywhere=True)
        mine = await commands.use("model", commands.guest, dm, name="dear")
        kept = await commands.store.settings(Place(0))

    assert everywhere.content.startswith("That is for servers.")
    assert mine.content.startswith("From now on **dear**")
    assert kept == {}


# --- Commands ---------------------------------------------------------------------------------------------


async def test_a_command_refuses_what_would_not_be_used() -> None:
    config = make_config(servers={"may_change": ["look", "limits"]})
    async with with_commands(config=config) as commands:
        said = [
            await commands.says("settings set", name="rules", value="false"),
            await commands.says("settings set", name="message_cap", value="0"),
            await commands.says("settings set", name="message_cap", value="39"),
            await commands.says("settings set", name="message_length", value="100"),
        ]
        kept = await commands.store.settings(commands.place)

    assert said == [
        "Only the operator of this bot can change `rules`.",
        r"message\_cap must be at most 40, as the bot's file says, not 0.",
        "`message_cap` is now `39` in this channel.",
        r"message\_length must be at least 200, not 100.",
    ]
    assert kept == {"message_cap": 39}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"may_change": ["degre"]}, r"servers\.may_change must be names of settings"),
        ({"people_may_change": ["everything"]}, r"servers\.people_may_change must be names of settings"),
        ({"maximum": {"massage_cap": 4}}, r"servers\.maximum has no key"),
        ({"maximum": {"message_cap": -4}}, r"servers\.maximum\.message_cap must be a whole number from 0"),
        ({"maximum": {"prefill": "x"}}, r"servers\.maximum\.prefill must be a number, true, false"),
    ],
)
def test_a_list_of_rights_that_cannot_be_meant_is_refused(table: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        read_config({"servers": table}, {})


def test_a_new_setting_is_the_operators_alone_until_it_is_put_on_the_list() -> None:
    assert may_change(ServersConfig(), "degree", guild=1)
    assert not may_change(ServersConfig(), "brand_new", guild=1)
    assert GROUPS["look"] | GROUPS["limits"] <= fields_of(Settings).keys() | fields_of(AnswerContext).keys()
    assert GROUPS["answer"] | GROUPS["context"] <= all_settings().keys()
