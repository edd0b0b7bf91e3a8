"""What the bot says: complete in every language, with the same gaps, and every line is used."""

from __future__ import annotations

import string
from importlib.resources import files
from pathlib import Path
from typing import Any

import discord
import pytest

import streamcord_bot
from bot.stage import Stage, make_config, on_stage
from discord_twin import Channel, FaultKind, Message
from discord_twin.state.enums import MessageFlag
from streamcord import ChannelGone, Overloaded, ProviderError, RateLimited, RequestRejected, Truncated
from streamcord.testing import ScriptedProvider
from streamcord_bot.config import read_config
from streamcord_bot.i18n import LOCALES, read_locale, translate
from streamcord_bot.ui.buttons import AnswerButton, make_buttons
from streamcord_bot.ui.notices import notice_key, send_notice


def gaps(line: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(line) if name}


def test_every_file_of_texts_is_a_language_that_the_configuration_accepts() -> None:
    names = sorted(file.name for file in (files("streamcord_bot") / "locales").iterdir() if file.is_file())

    assert names == sorted(f"{locale}.toml" for locale in LOCALES)
    for locale in LOCALES:
        assert read_config({"locale": locale}, {}).locale == locale


@pytest.mark.parametrize("locale", LOCALES)
def test_every_language_has_every_line_with_the_same_gaps(locale: str) -> None:
    lines, english = read_locale(locale), read_locale("en")

    assert lines.keys() == english.keys()
    assert [key for key in lines if gaps(lines[key]) != gaps(english[key])] == []


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        ("en-US", "Stopped."),
        ("de", "Angehalten."),
        ("de-AT", "Angehalten."),
        ("es-ES", "Detenido."),
        ("ja", "止めました。"),
        ("fr", "Arrêté."),
        ("pt-BR", "Parado."),
        ("zh-CN", "已停止。"),
        ("zh-TW", "已停止。"),
        ("ko", "멈췄어요."),
        ("ru", "Остановлено."),
        ("fi", "Stopped."),
    ],
)
def test_a_language_that_we_lack_is_english(locale: str, line: str) -> None:
    assert translate(locale, "stopped") == line


def test_gaps_are_filled() -> None:
    assert translate("de", "refused", reason="x") == "x."


def test_every_locale_key_is_used() -> None:
    folder = Path(streamcord_bot.__path__[0])
    code = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    made = {
        f"{verb}_{where}"
        for verb in ("switched", "unswitched", "cleared", "in")
        for where in ("channel", "server")
    }
    # The library names these, and asks for their text.
    made |= {f"ask_{what}" for what in ("decided", "already", "expired", "not_yours", "unknown", "store")}

    assert [
        key
        for key in read_locale("en")
        if f'"{key}"' not in code and f"'{key}'" not in code and key not in made
    ] == []


@pytest.mark.parametrize("locale", LOCALES)
def test_no_line_is_longer_than_a_message(locale: str) -> None:
    assert max(map(len, read_locale(locale).values())) < 500


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (RateLimited("x"), "rate_limited"),
        (Overloaded("x"), "overloaded"),
        (Truncated("x"), "truncated"),
        (RequestRejected("x"), "rejected"),
        (ProviderError("x"), "provider"),
        (TimeoutError(), "timeout"),
        (ChannelGone("x"), ""),
        (ValueError("x"), "failed"),
    ],
)
def test_every_error_has_its_notice(error: Exception, name: str) -> None:
    assert notice_key(error) == name


# --- Requests beside the answers ------------------------------------------------------------------------


async def test_notice_is_a_silent_embed_without_mentions() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        said = stage.twin.say(stage.twin.channel, stage.twin.user, "hi")
        channel: Any = stage.bot.get_channel(stage.twin.channel.id)
        message = await channel.fetch_message(said.id)
        await send_notice(channel, "@everyone, something happened", message)
        notice = await stage.twin.next_message()

        assert notice.draft.embeds[0]["description"] == "@everyone, something happened"
        assert notice.draft.flags & MessageFlag.SUPPRESS_NOTIFICATIONS
        assert notice.draft.reply_ids == (stage.twin.channel.id, said.id)
        assert stage.pinged == set()


@pytest.mark.parametrize("refused", [False, True])
async def test_a_notice_may_be_a_frame_and_is_an_embed_where_that_is_refused(*, refused: bool) -> None:
    async with on_stage(ScriptedProvider()) as stage:
        channel: Any = stage.bot.get_channel(stage.twin.channel.id)
        if refused:
            stage.twin.inject_fault(FaultKind.ERROR_CODE, status=400, code=50035, field="components.0")
        await send_notice(channel, "something happened", layout="card")
        notice = await stage.twin.next_message()

        assert [one["type"] for one in notice.draft.components] == ([] if refused else [17])
        assert len(notice.draft.embeds) == int(refused)
        assert notice.draft.flags & MessageFlag.SUPPRESS_NOTIFICATIONS


async def test_a_notice_that_is_refused_is_nothing_to_fail_for() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        channel: Any = stage.bot.get_channel(stage.twin.channel.id)
        stage.twin.inject_fault(FaultKind.ERROR_CODE, status=403, code=50013)

        assert await send_notice(channel, "something happened") is None


async def spoken(stage: Stage, channel: Channel) -> tuple[Any, Message]:
    """A message of the bot in a channel, and the channel as the bot knows it."""
    stage.ask("hi", channel)
    message = await stage.twin.next_message(channel)
    await stage.quiet()
    return stage.bot.get_channel(channel.id), message


@pytest.mark.parametrize("alter", [False, True])
@pytest.mark.parametrize("thread", [False, True])
async def test_buttons_come_and_go_and_so_does_the_message(alter: bool, thread: bool) -> None:
    config = make_config(personas={"Luna": {"alter": alter}})
    async with on_stage(ScriptedProvider(["Hello."]), config=config) as stage:
        room = stage.twin.add_thread("talk") if thread else stage.twin.channel
        channel, message = await spoken(stage, room)
        editor = stage.app.editor

        assert await editor.set_buttons(
            channel, message.id, make_buttons(AnswerButton("again", 1, "ff")), by_webhook=alter
        )
        assert message.draft.components
        assert await editor.set_buttons(channel, message.id, None, by_webhook=alter)
        assert not message.draft.components
        assert message.content == "Hello."
        await editor.delete_messages(channel, [message.id, message.id])
        assert message.id not in room.messages


async def test_what_cannot_be_reached_is_left_as_it_is() -> None:
    async with on_stage(ScriptedProvider(["Hello."])) as stage:
        channel, message = await spoken(stage, stage.twin.channel)
        editor = stage.app.editor
        view = make_buttons(AnswerButton("again", 1, "ff"))

        assert not await editor.set_buttons(channel, message.id, view, by_webhook=True)
        assert not await editor.set_buttons(channel, 1, view)
        foreign = stage.twin.say(stage.twin.channel, stage.twin.user, "mine")
        assert not await editor.set_buttons(channel, foreign.id, view)
        dm = stage.bot.get_partial_messageable(stage.twin.dm().id)
        assert not await editor.set_buttons(dm, 1, view, by_webhook=True)
        assert isinstance(channel, discord.TextChannel)
