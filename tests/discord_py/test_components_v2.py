"""Cards on the twin, which refuses what Discord would: through the channel, a webhook and an interaction."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import discord
import pytest

from delivery.stage import Stage, on_stage
from discord_py.test_interaction import asked
from discord_twin import FaultKind, MessageFlag
from discord_twin import Message as OutputLog
from streamcord import AnswerContext, Attachment, Degree, Message, Persona, Settings, Sprite, say
from streamcord._delivery.outgoing import OutgoingMessage, build_outgoing
from streamcord._discord.components_v2 import as_card
from streamcord._discord.edits import content_of
from streamcord._discord.webhooks.sender import Webhooks
from virtual_time import timeless

TABLE = "| Name | Age |\n|---|--:|\n| Luna | 5 |\n| Rex | 7 |"
CARDS = Settings(degree=Degree.NONE, tables="card", typing="off")
ROWS = "```\nName | Age\nLuna | 5\nRex | 7\n```"


async def model(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


def kinds(message: OutputLog) -> list[Any]:
    """The types of the components, those of a frame in a list."""
    return [
        [inner["type"] for inner in one["components"]] if one["type"] == 17 else one["type"]
        for one in message.draft.components
    ]


def source_view() -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Source", custom_id="source"))
    return view


def is_v2(message: OutputLog) -> bool:
    return bool(message.draft.flags & MessageFlag.IS_COMPONENTS_V2)


@timeless
async def test_a_table_is_one_message_of_picture_rows_and_button() -> None:
    async with on_stage() as stage:
        channel = stage.channel(table_view=source_view())
        result = await say(channel, model(f"Look:\n\n{TABLE}\n\nNice."), settings=CARDS)

    words, card, end = stage.sent
    assert [words.content, end.content] == ["Look:", "Nice."]
    assert kinds(card) == [[12, 10, 1]]
    gallery, rows, row = card.draft.components[0]["components"]
    assert gallery["items"][0]["media"]["url"].startswith("attachment://table.png")
    assert gallery["items"][0]["description"] == "Name | Age\nLuna | 5\nRex | 7"
    assert rows["content"] == ROWS
    assert row["components"][0]["custom_id"] == "source"
    assert [receipt.changes for receipt in result.receipts] == [(), ("card",), ()]
    assert [(push.text, push.silent) for push in stage.twin.log.pushes][:2] == [("Look:", False), ("", True)]


@timeless
async def test_the_first_message_keeps_the_words_of_its_push() -> None:
    settings = replace(CARDS, degree=Degree.MEDIUM, notify="all")
    async with on_stage() as stage:
        heading = f"## Pets\n{TABLE}\n\nNice."
        await say(stage.channel(), model(heading), settings=settings)

    assert "## Pets" in "".join(push.text for push in stage.twin.log.pushes)
    assert not any(is_v2(one) for one in stage.sent if one.content)


@timeless
async def test_a_card_that_is_refused_is_the_plain_picture_and_so_is_the_next() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, after=1, status=400, code=50035, field="components.0")
        result = await say(stage.channel(), model(f"A:\n\n{TABLE}\n\nB:\n\n{TABLE}\n\nC."), settings=CARDS)

    assert [one.content for one in stage.sent] == ["A:", "", "B:", "", "C."]
    assert [len(one.attachments) for one in stage.sent] == [0, 1, 0, 1, 0]
    assert not any(is_v2(one) for one in stage.sent)
    assert [receipt.changes for receipt in result.receipts] == [()] * 5


@timeless
async def test_a_table_that_hides_something_shows_no_rows() -> None:
    hidden = TABLE.replace("5", "||5||")
    async with on_stage() as stage:
        await say(stage.channel(), model(f"Look:\n\n{hidden}"), settings=CARDS)

    assert stage.sent[-1].attachments[0].filename == "SPOILER_table.png"
    assert not is_v2(stage.sent[-1])


@timeless
async def test_a_persona_shows_a_card_too() -> None:
    luna = Persona("Luna", sprites=(Sprite("happy"),))
    async with on_stage() as stage:
        channel = stage.channel(webhooks=Webhooks(stage.client), table_view=source_view())
        text = f"Luna (happy): Look:\n\n{TABLE}\n\nNice."
        result = await say(channel, model(text), settings=CARDS, context=AnswerContext(persona=luna))

    assert {one.webhook is not None for one in stage.sent} == {True}
    assert kinds(stage.sent[1]) == [[12, 10, 1]]
    assert "card" in result.receipts[1].changes


@timeless
async def test_a_reply_to_a_command_shows_a_card_too() -> None:
    async with asked(table_view=source_view()) as (stage, _, transport):
        await say(transport, model(f"Look:\n\n{TABLE}"), settings=CARDS)

        assert stage.sent[0].content == "Look:"
        assert kinds(stage.sent[1]) == [[12, 10, 1]]


@timeless
async def test_a_notice_is_a_frame_if_that_is_wanted_and_nobody_is_called() -> None:
    settings = Settings(degree=Degree.HEAVY, message_cap=2, notices="card", typing="off")
    async with on_stage() as stage:
        await say(stage.channel(), model("One.\nTwo.\nThree."), settings=settings)

    notice = stage.sent[-1]
    assert kinds(notice) == [[10, 13]]
    assert notice.draft.components[0]["accent_color"] == 0xE0A030
    assert not notice.draft.embeds


def outgoing(*files: Attachment, content: str = "", **more: Any) -> OutgoingMessage:
    return build_outgoing("turn", 0, Message(content, files=files, **more), card=True)


def test_two_pictures_share_one_button_and_other_files_stand_below() -> None:
    first, second = (Attachment("table.png", b"x", rows=rows) for rows in ("a", "b"))
    sent = replace(outgoing(first, second, Attachment("a.txt", b"x"), content="Hi"), below=source_view())
    shown: Any = as_card("Hi", sent)

    parts = shown.to_components()
    assert [one["type"] for one in parts] == [10, 17, 17, 13]
    assert [inner["type"] for inner in parts[1]["components"]] == [12, 10]
    assert [inner["type"] for inner in parts[2]["components"]] == [12, 10, 1]


def test_a_picture_without_rows_is_shown_and_any_other_file_offered() -> None:
    sent = outgoing(
        Attachment("table.png", b"x", "alt", spoiler=True), Attachment("a.txt", b"x"), content="Hi"
    )
    shown: Any = as_card("Hi", sent)

    _, gallery, file = shown.to_components()
    (picture,) = gallery["items"]
    assert picture["media"]["url"] == "attachment://SPOILER_table.png"
    assert (picture["description"], picture["spoiler"], file["type"]) == ("alt", True, 13)


@pytest.mark.parametrize("rows", ["x" * 3999, "a ``` b"])
def test_rows_never_break_the_message(rows: str) -> None:
    shown: Any = as_card("Hi", outgoing(Attachment("table.png", b"x", rows=rows), content="Hi"))

    texts = [inner["content"] for inner in shown.to_components()[1]["components"] if inner["type"] == 10]
    assert sum(map(len, texts)) <= 3998
    assert all(text.count("```") == 2 for text in texts)


def test_rows_exceed_the_byte_limit_of_the_message() -> None:
    files = [Attachment(f"table-{number}.png", b"x", rows="語" * 1000) for number in range(3)]
    shown: Any = as_card("Hi" * 500, outgoing(*files, content="Hi" * 500))

    texts = [
        inner["content"]
        for one in shown.to_components()[1:]
        for inner in one["components"]
        if inner["type"] == 10
    ]
    assert [text.count("語") for text in texts] == [1000, 1000]
    assert sum(len(text.encode()) + 12 for text in (*texts, "Hi" * 500)) <= 10_170


@timeless
async def test_what_stands_in_a_frame_is_not_what_was_said() -> None:
    async with on_stage() as stage:
        await say(stage.channel(), model(f"Look:\n\n{TABLE}"), settings=CARDS)
        await check_words(stage)


async def check_words(stage: Stage) -> None:
    seen = await stage.find().fetch_message(stage.sent[-1].id)
    assert content_of(seen) == ""
    assert seen.attachments
