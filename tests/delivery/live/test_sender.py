"""One message that grows, on the twin with the real discord.py, on time that jumps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import discord
import pytest

from delivery.stage import Stage, on_stage
from discord_twin import Fault, FaultKind, TwinOptions
from streamcord import (
    AnswerContext,
    ChannelGone,
    Degree,
    Ending,
    Message,
    NotAllowed,
    Persona,
    Receipt,
    Settings,
    Speaker,
    Stop,
    StopMode,
    say,
)
from streamcord._delivery.live.message import for_transport
from streamcord._delivery.outgoing import build_outgoing
from streamcord._discord.webhooks.sender import Webhooks
from streamcord.testing import FakeChannel
from virtual_time import now, timeless

LIVE = Settings(delivery="live")
LINES = "".join(f"Line {number} of this answer.\n" for number in range(60))
LONG = "".join(f"Line {number} of this long answer.\n" for number in range(100))


async def stream(text: str, speed: float = 400.0, size: int = 5) -> AsyncIterator[str]:
    """A model that writes so many characters in a second."""
    for at in range(0, len(text), size):
        await asyncio.sleep(size / speed)
        yield text[at : at + size]


@timeless
async def test_first_words_of_a_live_answer_count_as_its_first_message() -> None:
    async with on_stage() as stage:
        watched = Watched(stage)
        began = now()
        result = await say(stage.channel(), stream(LINES), settings=LIVE)

    assert result.counts.messages == 1
    assert result.counts.first_message is not None
    assert abs(result.counts.first_message - (watched.times[0] - began)) < 0.3
    assert watched.times[-1] - began > 2.0


class Watched:
    """What people see of a channel, at every change."""

    def __init__(self, stage: Stage) -> None:
        self.frames: list[tuple[str, int, str]] = []
        self.times: list[float] = []
        stage.twin.state.observe(self._note)

    def _note(self, event: Any) -> None:
        if event.message is not None and event.name in {"MESSAGE_CREATE", "MESSAGE_UPDATE"}:
            self.times.append(now())
            self.frames.append((event.name, event.message.id, text_of(event.message)))

    @property
    def texts(self) -> list[str]:
        return [text for _, _, text in self.frames]


def text_of(message: Any) -> str:
    """The words of a message, plain or of Components V2."""
    return message.content or "".join(one.get("content", "") for one in message.draft.components)


def routes(stage: Stage) -> list[str]:
    names = [record.route for record in stage.twin.log.requests]
    return [name for name in names if name.startswith(("messages.", "webhooks."))]


@timeless
async def test_one_message_grows_to_the_whole_answer() -> None:
    async with on_stage(TwinOptions()) as stage:
        watched = Watched(stage)
        began = now()
        result = await say(stage.channel(), stream(LINES), settings=LIVE)

        assert stage.texts == [LINES.strip()]
        assert watched.frames[0][0] == "MESSAGE_CREATE"
        assert len(watched.frames) == len(routes(stage)) == 4
        assert all(LINES.startswith(text) for text in watched.texts)
        assert now() - began < len(LINES) / 400 + 0.6
        assert [receipt.message.content for receipt in result.receipts] == stage.texts
        assert [length for _, length in result.receipts[0].frames] == [len(text) for text in watched.texts]
        assert result.counts.shown == len(LINES)
        assert [record.status for record in stage.twin.log.requests if record.status >= 400] == []


@pytest.mark.parametrize(("speed", "least", "most"), [(25.0, 20, 30), (400.0, 9, 14)], ids=["slow", "quick"])
def test_edits_are_fewer_where_people_have_enough_to_read(speed: float, least: int, most: int) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            watched = Watched(stage)
            # Half a minute of a slow model, and a quick one for half as long.
            text = LONG[:750] if speed < 100 else LONG * 2
            await say(stage.channel(), stream(text, speed), settings=replace(LIVE, live_limit=4000))

            assert least <= routes(stage).count("messages.edit") <= most
            # More than two seconds without a change look like a hanging bot.
            assert max(after - before for before, after in pairwise(watched.times)) <= 2.0

    scene()


@timeless
async def test_a_short_answer_is_one_request() -> None:
    async with on_stage() as stage:
        await say(stage.channel(), stream("Hi!"), settings=LIVE)

        assert routes(stage) == ["messages.create"]


@timeless
async def test_an_answer_that_comes_at_once_is_one_request() -> None:
    async with on_stage() as stage:
        await say(stage.channel(), stream(LINES, 1e9, len(LINES)), settings=LIVE)

        assert routes(stage) == ["messages.create"]


@timeless
async def test_full_live_message_is_finalized_and_another_begins() -> None:
    async with on_stage() as stage:
        result = await say(stage.channel(), stream(LONG), settings=LIVE)

        assert len(stage.texts) == 2
        assert "\n".join(stage.texts) == LONG.strip()
        assert [receipt.id for receipt in result.receipts] == [one.id for one in stage.sent]


@timeless
async def test_a_long_answer_becomes_components_v2_and_stays_one_message() -> None:
    async with on_stage() as stage:
        result = await say(stage.channel(), stream(LONG), settings=replace(LIVE, live_limit=4000))

        assert [text_of(one) for one in stage.sent] == [LONG.strip()]
        assert stage.sent[0].content == ""
        assert result.receipts[0].changes == ("v2",)
        assert [push.text for push in stage.twin.log.pushes] == [LONG[: len(stage.twin.log.pushes[0].text)]]


@timeless
async def test_a_long_answer_that_comes_at_once_is_created_plain_and_then_made_longer() -> None:
    async with on_stage() as stage:
        text = LONG
        await say(stage.channel(), stream(text, 1e9, len(text)), settings=replace(LIVE, live_limit=4000))

        assert [text_of(one) for one in stage.sent] == [LONG.strip()]
        assert routes(stage) == ["messages.create", "messages.edit"]
        assert len(stage.twin.log.pushes[0].text) > 1000


@timeless
async def test_where_v2_is_refused_the_rest_is_a_message() -> None:
    async with on_stage() as stage:
        stage.twin.faults.add(Fault(FaultKind.ERROR_CODE, ("messages.edit",), after=4, times=20, code=50035))
        await say(stage.channel(), stream(LONG, 200.0), settings=replace(LIVE, live_limit=4000))

        assert "\n".join(text_of(one) for one in stage.sent) == LONG.strip()
        assert len(stage.sent) == 2
        # Once on the way, and once where all of it would have to fit.
        assert [one.status for one in stage.twin.log.requests].count(400) <= 2


@timeless
async def test_four_streams_in_a_channel_become_whole_messages_and_lose_nothing() -> None:
    async with on_stage(TwinOptions()) as stage:
        texts = [
            LINES.replace("Line", f"Stream {number} line")[:1500].rsplit("\n", 1)[0] for number in range(4)
        ]
        await asyncio.gather(*(say(stage.channel(), stream(text), settings=LIVE) for text in texts))

        assert sorted(stage.texts) == sorted(texts)
        assert routes(stage).count("messages.edit") <= 4
        assert [record.status for record in stage.twin.log.requests if record.status >= 400] == []


@timeless
async def test_a_lost_edit_is_forgotten_and_the_last_is_repeated() -> None:
    async with on_stage() as stage:
        stage.twin.faults.add(Fault(FaultKind.CLOSE_BEFORE_COMMIT, ("messages.edit",), after=1, times=4))
        result = await say(stage.channel(), stream(LINES), settings=LIVE)

        assert stage.texts == [LINES.strip()]
        assert result.ending is Ending.COMPLETED


@timeless
async def test_a_message_that_somebody_deletes_goes_on_in_another() -> None:
    async with on_stage() as stage:
        task = asyncio.create_task(say(stage.channel(), stream(LINES), settings=LIVE))
        await asyncio.sleep(1.5)
        shown = stage.sent[0]
        stage.twin.state.delete(stage.twin.channel, shown)
        result = await task

        assert result.receipts[0].changes == ("deleted",)
        assert result.receipts[0].message.content == text_of(shown)
        assert "\n".join(receipt.message.content for receipt in result.receipts) == LINES.strip()
        assert "\n".join([text_of(shown), *stage.texts]) == LINES.strip()


@timeless
async def test_too_many_edits_finalize_the_live_message() -> None:
    async with on_stage() as stage:
        stage.twin.faults.add(Fault(FaultKind.ERROR_CODE, ("messages.edit",), after=1, times=99, code=30046))
        result = await say(stage.channel(), stream(LINES), settings=LIVE)

        assert "\n".join(stage.texts) == LINES.strip()
        assert len(result.receipts) == len(stage.sent) > 1


@pytest.mark.parametrize("mode", [StopMode.NOW, StopMode.AFTER_THIS])
def test_a_stop_ends_the_message_where_it_is(mode: StopMode) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            stop = Stop()
            task = asyncio.create_task(say(stage.channel(), stream(LINES), settings=LIVE, stop=stop))
            await asyncio.sleep(2.0)
            seen = stage.texts[0]
            stop.ask(mode)
            result = await task

            assert stage.texts == [seen]
            assert [receipt.message.content for receipt in result.receipts] == [seen]
            assert {dropped.reason for dropped in result.dropped} == {"stop"}

    scene()


@pytest.mark.parametrize("deaf", [False, True])
def test_a_stop_while_a_message_becomes_components_knows_that_it_did(deaf: bool) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage(deaf=deaf) as stage:
            late = Fault(FaultKind.ACK_DELAY, ("messages.edit",), after=3, seconds=20.0)
            stage.twin.faults.add(late)
            stop, settings = Stop(), replace(LIVE, live_limit=4000)
            task = asyncio.create_task(say(stage.channel(), stream(LONG), settings=settings, stop=stop))
            while not stage.sent or stage.texts[0]:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
            stop.ask(StopMode.NOW)
            result = await task

            assert [one.message.content for one in result.receipts] == [text_of(stage.sent[0])]
            assert result.receipts[0].changes == ("v2",)
            await asyncio.sleep(60)

    scene()


@timeless
async def test_what_nobody_can_read_is_left_as_unsure() -> None:
    async with on_stage(deaf=True) as stage:
        stage.twin.faults.add(Fault(FaultKind.ACK_DELAY, ("messages.edit",), seconds=20.0, times=9))
        stage.twin.faults.add(Fault(FaultKind.STATUS, ("messages.get",), times=99))
        stop = Stop()
        task = asyncio.create_task(say(stage.channel(), stream(LINES), settings=LIVE, stop=stop))
        await asyncio.sleep(2.5)
        stop.ask(StopMode.NOW)
        result = await task

        assert result.receipts[0].changes == ("unsure",)
        assert stage.texts[0].startswith(result.receipts[0].message.content)
        await asyncio.sleep(60)


@timeless
async def test_a_shutdown_says_everything() -> None:
    async with on_stage() as stage:
        stop = Stop()
        task = asyncio.create_task(say(stage.channel(), stream(LINES), settings=LIVE, stop=stop))
        await asyncio.sleep(2.0)
        stop.ask(StopMode.FLUSH)
        result = await task

        assert stage.texts == [result.text]
        assert LINES.startswith(result.text)


@timeless
async def test_a_source_that_fails_leaves_what_it_said() -> None:
    async def broken() -> AsyncIterator[str]:
        async for piece in stream(LINES[:700]):
            yield piece
        raise RuntimeError("broken")

    async with on_stage() as stage:
        with pytest.raises(RuntimeError, match="broken"):
            await say(stage.channel(), broken(), settings=LIVE)

        assert stage.texts == [LINES[:700].strip()]


@timeless
async def test_cancelled_turn_reports_the_visible_text() -> None:
    async with on_stage() as stage:
        seen: list[object] = []
        task = asyncio.create_task(say(stage.channel(), stream(LINES), settings=LIVE, observe=seen.append))
        await asyncio.sleep(2.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task

        assert caught.value.result.text == stage.texts[0]  # type: ignore[attr-defined]


@timeless
async def test_observers_receive_a_live_message_when_it_appears_and_when_it_is_complete() -> None:
    async with on_stage() as stage:
        seen: list[object] = []
        await say(stage.channel(), stream(LINES), settings=LIVE, observe=seen.append)

        receipts = [event for event in seen if isinstance(event, Receipt)]
        assert [receipt.changes for receipt in receipts] == [("live",), ()]
        assert {receipt.id for receipt in receipts} == {stage.sent[0].id}


@timeless
async def test_a_channel_that_is_deleted_ends_the_turn_with_what_was_shown() -> None:
    async with on_stage() as stage:
        task = asyncio.create_task(say(stage.channel(), stream(LINES), settings=LIVE))
        await asyncio.sleep(1.5)
        seen = stage.texts[0]
        stage.twin.faults.add(Fault(FaultKind.DELETE_CHANNEL, ("messages.edit",)))
        with pytest.raises((ChannelGone, NotAllowed)) as caught:
            await task

        result = caught.value.result
        assert result is not None
        assert result.receipts[0].message.content == seen
        # It ends at once: no one pays for words that cannot be said.
        assert result.counts.received < len(LINES)


@timeless
async def test_a_persona_grows_by_its_webhook() -> None:
    async with on_stage() as stage:
        channel = stage.channel(webhooks=Webhooks(stage.client))
        await say(
            channel, stream(LINES), settings=LIVE, context=AnswerContext(persona=Persona("Luna", alter=True))
        )

        assert stage.texts == [LINES.strip()]
        assert stage.sent[0].webhook is not None
        assert "webhooks.message" in " ".join(routes(stage)) or len(routes(stage)) > 2


@timeless
async def test_a_name_in_front_stays_there() -> None:
    async with on_stage() as stage:
        await say(
            stage.channel(),
            stream(LINES),
            settings=LIVE,
            context=AnswerContext(persona=Persona("Luna", alter=True)),
        )

        assert stage.texts == [f"**Luna:** {LINES.strip()}"]


@timeless
async def test_nobody_is_pinged_by_an_edit() -> None:
    async with on_stage() as stage:
        text = f"{LINES[:300]}\n<@{stage.twin.user.id}> @everyone look at this.\n{LINES[:300]}"
        await say(stage.channel(), stream(text), settings=LIVE)

        assert stage.twin.log.pings == []


@timeless
async def test_a_message_is_not_edited_when_it_is_old() -> None:
    async with on_stage() as stage:
        slow = LINES[:600]
        await say(
            stage.channel(),
            stream(slow, speed=0.1),
            settings=replace(LIVE, idle_timeout=600.0, keepalive_timeout=600.0, live_message_max_age=0.0),
        )

        assert "\n".join(stage.texts) == slow.strip()
        assert len(stage.sent) > 1
        assert [record.code for record in stage.twin.log.requests if record.status >= 400] == []


# --- Other transports -----------------------------------------------------------------------------------


class Board(FakeChannel):
    """A transport of someone's own that can edit."""

    def __init__(self) -> None:
        super().__init__()
        self.edits: list[str] = []

    async def edit_content(self, receipt: Receipt, content: str, *_: object) -> Receipt:
        self.edits.append(content)
        self.messages[receipt.id - 1] = replace(self.messages[receipt.id - 1], content=content)
        return replace(receipt, message=replace(receipt.message, content=content))


