from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import replace

import anyio
import pytest

from streamcord import (
    Attachment,
    ChannelGone,
    Degree,
    Ending,
    Finish,
    FinishReason,
    KeepAlive,
    Message,
    Overloaded,
    ProviderEvent,
    Receipt,
    RuleText,
    Settings,
    Stop,
    StopMode,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Truncated,
    Turn,
    TurnResult,
    Usage,
    say,
)
from streamcord.testing import FakeChannel, ScriptedProvider
from virtual_time import Channel, Model, covers, now, timeless

CALL = ToolCall("1", "roll_dice")


async def words(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


class Refusing(FakeChannel):
    """A channel that is deleted after some messages."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    async def send(self, message: Message) -> Receipt:
        if len(self.messages) == self.after:
            raise ChannelGone("unknown channel")
        return await super().send(message)


class Stuck(FakeChannel):
    """A channel whose clock stands still."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.reached.set()
        await asyncio.Event().wait()


def result_of(error: BaseException) -> TurnResult:
    result: TurnResult = error.result  # type: ignore[attr-defined]
    return result


async def test_plain_text_becomes_messages_in_order() -> None:
    channel = FakeChannel()

    result = await say(channel, words("One.\nTw", "o.\nThree."))

    assert channel.texts == ["One.", "Two.", "Three."]
    assert result.ending is Ending.COMPLETED
    assert result.text == "One.\nTwo.\nThree."
    assert result.first_url == result.receipts[0].url
    assert [receipt.message for receipt in result.receipts] == channel.messages


async def test_only_the_first_message_replies_and_comes_at_once() -> None:
    channel = FakeChannel()

    await say(channel, words("One.\nTwo.\nThree."))

    assert [message.reply for message in channel.messages] == [True, False, False]
    assert channel.waits == [message.delay for message in channel.messages[1:]]
    assert all(wait > 0 for wait in channel.waits)
    # Between bubbles that come so soon no one needs to be told that more will come.
    assert channel.typing_calls == 0


async def test_settings_reach_the_pipeline() -> None:
    channel = FakeChannel()

    await say(channel, words("One.\nTwo."), settings=Settings(degree=Degree.NONE))

    assert channel.texts == ["One.\nTwo."]
    assert channel.waits == []


async def test_a_sleep_of_ones_own_is_used_for_waiting() -> None:
    channel = FakeChannel()
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await say(channel, words("One.\nTwo."), sleep=sleep)

    assert slept == [channel.messages[1].delay]
    assert channel.waits == []


async def test_typed_events_fill_the_result() -> None:
    provider = ScriptedProvider(
        [ThoughtDelta("hm"), KeepAlive(), "Hi.", Usage(3, 1), Finish(served_by="here")]
    )

    result = await say(FakeChannel(), provider)

    assert result.ending is Ending.COMPLETED
    assert (result.text, result.thoughts.raw, result.thoughts.served_by) == ("Hi.", "hm", "here")
    assert result.usage == Usage(3, 1)
    assert (result.counts.received, result.counts.chunks, result.counts.messages) == (3, 1, 1)


@pytest.mark.parametrize("reason", FinishReason)
async def test_how_the_server_ended_it_is_in_the_result(reason: FinishReason) -> None:
    result = await say(FakeChannel(), ScriptedProvider(["Half a sen", Finish(reason)]))

    assert result.finish_reason is reason
    assert result.is_cut is (reason in {FinishReason.LENGTH, FinishReason.FILTERED, FinishReason.PAUSED})


@timeless
async def test_time_to_the_first_event_and_message_is_measured() -> None:
    result = await say(Channel(latency=1.0), Model(2.0, "Hi."))

    assert result.counts.first_event == 2.0
    assert result.counts.first_message == 3.0


async def test_captured_blocks_are_in_the_result_and_not_in_the_channel() -> None:
    channel = FakeChannel()

    result = await say(channel, words("<think>plan</think>Done."))

    assert channel.texts == ["Done."]
    assert result.thoughts.raw == "plan"
    assert result.counts.captured == len("<think>plan</think>")


async def test_words_before_a_tool_call_are_sent_before_it() -> None:
    channel = FakeChannel()
    sent_at_call: list[str] = []

    async def source() -> AsyncIterator[TextDelta | ToolCall | Finish]:
        yield TextDelta("Let me see.")
        yield CALL
        sent_at_call.extend(channel.texts)
        yield TextDelta("A six!")
        yield Finish()

    result = await say(channel, source())

    assert sent_at_call == ["Let me see."]
    assert channel.texts == ["Let me see.", "A six!"]
    assert result.tool_calls == (CALL,)
    assert result.ending is Ending.COMPLETED


async def test_a_source_that_ends_in_a_tool_call_says_so() -> None:
    result = await say(FakeChannel(), ScriptedProvider(["Let me see.", CALL]))

    assert result.ending is Ending.FUNCTION_CALL


async def test_silence_is_an_empty_response() -> None:
    channel = FakeChannel()

    result = await say(channel, ScriptedProvider([" \n "]))

    assert result.ending is Ending.EMPTY_RESPONSE
    assert channel.messages == []


async def test_a_stream_that_breaks_off_is_delivered_and_reported() -> None:
    channel = FakeChannel()

    result = await say(channel, ScriptedProvider(["One.\nTwo and"], truncated=True))

    assert channel.texts == ["One.", "Two and"]
    assert result.ending is Ending.TRUNCATED


async def test_a_failing_source_still_delivers_its_words_and_then_raises() -> None:
    channel = FakeChannel()
    error = Overloaded("busy")

    with pytest.raises(Overloaded) as caught:
        await say(channel, ScriptedProvider(["One.\nTwo", error]))

    assert caught.value is error
    assert channel.texts == ["One.", "Two"]
    assert result_of(error).ending is Ending.ERROR
    assert result_of(error).text == "One.\nTwo"


async def test_a_provider_that_notices_the_cut_itself_is_truncated_too() -> None:
    with pytest.raises(Truncated) as caught:
        await say(FakeChannel(), ScriptedProvider(["One.", Truncated("no end")]))

    assert result_of(caught.value).ending is Ending.TRUNCATED


async def test_an_exception_without_room_for_a_result_is_raised_all_the_same() -> None:
    class Cramped(Exception):
        __slots__ = ()

        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(name)

    with pytest.raises(Cramped):
        await say(FakeChannel(), ScriptedProvider([Cramped()]))


async def test_a_halt_closes_the_source_and_ends_the_turn() -> None:
    channel = FakeChannel()
    provider = ScriptedProvider(["One.\nTwo.\nThree.\nFour.\n", "Five.\nSix."])

    result = await say(channel, provider, settings=Settings(send_message_limit=2))

    assert channel.texts == ["One.", "Two."]
    assert result.ending is Ending.MESSAGE_LIMIT
    assert result.counts.chunks == 1
    assert provider.closed == 1


async def test_a_lost_channel_ends_the_turn_and_every_word_is_accounted_for() -> None:
    channel = Refusing(after=1)
    provider = ScriptedProvider(["One.\nTwo.\nThree.\n", "Four."])

    with pytest.raises(ChannelGone) as caught:
        await say(channel, provider)

    result = result_of(caught.value)
    assert channel.texts == ["One."]
    assert result.ending is Ending.ERROR
    assert [(dropped.text, dropped.reason) for dropped in result.dropped] == [
        ("Two.", "undelivered"),
        ("Three.", "undelivered"),
        ("Four.", "undelivered"),
    ]
    assert provider.closed == 1


async def test_a_channel_lost_at_the_very_end_is_reported_too() -> None:
    with pytest.raises(ChannelGone) as caught:
        await say(Refusing(after=0), words("The only one."))

    assert [dropped.text for dropped in result_of(caught.value).dropped] == ["The only one."]


async def test_cancellation_closes_the_source_and_accounts_for_the_rest() -> None:
    channel = Stuck()
    provider = ScriptedProvider(["One.\nTwo.\nThree"])
    turn = asyncio.create_task(say(channel, provider))
    async with asyncio.timeout(10):
        await channel.reached.wait()

    turn.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await turn

    result = result_of(caught.value)
    assert channel.texts == ["One."]
    assert result.ending is Ending.CANCELLED
    assert {dropped.reason for dropped in result.dropped} == {"cancelled"}
    assert "".join(dropped.text for dropped in result.dropped) == "Two.Three"
    assert provider.closed == 1


async def test_an_error_while_closing_is_raised_after_the_words() -> None:
    class Sticky:
        def __init__(self) -> None:
            self.left = ["Hi."]

        def __aiter__(self) -> AsyncIterator[str]:
            return self

        async def __anext__(self) -> str:
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop()

        async def aclose(self) -> None:
            raise OSError("socket")

    channel = FakeChannel()

    with pytest.raises(OSError, match="socket"):
        await say(channel, Sticky())

    assert channel.texts == ["Hi."]


async def test_a_source_without_aclose_is_fine() -> None:
    class Bare:
        def __init__(self) -> None:
            self.left = ["Hi."]

        def __aiter__(self) -> AsyncIterator[str]:
            return self

        async def __anext__(self) -> str:
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop()

    channel = FakeChannel()

    await say(channel, Bare())

    assert channel.texts == ["Hi."]


# --- On virtual time -----------------------------------------------------------------------------------


@timeless
async def test_typing_delays_do_not_stall_the_provider() -> None:
    channel, model = Channel(), Model(*[f"Line {number}.\n" for number in range(9)])

    await say(channel, model)

    assert model.closed_at == 0.0
    assert channel.sent[-1] > 5


@timeless
async def test_the_time_the_model_took_is_credit_for_the_delay() -> None:
    channel = Channel()

    await say(
        channel,
        Model("One.\n", 30.0, "Two.\n", 30.0, "Three."),
        settings=Settings(pause_chance=0, idle_flush=0),
    )

    assert channel.sent == [30.0, 60.0, 60.75]


@timeless
async def test_a_silent_source_is_woken_up_and_its_words_are_delivered() -> None:
    channel, model = Channel(), Model(TextDelta("One.\nTwo and"), 3600.0)

    result = await say(channel, model, settings=Settings(typing="off"))

    assert channel.texts == ["One.", "Two and"]
    assert result.ending is Ending.TIMEOUT
    assert now() == model.closed_at == 120.0


@timeless
@pytest.mark.parametrize(("counts", "ends"), [(False, 11.0), (True, 20.0)])
async def test_sends_are_progress_of_a_silent_source_only_if_set(counts: bool, ends: float) -> None:
    lines = "".join(f"{number}.\n" for number in range(12))
    settings = Settings(
        idle_timeout=10, sends_are_progress=counts, typing_delay_min=1.0, pause_chance=0.0, max_typing_lag=60
    )
    result = await say(Channel(), Model(TextDelta(lines), 3600.0), settings=settings)

    assert (result.ending, now()) == (Ending.TIMEOUT, ends)


@timeless
async def test_keep_alives_alone_for_300_seconds_are_silence() -> None:
    channel = Channel()

    signs: list[float | ProviderEvent] = [10.0, KeepAlive()] * 100
    result = await say(channel, Model(TextDelta("Hm"), *signs))

    assert (result.ending, now(), channel.texts) == (Ending.TIMEOUT, 300.0, ["Hm"])


@timeless
async def test_the_idle_time_does_not_run_while_the_outbox_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamcord._turn.event_router.MAX_OUTBOX_CHARS", 100)
    channel = Channel(latency=400.0)
    lines = [f"{'word ' * 10}{number}.\n" for number in range(8)]

    result = await say(channel, Model(*lines), settings=Settings(degree=Degree.LIGHT))

    assert result.ending is Ending.COMPLETED
    assert len(channel.texts) == 8


@timeless
async def test_without_show_the_words_are_in_the_result_only() -> None:
    channel = Channel()
    lines = [f"Line {number}.{' More.' * 163}" for number in range(50)]

    result = await say(channel, Model(30.0, TextDelta("\n".join(lines)), Finish()), show=False)

    assert (channel.messages, channel.typed, result.receipts) == ([], [], ())
    assert result.text == "\n".join(lines[:40])
    assert result.ending is Ending.MESSAGE_LIMIT
    assert (await say(channel, Model("Hi."), show=False)).ending is Ending.COMPLETED


@timeless
async def test_nobody_types_after_the_end() -> None:
    channel = Channel()

    await say(channel, Model(20.0, "One.\nTwo."))
    end = now()
    await asyncio.sleep(100.0)

    assert channel.typed
    assert max(channel.typed) < end


@timeless
async def test_an_observer_sees_everything_and_may_fail() -> None:
    seen: list[object] = []

    def observe(event: object) -> None:
        seen.append(event)
        raise ValueError("clumsy")

    result = await say(Channel(), Model(TextDelta("<think>x</think>Hi."), Finish()), observe=observe)

    kinds = [type(event).__name__ for event in seen]
    assert kinds == ["TextDelta", "Captured", "Finish", "Message", "Receipt"]
    assert result.text == "Hi."


@timeless
async def test_an_abort_from_outside_is_a_cancellation_without_an_exception() -> None:
    channel, stop = Channel(), Stop()
    asyncio.get_running_loop().call_later(1.0, stop.abort)

    slow = Settings(typing_delay_min=9, max_typing_lag=60)
    result = await say(channel, Model("One.\nTwo.\nThree", 60.0), stop=stop, settings=slow)

    assert channel.texts == ["One."]
    assert result.ending is Ending.CANCELLED
    assert now() == 1.0
    stop.close()
    assert not stop.abort()


@timeless
async def test_a_turn_runs_while_its_block_does_other_things() -> None:
    channel = Channel()

    async with Turn(channel, Model("One.\n", 5.0, "Two.")) as turn:
        await asyncio.sleep(1.0)
        assert turn.result is None
        assert (await turn.finished()).text == "One.\nTwo."

    assert turn.result is not None
    assert turn.result.counts.segments == 2


@timeless
async def test_a_turn_whose_block_fails_is_ended() -> None:
    model = Model("One.\n", 500.0)

    with pytest.raises(ZeroDivisionError):
        async with Turn(Channel(), model):
            await asyncio.sleep(1.0)
            raise ZeroDivisionError

    assert model.closed_at == 1.0


@timeless
async def test_a_turn_that_was_not_begun_cannot_be_waited_for() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        await Turn(Channel(), Model()).finished()


@timeless
async def test_a_message_in_the_source_is_posted_in_its_place() -> None:
    channel = Channel()

    async def source() -> AsyncIterator[str | Message]:
        yield "Before"
        yield Message("From a tool.")
        yield "After."

    result = await say(channel, source())

    assert channel.texts == ["Before", "From a tool.", "After."]
    assert result.counts.shown == len("BeforeAfter.")


@timeless
async def test_a_stop_is_no_failure_even_if_the_source_failed() -> None:
    stop = Stop()
    asyncio.get_running_loop().call_later(1.0, stop.ask)

    result = await say(Channel(latency=3.0), Model("One.\nTwo.\nThree", Overloaded("busy")), stop=stop)

    assert result.ending is Ending.STOPPED_BY_USER


@timeless
async def test_a_failure_that_was_heard_inside_the_block_is_not_raised_again_at_its_end() -> None:
    async with Turn(Channel(), Model("One.", Overloaded("busy"))) as turn:
        with pytest.raises(Overloaded):
            await turn.finished()

    with pytest.raises(Overloaded):
        async with Turn(Channel(), Model("One.", Overloaded("busy"))):
            pass


@timeless
async def test_a_stop_that_was_given_serves_the_second_try_too() -> None:
    stop, channel = Stop(), Channel()
    first = await say(channel, Model(), stop=stop)
    asyncio.get_running_loop().call_later(1.0, stop.ask)

    second = await say(channel, Model("One.\nTwo", 60.0), stop=stop)

    assert (first.ending, second.ending) == (Ending.EMPTY_RESPONSE, Ending.STOPPED_BY_USER)
    assert now() == 1.0


# --- Tables ---------------------------------------------------------------------------------------------

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


async def test_a_table_is_drawn_and_remembered_as_it_was_written() -> None:
    channel = FakeChannel()
    result = await say(channel, words(f"Look:\n\n{TABLE}\n\nNice."))

    assert channel.texts == ["Look:", "", "Nice."]
    (picture,) = channel.messages[1].files
    assert isinstance(picture, Attachment)
    assert picture.content.startswith(b"\x89PNG")
    assert picture.alt == "a | b\n1 | 2"
    assert result.text == f"Look:\n{TABLE}\nNice."


async def test_a_table_that_cannot_be_drawn_is_said_in_words() -> None:
    channel = FakeChannel()
    await say(channel, words(TABLE), renderers=[])

    assert channel.texts == ["```\na │ b\n──┼──\n1 │ 2\n```"]
    assert channel.messages[0].files == ()


async def test_a_long_table_that_cannot_be_drawn_is_said_in_several_messages() -> None:
    channel = FakeChannel()
    text = TABLE + "\n| some words | and more |" * 90
    result = await say(channel, words(text), renderers=[])

    assert len(channel.texts) > 1
    # Rows are shared out before anybody draws; the books keep each part as a table, with its words beside it.
    assert [receipt.message.fallback for receipt in result.receipts] == channel.texts
    assert sum(said.count("some words │ and more") for said in channel.texts) == 90
    assert covers(result, len(text))
    assert all(text.startswith("```\n") and text.endswith("\n```") for text in channel.texts)
    assert max(map(len, channel.texts)) <= 1950


# --- The source is closed by the task that read it -------------------------------------------------------

CUTS = [
    Settings(send_message_limit=1),
    Settings(message_cap=1),
    Settings(answer_cap=8),
    Settings(speaker_guard="any"),
    Settings(stop_strings=("Two",)),
    Settings(idle_timeout=5),
]
TEXT = "One.\nBob: Two.\nThree.\nFour.\n"


@pytest.mark.parametrize("settings", CUTS)
async def test_a_source_in_a_cancel_scope_is_closed_by_its_reader(settings: Settings) -> None:
    ended: list[asyncio.Task[object] | None] = []

    async def scoped() -> AsyncIterator[str]:
        began = asyncio.current_task()
        with anyio.CancelScope():
            try:
                yield TEXT
                await asyncio.sleep(60)
            finally:
                ended.append(asyncio.current_task())
                assert asyncio.current_task() is began

    async with asyncio.timeout(20):
        result = await say(FakeChannel(), scoped(), settings=replace(settings, idle_timeout=0.2))

    assert len(ended) == 1
    assert result.ending in {Ending.MESSAGE_LIMIT, Ending.SPEAKER_GUARD, Ending.COMPLETED, Ending.TIMEOUT}


@pytest.mark.parametrize("settings", CUTS)
@pytest.mark.parametrize("mode", [None, *StopMode])
@timeless
async def test_a_source_that_holds_a_context_variable_is_closed_in_its_context(
    mode: StopMode | None, settings: Settings
) -> None:
    variable = ContextVar("variable", default="outside")
    closed: list[str] = []

    async def contextual() -> AsyncIterator[str]:
        token = variable.set("inside")
        try:
            yield TEXT
            await asyncio.sleep(60)
        finally:
            closed.append(variable.get())
            variable.reset(token)

    stop = Stop()
    if mode:
        asyncio.get_running_loop().call_later(1.0, stop.ask, mode)
    await say(Channel(), contextual(), settings=settings, stop=stop)

    assert closed == ["inside"]


@timeless
async def test_the_last_words_do_not_wait_until_the_source_is_closed() -> None:
    class Slow(Model):
        async def __aiter__(self) -> AsyncIterator[str | ProviderEvent]:
            try:
                yield "Hi."
            finally:
                await asyncio.sleep(3)

    channel = Channel()
    await say(channel, Slow())
    # They were sent in the pause, because they look finished.
    assert (channel.sent, now()) == ([1.0], 3.0)

    class Linger:
        def __init__(self) -> None:
            self.left = ["Hi."]

        def __aiter__(self) -> AsyncIterator[str]:
            return self

        async def __anext__(self) -> str:
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop()

        async def aclose(self) -> None:
            await asyncio.sleep(3)

    channel = Channel()
    await say(channel, Linger())
    assert (channel.sent, now()) == ([3.0], 6.0)


# --- What only a fault would show ---------------------------------------------------------------------


async def test_a_source_that_never_waits_lets_others_run() -> None:
    async def hasty() -> AsyncIterator[str]:
        for _ in range(2000):
            yield "word "

    ticks = 0

    async def others() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(others())
    ticks_in_source: list[int] = []

    def observe(event: object) -> None:
        if event == "word ":
            ticks_in_source.append(ticks)

    await say(FakeChannel(), hasty(), observe=observe, settings=Settings(degree=Degree.NONE))
    beside.cancel()

    # Of 2000 events, no more than 256 come in a row.
    assert len(set(ticks_in_source)) >= 2000 // 256
    assert max(map(ticks_in_source.count, set(ticks_in_source))) <= 257


async def test_where_the_words_could_not_go_is_worse_news_than_why_they_ended() -> None:
    for delay in (0.0, 0.05):

        async def source(delay: float = delay) -> AsyncIterator[str]:
            yield "One.\nTwo."
            await asyncio.sleep(delay)
            raise Overloaded("busy")

        with pytest.raises(ChannelGone) as caught:
            await say(Refusing(after=0), source())

        assert result_of(caught.value).ending is Ending.ERROR


async def test_what_the_source_raised_is_worse_news_than_a_bug_of_a_transport() -> None:
    class Buggy(FakeChannel):
        async def send(self, message: Message) -> Receipt:
            raise ZeroDivisionError

    with pytest.raises(Overloaded):
        await say(Buggy(), ScriptedProvider(["One.", Overloaded("busy")]))


async def test_rules_of_ones_own_run_and_one_that_fails_is_told(caplog: pytest.LogCaptureFixture) -> None:
    def calm(text: RuleText) -> list[tuple[int, int, str]]:
        return text.sub("!+", ".")

    def broken(text: RuleText) -> list[tuple[int, int, str]]:
        raise ZeroDivisionError

    channel = FakeChannel()
    result = await say(channel, words("One!!\nTwo!"), rules=[broken, calm])

    assert channel.texts == ["One.", "Two."]
    assert result.failed_rules == ("broken",)
    assert [edit.rule for edit in result.replaced] == ["calm", "calm"]
    assert caplog.text.count("custom rule 'broken' failed") == 1
