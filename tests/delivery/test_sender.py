from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from delivery.stage import on_stage
from streamcord import (
    AnswerContext,
    ChannelGone,
    Degree,
    Message,
    MessageRefused,
    Persona,
    Receipt,
    Settings,
    say,
)
from streamcord._delivery.clock import DeliveryClock
from streamcord._delivery.outbox import Outbox
from streamcord._delivery.outgoing import OutgoingMessage
from streamcord._delivery.sender import BLOCKED_NOTICE, MessageSender, MessageTools
from streamcord._delivery.typing_indicator import MIN_TYPING_WAIT_S, TYPING_TIMEOUT_S, TypingIndicator
from streamcord._discord.webhooks.sender import Webhooks
from virtual_time import Channel, now, timeless


async def as_it_is(message: Message) -> list[Message]:
    return [message]


class DeliveryLog:
    def __init__(self) -> None:
        self.sent: list[Receipt] = []
        self.lost: list[tuple[Message, str]] = []

    def record_sent(self, receipt: Receipt) -> None:
        self.sent.append(receipt)

    def record_lost(self, message: Message, reason: str) -> None:
        self.lost.append((message, reason))


TOOLS = MessageTools(as_it_is, lambda message, _: [message], lambda _, __: None)


def sending(
    channel: Channel, *messages: Message, typing: bool = True, lag: float = 3600.0
) -> tuple[MessageSender, Outbox]:
    outbox = Outbox(1000)
    settings = Settings(max_typing_lag=lag)
    sender = MessageSender(channel, outbox, DeliveryClock(), DeliveryLog(), TOOLS, settings, typing=typing)
    for message in messages:
        outbox.put(message)
    return sender, outbox


@timeless
async def test_a_delay_is_counted_from_the_message_before() -> None:
    channel = Channel()
    courier, outbox = sending(channel, Message("a"), Message("b", delay=2.0))
    task = asyncio.create_task(courier.run())
    await asyncio.sleep(5.0)
    outbox.put(Message("c", delay=4.0))  # three seconds of credit
    outbox.close()
    await task

    assert channel.sent == [0.0, 2.0, 6.0]