async def words(text: str) -> AsyncIterator[str]:
    for at in range(0, len(text), 5):
        await asyncio.sleep(0)
        yield text[at : at + 5]


async def test_whatever_can_edit_shows_a_message_that_grows() -> None:
    board = Board()
    result = await say(board, words(LINES), settings=replace(LIVE, live_limit=4000))

    assert board.texts == [LINES.strip()]
    assert board.edits[-1] == LINES.strip()
    assert result.receipts[0].message.content == LINES.strip()


class Forgetful(Board):
    async def edit_content(self, receipt: Receipt, content: str, *_: object) -> Any:
        await super().edit_content(receipt, content)


async def test_edit_without_a_receipt_raises_a_helpful_error() -> None:
    with pytest.raises(TypeError, match=r"Forgetful\.edit_content returned NoneType: return a Receipt"):
        await say(Forgetful(), words(LINES), settings=LIVE)


async def test_what_cannot_edit_is_sent_bubbles() -> None:
    channel = FakeChannel()
    await say(channel, words("One.\nTwo.\n"), settings=LIVE)

    assert channel.texts == ["One.", "Two."]


def test_settings_are_what_a_transport_can_serve() -> None:
    choose: Callable[..., Settings] = for_transport
    assert choose(LIVE, FakeChannel()).delivery == "messages"
    assert choose(LIVE, Board(), show=False).delivery == "messages"
    assert choose(replace(LIVE, live_limit=4000), Board()).live_limit == 2000
    assert choose(Settings(), Board()) == Settings()


