"""The scenarios S of stops, follow-ups and concurrency, by their ids, on virtual time.

That the rest of S-17 survives the process needs a journal.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext

import pytest
from aiohttp import web

from providers.loopback import DONE, Response, chat, serving, streaming
from streamcord import (
    Attachment,
    Degree,
    Ending,
    Finish,
    Message,
    ProviderEvent,
    Receipt,
    RunningTurns,
    Settings,
    Stop,
    StopMode,
    StopOutcome,
    StopRequester,
    TextDelta,
    ToolCall,
    Turn,
    TurnResult,
    say,
)
from streamcord._delivery.outgoing import OutgoingMessage
from streamcord._providers.http import HttpProvider
from streamcord._turn.event_router import CAP_NOTICE
from streamcord.providers import tool, user, with_tools
from virtual_time import Channel, Model, covers, now, others, result_of, timeless

LINES = "".join(f"Line {number} is here.\n" for number in range(6))
PLAIN = Settings(degree=Degree.LIGHT)


async def stopped(
    channel: Channel, source: Model, after: float, mode: StopMode, settings: Settings | None = None
) -> TurnResult:
    """A turn that is asked to stop after this many seconds."""
    stop = Stop()
    asyncio.get_running_loop().call_later(after, stop.ask, mode)
    return await say(channel, source, stop=stop, settings=settings or Settings())


@pytest.mark.parametrize("mode", list(StopMode))
def test_s_01_a_stop_before_the_first_chunk_sends_nothing_and_closes_the_source(mode: StopMode) -> None:
    @timeless
    async def run() -> None:
        channel, model = Channel(), Model(60.0, TextDelta("late"), Finish())

        result = await stopped(channel, model, 3.0, mode)

        assert channel.messages == []
        assert model.closed_at == now() == 3.0
        assert all(at < 3.0 for at in channel.typed)
        # The one who hands over goes on elsewhere; here the turn was only cut short.
        handed = mode is StopMode.HAND_OVER
        ended = {Ending.CANCELLED} if handed else {Ending.STOPPED_BY_USER, Ending.FOLLOW_UP_INTERRUPT}
        assert result.ending in ended

    run()


@pytest.mark.parametrize(
    ("mode", "shown", "reasons"),
    [
        (StopMode.FLUSH, ["One is said. Two is said, and three is"], []),
        (StopMode.AFTER_THIS, ["One is said."], ["incomplete clause"]),
        (StopMode.NOW, [], ["incomplete clause", "stop"]),
    ],
)
def test_s_02_each_mode_says_of_the_buffer_what_it_allows(
    mode: StopMode, shown: list[str], reasons: list[str]
) -> None:
    @timeless
    async def run() -> None:
        channel = Channel()
        text = "One is said. Two is said, and three is"

        result = await stopped(channel, Model(TextDelta(text), 60.0), 1.0, mode)

        assert channel.texts == shown
        assert sorted(dropped.reason for dropped in result.dropped) == reasons
        assert covers(result, len(text))
        assert result.counts.shown + result.counts.dropped == result.counts.received == len(text)

    run()


@timeless
async def test_s_03_a_stop_between_queued_messages_starts_no_other_and_loses_no_count() -> None:
    channel = Channel(latency=1.0)

    result = await stopped(channel, Model(LINES, 60.0), 3.5, StopMode.NOW, PLAIN)

    assert channel.began == [0.0, 1.0, 2.0, 3.0]
    assert result.ending is Ending.STOPPED_BY_USER
    assert covers(result, len(LINES))
    assert {dropped.reason for dropped in result.dropped} == {"stop"}
    assert now() == 4.0


@timeless
async def test_s_03_after_this_is_one_more_message_right_after_the_last() -> None:
    channel = Channel(latency=1.0)

    result = await stopped(channel, Model(LINES, 60.0), 2.5, StopMode.AFTER_THIS, PLAIN)

    assert channel.texts == [f"Line {number} is here." for number in range(4)]
    assert result.ending is Ending.STOPPED_BY_USER
    assert covers(result, len(LINES))


@timeless
async def test_s_03_a_flush_sends_everything_without_delays() -> None:
    channel = Channel()

    result = await stopped(channel, Model(LINES, 60.0), 0.1, StopMode.FLUSH)

    assert "\n".join(channel.texts) == LINES.strip()
    assert len(channel.texts) == 2, "what waits is one message, so that a shutdown has time for it"
    assert now() == 0.1
    assert result.dropped == ()


@pytest.mark.parametrize(
    ("mode", "texts"),
    [
        (StopMode.NOW, ["One."]),
        (StopMode.AFTER_THIS, ["One.", "Two."]),
        (StopMode.FLUSH, ["One.", "Two.\nThr"]),
    ],
)
def test_s_04_a_message_in_flight_arrives_and_is_reported_whole(mode: StopMode, texts: list[str]) -> None:
    @timeless
    async def run() -> None:
        channel = Channel(latency=2.0)

        result = await stopped(channel, Model("One.\nTwo.\nThr", 60.0), 1.0, mode, PLAIN)

        assert channel.texts == texts
        assert [receipt.message for receipt in result.receipts] == channel.messages
        assert now() == 2.0 * len(texts)

    run()


@pytest.mark.parametrize(("mode", "count"), [(StopMode.NOW, 1), (StopMode.AFTER_THIS, 2)])
def test_s_05_a_stop_in_a_typing_delay_ends_it_at_once(mode: StopMode, count: int) -> None:
    @timeless
    async def run() -> None:
        channel = Channel()
        slow = Settings(typing_delay_min=60.0, typing_delay_max=60.0, max_typing_lag=3600.0)

        await stopped(channel, Model(LINES, 600.0), 5.0, mode, slow)

        assert len(channel.messages) == count
        assert now() == 5.0

    run()


class Limited(Channel):
    """A channel that wants a pause of 65 seconds before every message but the first."""

    def pause(self, _: Message) -> float:
        return max(0.0, self.sent[-1] + 65.0 - now()) if self.sent else 0.0

    async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
        return await self.send(outgoing.message)

    async def find(self, _: OutgoingMessage) -> Receipt | None:
        return None

    def lock(self) -> AbstractAsyncContextManager[object]:
        return nullcontext()


@pytest.mark.parametrize(("mode", "texts"), [(StopMode.NOW, 1), (StopMode.AFTER_THIS, 2)])
def test_s_05_a_stop_in_the_wait_for_a_rate_limit_ends_it_at_once(mode: StopMode, texts: int) -> None:
    @timeless
    async def run() -> None:
        channel = Limited()

        result = await stopped(channel, Model(LINES, 600.0), 5.0, mode, PLAIN)

        assert len(channel.messages) == texts
        assert now() <= 5.3
        assert covers(result, len(LINES))

    run()


@timeless
async def test_s_06_a_stop_after_the_end_touches_no_other_turn() -> None:
    async with Turn(Channel(), Model("One.")) as turn:
        pass

    assert not turn.stop.ask(StopMode.NOW)
    assert turn.stop.mode is None
    channel = Channel()
    result = await say(channel, Model("Two."))
    assert (channel.texts, result.ending) == (["Two."], Ending.COMPLETED)


@timeless
async def test_s_06_a_token_is_of_one_turn_only() -> None:
    stops = RunningTurns()
    async with stops.turn(1, owner=7) as first:
        pass
    async with stops.turn(1, owner=7) as second:
        assert await stops.ask(1, StopRequester(7), token=first.token) is StopOutcome.NOTHING
        assert second.mode is None


@pytest.mark.parametrize(
    ("asker", "channel", "answer"),
    [
        (StopRequester(8), 1, StopOutcome.REFUSED),
        (StopRequester(7), 1, StopOutcome.ACCEPTED),
        (StopRequester(8, moderator=True), 1, StopOutcome.ACCEPTED),
        (StopRequester(8, roles=frozenset({5, 6})), 1, StopOutcome.ACCEPTED),
        (StopRequester(8, roles=frozenset({6})), 1, StopOutcome.REFUSED),
        (StopRequester(7), 2, StopOutcome.NOTHING),
        (StopRequester(7, moderator=True, bot=True), 1, StopOutcome.REFUSED),
    ],
)
def test_s_07_08_only_the_owner_a_moderator_or_a_role_may_stop_and_only_from_here(
    asker: StopRequester, channel: int, answer: StopOutcome
) -> None:
    @timeless
    async def run() -> None:
        stops = RunningTurns(roles={5})
        async with stops.turn(1, owner=7) as stop:
            assert await stops.ask(channel, asker) is answer
            assert (stop.mode is not None) is (answer is StopOutcome.ACCEPTED)

    run()


@timeless
async def test_s_09_a_hundred_stops_are_one() -> None:
    channel, stops = Channel(), RunningTurns()
    answers: list[StopOutcome] = []

    async def impatient() -> None:
        for _ in range(100):
            await asyncio.sleep(0.01)
            answers.append(await stops.ask(1, StopRequester(7)))

    async with stops.turn(1, owner=7) as stop:
        asking = asyncio.create_task(impatient())
        result = await say(channel, Model("One thing.\nAnother thing.\nA third", 60.0), stop=stop)
    await asking

    assert result.ending is Ending.STOPPED_BY_USER
    assert len(channel.texts) == 2
    assert answers[0] is StopOutcome.ACCEPTED
    assert answers[-1] is StopOutcome.NOTHING


@timeless
async def test_s_10_a_follow_up_ends_the_old_turn_before_the_new_one_speaks() -> None:
    channel, stops = Channel(latency=0.5), RunningTurns()

    async def turn(source: Model) -> TurnResult:
        async with stops.turn(1, owner=7) as stop:
            return await say(channel, source, stop=stop)

    old = asyncio.create_task(turn(Model(*[f"Old {number}.\n" for number in range(9)], 60.0)))
    await asyncio.sleep(2.0)
    assert await stops.ask(1, StopRequester(7), StopMode.INTERRUPT) is StopOutcome.ACCEPTED
    new = await turn(Model("New."))

    result = await old
    assert result.ending is Ending.FOLLOW_UP_INTERRUPT
    assert new.ending is Ending.COMPLETED
    assert channel.texts[-1] == "New."
    assert channel.texts[:-1] == [f"Old {number}." for number in range(len(channel.texts) - 1)]


@timeless
async def test_s_11_two_turns_in_one_channel_never_interleave() -> None:
    channel, stops = Channel(latency=0.2), RunningTurns()

    async def turn(name: str) -> None:
        async with stops.turn(1) as stop:
            await say(channel, Model(*[f"{name} {n}.\n" for n in range(4)], 1.0), stop=stop)

    await asyncio.gather(turn("A"), turn("B"))

    assert [text[0] for text in channel.texts] == list("AAAABBBB")
    assert len(stops) == 0


@timeless
async def test_s_12_many_channels_are_independent_and_fair() -> None:
    stops, ended = RunningTurns(per_channel=4), []

    async def turn(number: int) -> None:
        async with stops.turn(number % 50) as stop:
            await say(Channel(0.1), Model(*[f"{n}.\n" for n in range(5)]), stop=stop, settings=PLAIN)
            ended.append(now())

    await asyncio.gather(*(turn(number) for number in range(200)))

    assert len(ended) == 200
    assert max(ended) / min(ended) <= 3


@timeless
async def test_s_13_a_channel_that_is_blocked_for_a_minute_holds_up_no_other() -> None:
    stops, ended = RunningTurns(), dict[int, float]()

    async def turn(number: int) -> None:
        async with stops.turn(number) as stop:
            channel = Channel(60.0 if number == 0 else 0.1)
            await say(channel, Model(LINES), stop=stop, settings=PLAIN)
            ended[number] = now()

    await asyncio.gather(*(turn(number) for number in range(50)))

    assert ended[0] >= 60.0
    assert sorted(ended.values())[-2] <= 1.0


async def test_s_14_cancellation_at_every_step_is_clean_and_accounts_for_every_word() -> None:
    text = "One is here.\nTwo is here.\nThree is he"

    async def source() -> AsyncIterator[ProviderEvent]:
        try:
            for at in range(0, len(text), 2):
                await asyncio.sleep(0)
                yield TextDelta(text[at : at + 2])
            yield ToolCall("1", "wait")
            await asyncio.sleep(0)
            yield Finish()
        finally:
            try:
                await asyncio.sleep(0)
            finally:
                closed.append(1)

    class Slow(Channel):
        async def send(self, message: Message) -> Receipt:
            await asyncio.sleep(0)
            return await super().send(message)

    steps, cancelled = 0, 0
    while True:
        closed: list[int] = []
        channel = Slow()
        turn = asyncio.create_task(say(channel, source(), settings=PLAIN))
        for _ in range(steps):
            await asyncio.sleep(0)
        if turn.done():
            break
        turn.cancel()
        try:
            await turn
        except asyncio.CancelledError as error:
            cancelled += 1
            if hasattr(error, "result"):
                result = result_of(error)
                assert result.ending is Ending.CANCELLED
                assert covers(result, result.counts.received), steps
                assert [receipt.message for receipt in result.receipts] == channel.messages
                assert closed == [1] or not result.counts.received
        assert await others() == [], steps
        steps += 1
    assert cancelled > 15


async def test_s_14_over_http_and_with_a_tool_cancellation_at_any_step_leaves_nothing_behind() -> None:
    ran: list[str] = []

    @tool
    async def look() -> str:
        "Look."
        ran.append("begun")
        try:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        finally:
            ran.append("ended")
        return "seen"

    call = {"index": 0, "id": "c", "function": {"name": "look", "arguments": "{}"}}
    rounds = [
        streaming(chat("Let me look.\n"), chat(tool_calls=[call]), chat(finish="tool_calls"), DONE),
        streaming(chat("Two is here.\nThr"), chat("ee."), chat(finish="stop"), DONE),
    ]
    endings: list[Ending] = []
    for steps in range(1000):
        answers = iter(rounds)

        async def answer(request: web.Request, answers: Iterator[Response] = answers) -> web.StreamResponse:
            return await next(answers)(request)

        channel = Channel()
        async with (
            serving(answer) as server,
            HttpProvider("custom", base_url=server.url, model="m") as provider,
        ):
            turn = Turn(channel, with_tools(provider, user("Hi"), [look]), settings=PLAIN)
            task = asyncio.create_task(turn.run())
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            if result := turn.result:
                assert covers(result, result.counts.received), steps
                assert [receipt.message for receipt in result.receipts] == channel.messages
                endings.append(result.ending)
        assert await others() == [], steps
        assert ran.count("begun") == ran.count("ended"), steps
        if endings and endings[-1] is Ending.COMPLETED:
            break
    assert endings.count(Ending.CANCELLED) > 5
    assert ran


@timeless
async def test_s_14_a_message_in_flight_at_the_cancellation_is_not_half_reported() -> None:
    channel = Channel(latency=2.0)
    turn = asyncio.create_task(say(channel, Model("One.\nTwo.\nThree", 60.0), settings=PLAIN))
    await asyncio.sleep(1.0)

    turn.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await turn

    assert channel.texts == ["One."]
    assert result_of(caught.value).text == "One."
    assert now() == 2.0


@timeless
async def test_s_14_a_source_that_does_not_let_go_is_left_behind() -> None:
    async def stubborn() -> AsyncIterator[str]:
        yield "Hi.\n"
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                if now() > 100:
                    raise

    source = stubborn()
    channel, stop = Channel(), Stop()
    asyncio.get_running_loop().call_later(1.0, stop.ask)

    result = await say(channel, source, stop=stop)

    assert channel.texts == ["Hi."]
    assert result.ending is Ending.STOPPED_BY_USER
    assert now() <= 20
    await asyncio.sleep(200 - now())
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


@timeless
async def test_s_15_a_stop_and_a_limit_in_the_same_tick_are_a_stop() -> None:
    channel, stop = Channel(), Stop()

    async def source() -> AsyncIterator[str]:
        stop.ask()
        yield "One.\nTwo.\nThree.\nFour.\n"

    result = await say(
        channel, source(), stop=stop, settings=Settings(send_message_limit=2, degree=Degree.LIGHT)
    )

    assert result.ending is Ending.STOPPED_BY_USER
    assert len(channel.texts) <= 1


@timeless
async def test_s_15_a_follow_up_never_replaces_a_stop_but_a_stop_a_follow_up() -> None:
    first, second = Stop(), Stop()
    first.ask(StopMode.AFTER_THIS)
    first.ask(StopMode.INTERRUPT)
    second.ask(StopMode.INTERRUPT)
    second.ask(StopMode.NOW)
    second.ask(StopMode.INTERRUPT)
    assert (first.mode, second.mode) == (StopMode.AFTER_THIS, StopMode.NOW)

    second.ask(StopMode.AFTER_THIS)
    assert second.mode is StopMode.AFTER_THIS


@timeless
async def test_s_16_what_the_cap_holds_back_comes_as_one_file() -> None:
    channel = Channel()
    # Too long to be merged below the cap.
    text = "".join(f"Line {number}.{' More.' * 163}\n" for number in range(60))

    result = await say(channel, Model(TextDelta(text), Finish()), settings=Settings(degree=Degree.LIGHT))

    *lines, last = channel.messages
    assert len(lines) == 40
    (rest,) = last.files
    assert isinstance(rest, Attachment)
    assert [line[:8] for line in rest.content.decode().split("\n")[:2]] == ["Line 40.", "Line 41."]
    assert "\nLine 59." in rest.content.decode()
    assert result.ending is Ending.MESSAGE_LIMIT
    assert covers(result, len(text))
    assert [dropped for dropped in result.dropped if dropped.text.strip()] == []


@timeless
async def test_s_16_without_the_file_the_rest_is_reported() -> None:
    channel = Channel()
    text = "".join(f"Line {number}.{' More.' * 163}\n" for number in range(50))

    result = await say(channel, Model(text), settings=Settings(degree=Degree.LIGHT, rest_as_file=False))

    assert len(channel.messages) == 41
    assert channel.messages[-1].content == CAP_NOTICE
    assert {dropped.reason for dropped in result.dropped} == {"message_cap"}


@timeless
async def test_s_17_at_a_shutdown_twenty_turns_say_what_they_have_without_delay() -> None:
    stops = RunningTurns()
    channels = [Channel(0.1) for _ in range(20)]

    async def turn(number: int) -> TurnResult:
        async with stops.turn(number) as stop:
            return await say(channels[number], Model(LINES, 600.0), stop=stop)

    turns = [asyncio.create_task(turn(number)) for number in range(20)]
    await asyncio.sleep(1.0)
    assert stops.stop_all() == 20
    results = await asyncio.gather(*turns)

    assert all("\n".join(channel.texts) == LINES.strip() for channel in channels)
    assert now() <= 2.0
    assert {result.ending for result in results} == {Ending.STOPPED_BY_USER}
    assert all(result.dropped == () for result in results)


@timeless
async def test_s_17_what_a_shutdown_has_no_time_for_is_accounted_for_to_the_last_word() -> None:
    stops, begun = RunningTurns(), list[Turn]()

    async def turn(number: int) -> None:
        async with stops.turn(number) as stop:
            begun.append(Turn(Channel(2.0), Model(LINES, 600.0), stop=stop))
            await begun[-1].run()

    turns = [asyncio.create_task(turn(number)) for number in range(20)]
    await asyncio.sleep(1.0)
    stops.stop_all()
    _, late = await asyncio.wait(turns, timeout=5.0)
    for task in late:
        task.cancel()
    await asyncio.gather(*turns, return_exceptions=True)

    results = [one.result for one in begun if one.result]
    assert len(results) == 20
    assert all(0 < len(result.receipts) < 6 for result in results)
    assert all(covers(result, len(LINES)) for result in results)
    assert now() <= 8.0