@timeless
async def test_delays_shrink_so_that_all_finished_messages_are_sent_in_time() -> None:
    channel = Channel()
    sender, outbox = sending(channel, Message("a"), *(Message("b", delay=2.0) for _ in range(6)), lag=6.0)
    outbox.close()
    await sender.run()

    assert channel.sent == pytest.approx([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


@timeless
async def test_delays_that_fit_are_kept() -> None:
    channel = Channel()
    sender, outbox = sending(channel, Message("a"), Message("b", delay=2.0), Message("c", delay=4.0), lag=6.0)
    outbox.close()
    await sender.run()

    assert channel.sent == [0.0, 2.0, 6.0]


@timeless
@pytest.mark.parametrize("lag", [0.0, 0.5, 6.0])
@pytest.mark.parametrize("gap", [0.05, 0.4, 3.0])
async def test_typing_never_adds_more_than_its_bound(lag: float, gap: float) -> None:
    channel = Channel()
    sender, outbox = sending(channel, Message("a"), lag=lag)
    task = asyncio.create_task(sender.run())
    put = [now()]
    for number in range(30):
        await asyncio.sleep(gap)
        put.append(now())
        outbox.put(Message("b", delay=0.75 + number % 5))
    outbox.close()
    await task

    assert channel.sent[-1] <= put[-1] + lag + 0.001
    assert all(sent >= at for sent, at in zip(channel.sent, put, strict=True))


@timeless
async def test_time_that_the_model_took_is_credit_to_the_last_second() -> None:
    channel = Channel()
    courier, outbox = sending(channel, Message("a"))
    task = asyncio.create_task(courier.run())
    await asyncio.sleep(5.0)
    outbox.put(Message("b", delay=4.0))
    outbox.close()
    await task

    assert channel.sent == [0.0, 5.0]


@timeless
async def test_typing_is_shown_while_waiting_and_renewed_every_eight_seconds() -> None:
    channel = Channel()
    courier, outbox = sending(channel, Message("a", delay=20.0))
    outbox.close()
    await courier.run()

    assert channel.typed == [0.0, 8.0, 16.0]
    assert channel.sent == [20.0]


@timeless
async def test_behind_a_message_only_a_long_wait_is_shown_as_typing_and_not_every_one() -> None:
    channel = Channel()
    delays = (0.0, MIN_TYPING_WAIT_S - 0.1, MIN_TYPING_WAIT_S, MIN_TYPING_WAIT_S, 15.0, 1.0)
    courier, outbox = sending(channel, *(Message(str(delay), delay=delay) for delay in delays))
    outbox.close()
    await courier.run()

    # The third wait is too soon after the second; the fourth is so long that it is renewed.
    assert channel.typed == pytest.approx(
        [MIN_TYPING_WAIT_S - 0.1, 3 * MIN_TYPING_WAIT_S - 0.1, 3 * MIN_TYPING_WAIT_S + 7.9]
    )


@timeless
async def test_behind_a_message_a_model_has_longer_until_it_is_shown_as_typing() -> None:
    channel = Channel()
    courier, outbox = sending(channel, Message("a"))
    task = asyncio.create_task(courier.run())
    await asyncio.sleep(12.0)
    outbox.close()
    await task

    assert channel.typed == [MIN_TYPING_WAIT_S, MIN_TYPING_WAIT_S + 8.0]


@timeless
async def test_a_slow_model_is_shown_as_typing() -> None:
    channel = Channel()
    courier, outbox = sending(channel)
    task = asyncio.create_task(courier.run())
    await asyncio.sleep(10.0)
    outbox.close()
    await task

    assert channel.typed == [0.5, 8.5]


@timeless
async def test_without_typing_nobody_is_shown() -> None:
    channel = Channel()
    courier, outbox = sending(channel, Message("a", delay=3.0), typing=False)
    task = asyncio.create_task(courier.run())
    await asyncio.sleep(60.0)
    outbox.close()
    await task

    assert (channel.typed, channel.sent) == ([], [3.0])


@timeless
async def test_a_typing_call_that_fails_or_hangs_holds_up_nothing() -> None:
    class Rude(Channel):
        async def typing(self) -> None:
            await super().typing()
            if len(self.typed) == 1:
                raise ChannelGone("no typing here")
            await asyncio.sleep(3600)

    channel = Rude()
    courier, outbox = sending(channel, Message("a", delay=1.0), Message("b", delay=9.0))
    outbox.close()
    await courier.run()

    assert channel.sent == [1.0, 10.0]


@timeless
async def test_typing_that_is_not_async_blocks_nothing_and_is_logged() -> None:
    class Plain(Channel):
        def typing(self) -> Any:
            self.typed.append(now())

    channel, told = Plain(), list[str]()
    asyncio.get_running_loop().set_exception_handler(lambda _, what: told.append(str(what["exception"])))
    courier, outbox = sending(channel, Message("a", delay=1.0))
    outbox.close()
    await courier.run()
    gc.collect()

    assert channel.sent == [1.0]
    assert told == ["Plain.typing is not async: write `async def typing`"]


@timeless
async def test_expediting_ends_this_wait_and_all_later_ones() -> None:
    channel = Channel()
    courier, outbox = sending(channel, Message("a", delay=60.0), Message("b", delay=60.0))
    outbox.close()
    asyncio.get_running_loop().call_later(1.0, courier.expedite)
    await courier.run()

    assert channel.sent == [1.0, 1.0]


@timeless
async def test_held_it_begins_nothing_and_what_is_taken_out_is_not_sent() -> None:
    channel = Channel()
    courier, outbox = sending(channel, Message("a"), Message("b"))
    courier.pause_sending()
    task = asyncio.create_task(courier.run())
    await asyncio.sleep(1.0)
    assert channel.began == []

    outbox.take_all()
    outbox.put(Message("c"))
    outbox.close()
    courier.resume_sending()
    await task

    assert channel.texts == ["c"]


@timeless
async def test_a_message_that_failed_stays_in_the_outbox() -> None:
    class Gone(Channel):
        async def send(self, message: Message) -> Receipt:
            raise ChannelGone("unknown channel")

    courier, outbox = sending(Gone(), Message("a"))
    with pytest.raises(ChannelGone):
        await courier.run()

    assert outbox.find_first() == Message("a")
    assert not courier.in_flight


@timeless
async def test_a_sleep_without_a_clock_is_the_only_time_there_is() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    pace = DeliveryClock(sleep, None)
    await pace.sleep(1.5)
    await asyncio.sleep(100)

    assert (pace.now(), slept) == (1.5, [1.5])
    assert now() == 100


@timeless
async def test_what_our_own_work_takes_makes_nothing_overdue() -> None:
    async def model() -> AsyncIterator[str]:
        yield "One.\nTwo.\nThree."

    async with on_stage() as stage:
        looks = 0

        def clock() -> float:
            nonlocal looks
            looks += 1
            return now() + looks * 0.0005

        settings = Settings(degree=Degree.LIGHT, typing="off")
        await say(stage.channel(), model(), settings=settings, sleep=asyncio.sleep, clock=clock)

        assert stage.texts == ["One.", "Two.", "Three."]


class Guarded(Channel):
    """A transport that knows whether its lock was held, and whose filter takes no "bad" words."""

    def __init__(self) -> None:
        super().__init__()
        self.held_lock = asyncio.Lock()
        self.held: list[tuple[str, bool]] = []

    async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
        self.held.append((outgoing.message.content, self.held_lock.locked()))
        if outgoing.message.content == "bad":
            raise MessageRefused("blocked", status=400, code=200000)
        return await self.send(outgoing.message)

    async def find(self, outgoing: OutgoingMessage) -> Receipt | None:
        return None

    def pause(self, message: Message) -> float:
        return 0.0

    def lock(self) -> AbstractAsyncContextManager[object]:
        return self.held_lock


@timeless
async def test_a_notice_is_sent_while_the_channel_is_ours() -> None:
    channel, outbox = Guarded(), Outbox(1000)
    for text in ("good", "bad", "more"):
        outbox.put(Message(text))
    outbox.close()
    await MessageSender(
        channel, outbox, DeliveryClock(), DeliveryLog(), TOOLS, Settings(on_filtered="continue"), typing=False
    ).run()

    assert channel.held == [("good", True), ("bad", True), (BLOCKED_NOTICE, True), ("more", True)]


# --- Typing indicator ---


class Slow(Channel):
    """A channel whose typing calls take their time."""

    ended = 0.0

    async def typing(self) -> None:
        await super().typing()
        try:
            await asyncio.sleep(3600)
        finally:
            self.ended = now()


@timeless
async def test_a_call_holds_up_nobody_and_ends_by_itself() -> None:
    channel = Slow()
    indicator = TypingIndicator(channel, DeliveryClock())
    await indicator.show()
    assert (now(), channel.typed) == (0.0, [0.0])
    await asyncio.sleep(60)

    assert channel.ended == TYPING_TIMEOUT_S


@timeless
async def test_one_call_at_a_time() -> None:
    channel = Slow()
    indicator = TypingIndicator(channel, DeliveryClock())
    await indicator.show()
    await indicator.show()
    assert channel.typed == [0.0]
    await indicator.cancel()


@timeless
async def test_at_rest_no_call_runs() -> None:
    channel = Slow()
    indicator = TypingIndicator(channel, DeliveryClock())
    await indicator.show()
    await asyncio.sleep(0.5)
    await indicator.cancel()
    await indicator.cancel()

    assert channel.ended == 0.5


@timeless
async def test_a_call_that_fails_or_hangs_is_nobodys_trouble() -> None:
    class Gone(Channel):
        async def typing(self) -> None:
            await super().typing()
            raise ChannelGone("gone")

    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context["message"]))
    for channel in (Gone(), Slow()):
        indicator = TypingIndicator(channel, DeliveryClock())
        await indicator.show()
        await asyncio.sleep(TYPING_TIMEOUT_S + 1)
        # The next call is not held up by the one that failed.
        await indicator.show()
        await indicator.cancel()

        assert len(channel.typed) == 2
    # A task that failed unseen says so when it is thrown away.
    gc.collect()
    assert complaints == []