@timeless
async def test_an_answer_that_took_long_ends_with_a_message_that_people_notice() -> None:
    async with on_stage() as stage:
        text = LINES[:900]
        await say(stage.channel(), stream(text, speed=10.0), settings=LIVE)

        assert "\n".join(stage.texts) == text.strip()
        assert len(stage.sent) == 2
        assert [push.silent for push in stage.twin.log.pushes] == [False, False]


@timeless
async def test_of_several_messages_that_grow_only_the_first_rings() -> None:
    async with on_stage() as stage:
        await say(stage.channel(), stream(LONG), settings=LIVE)

        assert [push.silent for push in stage.twin.log.pushes] == [False, True]


@pytest.mark.parametrize("text", [LINES, LONG, "Hi!", "One word after the other " * 40 + "ends here."])
@pytest.mark.parametrize("speed", [100.0, 400.0, 1e6])
def test_of_several_messages_that_grow_the_last_rings_if_that_is_wanted(text: str, speed: float) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            result = await say(stage.channel(), stream(text, speed), settings=replace(LIVE, notify="last"))

            rings = [not push.silent for push in stage.twin.log.pushes]
            assert rings == [False] * (len(stage.sent) - 1) + [True]
            assert "".join(" ".join(stage.texts).split()) == "".join(text.split())
            assert [one.message.content for one in result.receipts] == stage.texts

    scene()


