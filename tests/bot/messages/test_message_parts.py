from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.stage import Stage, make_config, on_stage
from discord_twin import Channel, FakeUser, Message
from discord_twin.state.enums import MessageFlag, MessageType
from discord_twin.state.models import Draft, Sticker
from streamcord.providers import Image, Text, UserMessage
from streamcord.testing import ScriptedProvider
from streamcord_bot.messages.chat_message import MessageReader
from streamcord_bot.messages.message_parts import MAX_PART_CHARS, MAX_PARTS, read_parts

PIXEL = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"
    b"\0\0\0\rIDATx\xdac\xf8\xcf\xc0\xf0\x1f\0\5\0\1\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82"
)
TEXT_DISPLAY = 10
SECTION = 9
CONTAINER = 17
THUMBNAIL = 11


def shown(model: ScriptedProvider, at: int = -1) -> str:
    """Everything that the model was shown as words of people."""
    messages = [one for one in model.prompts[at].messages if isinstance(one, UserMessage)]
    return "\n".join(part.text for one in messages for part in one.parts if isinstance(part, Text))


def in_dm(stage: Stage) -> FakeUser:
    return FakeUser(stage.twin.context, stage.twin.users, stage.twin.user, stage.twin.dm())


def post(stage: Stage, channel: Channel, **draft: Any) -> Message:
    """A message of another bot."""
    news = stage.twin.state.add_user("news", bot=True)
    return stage.twin.state.post(channel, news, Draft(**draft), type_=MessageType.DEFAULT)


V2 = (
    {
        "type": CONTAINER,
        "id": 1,
        "components": [
            {"type": TEXT_DISPLAY, "id": 2, "content": "# Weather <:sun:1234>"},
            {
                "type": SECTION,
                "id": 3,
                "components": [{"type": TEXT_DISPLAY, "id": 4, "content": "It rains in Rome."}],
                "accessory": {"type": THUMBNAIL, "id": 5, "media": {"url": "https://example.com/a.png"}},
            },
        ],
    },
)
EMBED = {
    "type": "rich",
    "title": "Score",
    "description": "Cats 3 : Dogs 2",
    "fields": [{"name": "Best", "value": "Mittens", "inline": False}],
    "footer": {"text": "final"},
}


@pytest.mark.parametrize("in_private", [True, False])
async def test_a_forward_is_read_with_its_words_card_and_pictures(*, in_private: bool) -> None:
    model = ScriptedProvider(["I see."])
    async with on_stage(model) as stage:
        twin = stage.twin
        other = twin.add_channel("other")
        source = twin.say(other, twin.user, "The door is green. <:cat:12345>", files={"door.png": PIXEL})
        if in_private:
            in_dm(stage).forward(source)
            await stage.texts(1, twin.dm())
        else:
            twin.users.forward(source, twin.channel, twin.user)
            stage.ask("what is this?")
            await stage.texts(1)

    assert (
        "[forwarded message]\n  The door is green. :cat:\n  [file door.png]\n[end of forwarded message]"
        in shown(model)
    )
    parts = [part for one in model.prompts[0].messages for part in one.parts]
    assert Image(PIXEL, "image/png") in parts


async def test_a_forward_of_a_forward_is_read() -> None:
    model = ScriptedProvider(["I see."])
    async with on_stage(model) as stage:
        twin = stage.twin
        first = twin.users.forward(twin.say(twin.channel, twin.user, "deep"), twin.channel, twin.user)
        in_dm(stage).forward(first)
        await stage.texts(1, twin.dm())

    assert "forwarded message" in shown(model)


@pytest.mark.parametrize(
    ("draft", "wanted"),
    [
        (
            {"embeds": (EMBED,)},
            "[embed]\n  Score\n  Cats 3 : Dogs 2\n  Best: Mittens\n  final\n[end of embed]",
        ),
        (
            {"content": "https://example.com", "embeds": ({**EMBED, "type": "article"},)},
            "https://example.com\n[link card]\n  Score",
        ),
        (
            {"components": V2, "flags": MessageFlag.IS_COMPONENTS_V2},
            "news: # Weather :sun:\n  It rains in Rome.",
        ),
    ],
)
async def test_cards_of_others_are_read(draft: dict[str, Any], wanted: str) -> None:
    model = ScriptedProvider(["I see."])
    async with on_stage(model) as stage:
        post(stage, stage.twin.channel, **draft)
        stage.ask("what does it say?")
        await stage.texts(2)

    assert wanted in shown(model)


async def test_a_poll_is_read_with_its_votes_also_as_a_question_in_private() -> None:
    model = ScriptedProvider(["Tea."], ["Tea, still."])
    async with on_stage(model) as stage:
        person = in_dm(stage)
        poll = person.ask("Tea or coffee?", ["Tea", "Coffee"])
        await stage.texts(1, person.channel)
        await stage.quiet()
        person.vote(poll, 1)
        person.say("and now?")
        await stage.texts(1, person.channel)

    assert "[poll]\n  Tea or coffee?\n  - Tea (0 votes)\n  - Coffee (0 votes)\n[end of poll]" in shown(
        model, 0
    )


async def test_a_poll_without_answers_is_read() -> None:
    model = ScriptedProvider(["No answers at all."])
    async with on_stage(model) as stage:
        person = in_dm(stage)
        person.ask("What for?", [])
        await stage.texts(1, person.channel)

    assert "[poll: What for?]" in shown(model, 0)


async def test_a_sticker_is_read_by_its_name() -> None:
    model = ScriptedProvider(["Purr."])
    async with on_stage(model) as stage:
        sticker = Sticker(77, "happy cat", "", "cat")
        stage.twin.guild.stickers[sticker.id] = sticker
        stage.ask("", stickers=[sticker.id])
        await stage.texts(1)

    assert "[sticker: happy cat]" in shown(model)


async def test_untranscribed_voice_message_becomes_a_note() -> None:
    model = ScriptedProvider(["I cannot hear it."])
    async with on_stage(model) as stage:
        person = in_dm(stage)
        person.speak(b"OggS", 12.2)
        await stage.texts(1, person.channel)

    assert "[voice message 12 s: it cannot be read]" in shown(model)


async def test_pin_message_is_read_but_not_answered() -> None:
    model = ScriptedProvider(["I see."])
    config = make_config(answer={"channels": [1]})
    async with on_stage(model, config=config) as stage:
        twin = stage.twin
        said = twin.say(twin.channel, twin.user, "rules: be kind")
        twin.users.pin(said, twin.user)
        stage.ask("what happened?")
        await stage.texts(1)
        await stage.quiet()

    assert "alice pinned a message to this channel" in shown(model)
    assert len(model.prompts) == 1


async def test_hostile_cards_are_cut() -> None:
    field = {"name": "n" * 256, "value": "v" * 1024, "inline": False}
    huge = {"type": "rich", "title": "t" * 50_000, "description": "d" * 3_000_000, "fields": [field] * 1000}
    async with on_stage(ScriptedProvider()) as stage:
        message = post(stage, stage.twin.channel, embeds=(huge,) * 25)
        channel: Any = stage.bot.get_channel(stage.twin.channel.id)
        read: discord.Message = await channel.fetch_message(message.id)
        assert stage.bot.user is not None
        parts = MessageReader(stage.bot.user, stage.bot.application_id or 0).read(read).parts

    assert parts == read_parts(read)
    assert len(parts) == MAX_PARTS
    assert all(len(part.text) <= MAX_PART_CHARS for part in parts)