@timeless
async def test_calls_keep_below_their_limit() -> None:
    channel = Channel()
    indicator = TypingIndicator(channel, DeliveryClock())
    for _ in range(100):
        await indicator.show()
        await asyncio.sleep(0.1)

    for start in range(5):
        assert sum(start <= at < start + 5 for at in channel.typed) <= 8
    assert len(channel.typed) <= 4 + 10 / 1.25


@timeless
async def test_typing_is_not_shown_when_expedited_or_disabled() -> None:
    channel, pace = Channel(), DeliveryClock()
    await TypingIndicator(channel, pace, on=False).show()
    pace.expedite()
    await TypingIndicator(channel, pace).show()

    assert channel.typed == []


# --- Phones that ring -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("notify", "silent"),
    [
        ("first", [False, True, True]),
        ("last", [True, True, False]),
        ("all", [False, False, False]),
        ("none", [True, True, True]),
    ],
)
@pytest.mark.parametrize("speaker", [None, Persona("Luna", alter=True)])
def test_one_answer_rings_as_often_as_is_wanted(
    notify: Any, silent: list[bool], speaker: Persona | None
) -> None:
    @timeless
    async def scene() -> None:
        async def model() -> AsyncIterator[str]:
            for line in ("One.\n", "Two.\n", "Three."):
                await asyncio.sleep(5)
                yield line

        async with on_stage() as stage:
            channel = stage.channel(webhooks=Webhooks(stage.client))
            await say(
                channel, model(), settings=Settings(notify=notify), context=AnswerContext(persona=speaker)
            )

            assert stage.texts == ["One.", "Two.", "Three."]
            assert [push.silent for push in stage.twin.log.pushes] == silent

    scene()