def labels(message: Any) -> list[str]:
    """The buttons below a message, plain or of Components V2."""
    rows = [row for row in message.draft.components if row.get("type") == 1]
    return [button["label"] for row in rows for button in row["components"]]


def make_view(label: str) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label=label, custom_id=label))
    return view


@pytest.mark.parametrize("voice", [False, True])
@pytest.mark.parametrize("text", [LINES, LONG], ids=["plain", "v2"])
def test_the_last_edit_brings_the_last_buttons(text: str, voice: bool) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            webhooks = Webhooks(stage.client) if voice else None
            channel = stage.channel(view=make_view("stop"), last_view=make_view("again"), webhooks=webhooks)
            settings = replace(LIVE, live_limit=4000)
            context = AnswerContext(persona=Persona("Luna", alter=True) if voice else None)
            task = asyncio.create_task(say(channel, stream(text), settings=settings, context=context))
            await asyncio.sleep(1.5)
            assert labels(stage.sent[0]) == ["stop"]
            await task

            assert [labels(one) for one in stage.sent] == [["again"]]
            assert channel.ended == stage.sent[0].id

    scene()


@timeless
async def test_a_bubble_that_is_known_to_be_the_last_is_made_with_the_last_buttons() -> None:
    async with on_stage() as stage:
        channel = stage.channel(view=make_view("stop"), last_view=make_view("again"))
        await say(channel, stream("One.\nTwo.\nThree.", 1e9, 99), settings=Settings(degree=Degree.LIGHT))

        assert [labels(one) for one in stage.sent] == [["stop"], [], ["again"]]
        assert routes(stage) == ["messages.create"] * 3


