"""The edit that completes a message brings the pictures after it, on the twin with the real discord.py."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from delivery.live.test_sender import LINES, LIVE, LONG, labels, make_view, routes, stream, text_of
from delivery.stage import Stage, on_stage
from discord_py.test_interaction import asked
from discord_twin import Fault, FaultKind, Permission
from journal.lives import Paper
from streamcord import AnswerContext, Message, Persona, Speaker, Stop, StopMode, Table, say
from streamcord._delivery.live.trailing_images import draw_images, find_images, with_images
from streamcord._discord.rate_limits import _LIMITS
from streamcord._discord.webhooks.sender import Webhooks
from streamcord.store import TurnJournal
from virtual_time import covers, now, timeless

RICH = replace(LIVE, live_limit=4000)
SMALL = "| a | b |\n|---|---|\n| 1 | 2 |\n"
TALL = "| name | count |\n|---|--:|\n" + "".join(f"| n{row} | {row} |\n" for row in range(25))
BEFORE, BEHIND = LINES[:207], LINES[207:399]


def answer(table: str = SMALL, before: str = BEFORE, behind: str = BEHIND) -> str:
    return f"{before}\n{table}\n{behind}"


def files(stage: Stage) -> list[list[str]]:
    return [[file.filename for file in one.attachments] for one in stage.sent]


def kinds(message: Any) -> list[int]:
    """The types of the components of a message, the outermost ones."""
    return [one["type"] for one in message.draft.components]


def texts(stage: Stage) -> list[str]:
    return [text_of(one) for one in stage.sent]


@timeless
async def test_a_table_seals_what_is_before_it_and_stands_below_it() -> None:
    async with on_stage() as stage:
        result = await say(stage.channel(), stream(answer()), settings=LIVE)

        assert texts(stage) == [BEFORE.strip(), BEHIND.strip()]
        assert files(stage) == [["table.png"], []]
        assert stage.sent[0].attachments[0].description == "a | b\n1 | 2"
        assert kinds(stage.sent[0]) == []
        first = result.receipts[0]
        assert [file.source for file in first.message.files if isinstance(file, Table)] == [SMALL.strip()]
        assert first.changes == ()
        assert result.text == f"{BEFORE.strip()}\n{SMALL.strip()}\n{BEHIND.strip()}"
        assert covers(result, len(answer()))


@pytest.mark.parametrize("before", ["So:\n", BEFORE], ids=["short", "grown"])
def test_a_table_at_the_end_costs_no_message(before: str) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            channel = stage.channel(view=make_view("stop"), last_view=make_view("again"))
            await say(channel, stream(answer(SMALL, before, "")), settings=LIVE)

            assert texts(stage) == [before.strip()]
            assert files(stage) == [["table.png"]]
            assert labels(stage.sent[0]) == ["again"]
            assert channel.ended == stage.sent[0].id
            (push,) = stage.twin.log.pushes
            assert push.text
            assert before.startswith(push.text)

    scene()


@timeless
async def test_pictures_of_a_tall_table_stand_one_below_the_other() -> None:
    async with on_stage() as stage:
        channel = stage.channel(view=make_view("stop"), last_view=make_view("again"))
        result = await say(channel, stream(answer(TALL)), settings=RICH)

        assert texts(stage) == [BEFORE.strip(), BEHIND.strip()]
        assert files(stage) == [["table.png", "table-2.png", "table-3.png"], []]
        # Words, three galleries of one picture each, and the stop button.
        assert kinds(stage.sent[0]) == [10, 12, 12, 12, 1]
        assert result.receipts[0].changes == ("v2", "card")
        assert [labels(one) for one in stage.sent] == [["stop"], ["again"]]


@timeless
async def test_where_messages_stay_plain_only_one_picture_joins() -> None:
    async with on_stage() as stage:
        await say(stage.channel(), stream(answer(TALL)), settings=LIVE)

        assert files(stage) == [["table.png"], ["table.png"], ["table.png"], []]
        assert not any(kinds(one) for one in stage.sent)


@timeless
async def test_a_message_of_components_has_its_picture_below_its_words() -> None:
    async with on_stage() as stage:
        await say(stage.channel(), stream(answer(before=LONG)), settings=RICH)

        assert texts(stage) == [LONG.strip(), BEHIND.strip()]
        assert files(stage) == [["table.png"], []]
        assert kinds(stage.sent[0]) == [10, 12]


@pytest.mark.parametrize("voice", [False, True], ids=["bot", "webhook"])
def test_a_card_joins_the_words_before_it(voice: bool) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            webhooks = Webhooks(stage.client) if voice else None
            channel = stage.channel(table_view=make_view("source"), webhooks=webhooks)
            persona = Persona("Luna", alter=True) if voice else None
            settings = replace(RICH, tables="card")
            context = AnswerContext(persona=persona)
            await say(channel, stream(answer()), settings=settings, context=context)

            assert files(stage) == [["table.png"], []]
            words, frame = stage.sent[0].draft.components
            assert words["content"] == BEFORE.strip()
            assert [one["type"] for one in frame["components"]] == [12, 10, 1]
            # The push had words, since the message was made plain.
            assert BEFORE.startswith(stage.twin.log.pushes[0].text)

    scene()


@timeless
async def test_ten_cards_in_one_message_are_not_too_many_components() -> None:
    async with on_stage() as stage:
        table = "| a | b |\n|---|---|\n" + "".join(f"| {row} | {row} |\n" for row in range(100))
        channel = stage.channel(
            view=make_view("stop"), last_view=make_view("again"), table_view=make_view("source")
        )
        await say(channel, stream(answer(table), 1e6, 100), settings=replace(RICH, tables="card"))

        assert [len(names) for names in files(stage)] == [10, 0]
        assert [one.status for one in stage.twin.log.requests if one.status >= 400] == []


@timeless
async def test_a_webhook_brings_the_picture_along() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("What is new?")
        channel = stage.channel(reply_to=asked, webhooks=Webhooks(stage.client))
        settings = RICH
        context = AnswerContext(persona=Persona("Luna", alter=True))
        await say(channel, stream(answer(TALL)), settings=settings, context=context)

        said = [one for one in stage.sent if one.webhook]
        assert [len(one.attachments) for one in said] == [3, 0]
        link, _, words = text_of(said[0]).partition("\n")
        assert (link.startswith("-# ↩ ["), words) == (True, BEFORE.strip())


@pytest.mark.parametrize("table", [SMALL, TALL], ids=["plain", "several"])
@pytest.mark.parametrize("private", [False, True])
def test_a_reply_to_a_command_brings_the_picture_along(table: str, private: bool) -> None:
    @timeless
    async def scene() -> None:
        async with asked(ephemeral=private) as (stage, _, transport):
            await say(transport, stream(answer(table)), settings=RICH)

            assert texts(stage) == [BEFORE.strip(), BEHIND.strip()]
            assert [len(names) for names in files(stage)] == [3 if table is TALL else 1, 0]

    scene()


@timeless
async def test_a_table_that_hides_something_is_covered() -> None:
    async with on_stage() as stage:
        hidden = "| who | what |\n|---|---|\n| Ann | ||left|| |\n"
        await say(stage.channel(), stream(answer(hidden)), settings=RICH)

        assert files(stage) == [["SPOILER_table.png"], []]
        assert stage.sent[0].attachments[0].description == "A table with spoilers"


@timeless
async def test_pictures_in_another_voice_are_messages_of_their_own() -> None:
    cast = (Message("Hi.", speaker=Speaker("Luna")), _table(Speaker("Sol")), _table(Speaker("Luna")))

    assert find_images(cast, 10) == ()
    assert find_images((cast[0], cast[2], cast[1]), 10) == (cast[2],)
    assert find_images((cast[0], cast[2], cast[2]), 1) == (cast[2],)


# --- Where it does not work -----------------------------------------------------------------------------


@timeless
async def test_without_the_right_to_attach_the_table_is_words() -> None:
    async with on_stage() as stage:
        fault = Fault(FaultKind.PERM_REVOKE, permission=int(Permission.ATTACH_FILES))
        stage.twin.faults.add(fault)
        await say(stage.channel(), stream(answer()), settings=RICH)

        assert texts(stage) == [BEFORE.strip(), "```\na │ b\n──┼──\n1 │ 2\n```", BEHIND.strip()]
        assert [one.status for one in stage.twin.log.requests if one.status >= 400] == []


def at_once(text: str) -> Any:
    """Said in one piece: the first edit is the one with the picture."""
    return stream(text, 1e9, len(text))


@pytest.mark.parametrize("code", [40005, 50035, 50013, 30046])
def test_if_the_edit_is_refused_the_picture_is_a_message(code: int) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            stage.twin.faults.add(Fault(FaultKind.ERROR_CODE, ("messages.edit",), code=code))
            result = await say(stage.channel(), at_once(answer() * 2), settings=RICH)

            assert texts(stage) == [BEFORE.strip(), "", f"{BEHIND}{BEFORE}".strip(), "", BEHIND.strip()]
            assert files(stage) == [[], ["table.png"], [], ["table.png"], []]
            # Discord's refusal is heard once.
            assert routes(stage).count("messages.edit") == 1
            assert covers(result, len(answer() * 2))

    scene()


@pytest.mark.parametrize("kind", [FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.CLOSE_BEFORE_COMMIT])
@pytest.mark.parametrize("voice", [False, True], ids=["bot", "webhook"])
def test_an_answer_that_is_lost_makes_no_second_picture(kind: FaultKind, voice: bool) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage(deaf=True) as stage:
            stage.twin.faults.add(Fault(kind, ("messages.edit", "webhooks.message"), times=2))
            webhooks = Webhooks(stage.client) if voice else None
            settings = RICH
            context = AnswerContext(persona=Persona("Luna", alter=True) if voice else None)
            result = await say(
                stage.channel(webhooks=webhooks), at_once(answer(TALL)), settings=settings, context=context
            )

            assert texts(stage) == [BEFORE.strip(), BEHIND.strip()]
            assert [len(names) for names in files(stage)] == [3, 0]
            assert covers(result, len(answer(TALL)))

    scene()


@timeless
async def test_a_message_that_is_gone_leaves_its_picture_to_another() -> None:
    async with on_stage() as stage:
        stage.twin.faults.add(Fault(FaultKind.ERROR_CODE, ("messages.edit",), code=10008, times=9))
        result = await say(stage.channel(), at_once(answer()), settings=RICH)

        assert [name for names in files(stage) for name in names] == ["table.png"]
        assert covers(result, len(answer()))


@pytest.mark.parametrize("mode", [StopMode.NOW, StopMode.AFTER_THIS, StopMode.FLUSH])
@pytest.mark.parametrize("wait", [0.0, 0.05, 0.15, 0.3])
def test_a_stop_around_the_picture_accounts_for_everything(mode: StopMode, wait: float) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            stage.twin.faults.add(Fault(FaultKind.ACK_DELAY, (), seconds=0.1, times=9))
            stop = Stop()
            asyncio.get_running_loop().call_later(wait, stop.ask, mode)
            result = await say(stage.channel(), at_once(answer(TALL)), settings=RICH, stop=stop)

            assert [one.message.content for one in result.receipts] == texts(stage)
            assert [len(one.message.files) for one in result.receipts] == [len(one) for one in files(stage)]
            assert covers(result, result.counts.received)

    scene()


@timeless
async def test_what_nobody_can_draw_stays_words() -> None:
    async with on_stage() as stage:
        await say(stage.channel(), stream(answer()), settings=RICH, renderers=[])

        assert files(stage) == [[], [], []]
        assert texts(stage)[1].startswith("```")


@timeless
async def test_where_the_last_message_is_to_ring_a_picture_is_one() -> None:
    async with on_stage() as stage:
        settings = replace(RICH, notify="last")
        await say(stage.channel(), stream(answer(behind="")), settings=settings)

        assert files(stage) == [[], ["table.png"]]
        assert [push.silent for push in stage.twin.log.pushes] == [True, False]


@timeless
async def test_a_message_that_is_old_gets_no_picture() -> None:
    async def slow() -> AsyncIterator[str]:
        yield BEFORE
        await asyncio.sleep(61)
        yield answer(before="")

    async with on_stage() as stage:
        await say(stage.channel(), slow(), settings=RICH)

        assert files(stage) == [[], ["table.png"], []]


@pytest.mark.parametrize(
    ("table", "voice", "first"), [(SMALL, True, 11), (TALL, False, 26)], ids=["small", "tall"]
)
def test_whenever_a_process_dies_the_next_one_shows_each_picture_once(
    table: str, voice: bool, first: int
) -> None:
    @timeless
    async def scene(moment: float) -> None:
        async with on_stage() as stage:
            text, voices = answer(table), Webhooks(stage.client) if voice else None
            stage.twin.faults.add(Fault(FaultKind.ACK_DELAY, (), seconds=0.1, times=99))
            settings = RICH
            context = AnswerContext(persona=Persona("Luna", alter=True) if voice else None)
            dying = (paper := Paper()).open()
            journal = TurnJournal(dying, clock=now)
            source = stream(text, 200.0)
            life = asyncio.create_task(
                say(
                    stage.channel(webhooks=voices),
                    source,
                    settings=settings,
                    context=context,
                    journal=journal,
                )
            )
            await asyncio.sleep(moment)
            dying.dead = True
            life.cancel()
            await asyncio.gather(life, return_exceptions=True)
            # The next process knows nothing of this one.
            _LIMITS.pop(stage.client.http)
            voices = voices and Webhooks(stage.client)
            (turn,) = paper.saved(paper.open())
            rest = stream(text[len(turn.text) :], 200.0)
            result = await say(stage.channel(webhooks=voices), rest, journal=turn)

            assert "".join("".join(texts(stage)).split()) == "".join((BEFORE + BEHIND).split())
            assert sum(map(len, files(stage))) == (3 if table is TALL else 1)
            assert "".join(result.text.split()).count("|---|") == (3 if table is TALL else 1)

    for moment in range(first, first + 8, 2):
        scene(moment / 10)


# --- The pieces -----------------------------------------------------------------------------------------


def _table(speaker: Speaker | None = None) -> Message:
    return Message("", speaker=speaker, files=(Table((), (), (), SMALL),), fallback="words")


def test_trailing_images_are_reported_with_their_text() -> None:
    joined = with_images(Message("So:", spans=((0, 3),)), [_table(), _table()])

    assert (joined.content, len(joined.files), joined.fallback) == ("So:", 2, "So:\nwords\nwords")


async def test_what_cannot_be_drawn_is_not_sent() -> None:
    async def draw(message: Message) -> list[Message]:
        return [replace(message, content="words", files=())]

    assert await draw_images(with_images(Message("So:"), [_table()]), draw) is None