@pytest.mark.parametrize("previews", ["auto", "off"])
def test_a_persona_that_grows_keeps_the_link_to_what_it_answers(previews: Any) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            asked = await stage.hear("What is new?")
            watched = Watched(stage)
            settings = replace(LIVE, live_limit=4000, previews=previews)
            context = AnswerContext(persona=Persona("Luna", alter=True))
            channel = stage.channel(reply_to=asked, webhooks=Webhooks(stage.client))
            stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, "webhooks.message")
            await say(channel, stream(LONG), settings=settings, context=context)

            (said,) = [one for one in stage.sent if one.webhook]
            link = f"](<{asked.jump_url}>)\n"
            assert text_of(said).partition(link)[::2] == (f"-# ↩ [{asked.author.name}", LONG.strip())
            first, *_ = watched.texts
            assert (link in first) == (previews == "off")

    scene()


@timeless
async def test_the_link_of_a_persona_stays_however_long_the_message_becomes() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("What is new?")
        watched = Watched(stage)
        settings = replace(LIVE, live_limit=4000)
        context = AnswerContext(persona=Persona("Luna", alter=True))
        channel = stage.channel(reply_to=asked, webhooks=Webhooks(stage.client))
        await say(channel, stream(LONG * 2), settings=settings, context=context)

        first = next(one for one in stage.sent if one.webhook)
        frames = [text for _, id_, text in watched.frames if id_ == first.id and len(text) > 2000]
        assert len(text_of(first)) > 3800
        assert all(text.startswith("-# ↩ [") for text in frames)


@pytest.mark.parametrize("previews", [True, False], ids=["embed", "line"])
def test_another_process_that_lets_a_persona_grow_keeps_its_link(previews: bool) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            asked = await stage.hear("What is new?")
            begun = Message("This is new.", speaker=Speaker("Luna"), reply=True)
            first = stage.channel(reply_to=asked, webhooks=Webhooks(stage.client))
            receipt = await first.deliver(build_outgoing("turn", 0, begun, previews=previews))

            other = stage.channel(reply_to=asked, webhooks=Webhooks(stage.client))
            for text in ("This is new.\nAnd this.", f"This is new.\n{LONG}"):
                seen = await other.fetch_live(receipt)
                assert seen is not None
                assert seen.content == receipt.message.content
                longer = replace(begun, content=text.strip())
                receipt = replace(
                    await other.edit_message(receipt, build_outgoing("turn", 0, longer)), message=longer
                )

            (said,) = [one for one in stage.sent if one.webhook]
            link = f"-# ↩ [{asked.author.name}](<{asked.jump_url}>)\n"
            assert text_of(said) == link + receipt.message.content

    scene()


JAPANESE = "この文章は長い回答の一部であり、日本語で書かれています。\n"
HINDI = "यह लंबे उत्तर का एक हिस्सा है, जो हिन्दी में लिखा गया है।\n"
EMOJI = "🎉🚀 👩‍👩‍👧 wow 🎈🎈🎈\n"


@pytest.mark.parametrize("line", [JAPANESE, HINDI, EMOJI, "字" * 500, "🎉" * 500 + "\n"])
@pytest.mark.parametrize("alter", [False, True], ids=["bot", "persona"])
def test_answer_over_the_byte_limit_of_components_v2_is_lost(line: str, alter: bool) -> None:
    # Discord answers 500 to Components V2 of more than 10 170 bytes, and Japanese has three per character.
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            text = (line * (3900 // len(line) + 1))[:3900]
            persona = Persona("ルナ" * 40, alter=True) if alter else None
            webhooks = Webhooks() if alter else None
            result = await say(
                stage.channel(webhooks=webhooks),
                stream(text, 1500.0, 20),
                settings=replace(LIVE, live_limit=4000),
                context=AnswerContext(persona=persona),
            )

            assert "".join(bare_text(one) for one in stage.sent) == "".join(text.split())
            assert result.ending is Ending.COMPLETED
            assert [one.status for one in stage.twin.log.requests if one.status >= 500] == []
            # Space is used: the first message has become one of Components V2.
            assert len(text_of(stage.sent[0])) > 2000

    scene()


def bare_text(message: Any) -> str:
    """The words of a message without white space and the link to the question."""
    lines = text_of(message).split("\n")
    return "".join("".join(one for one in lines if not one.startswith("-# ↩")).split())
