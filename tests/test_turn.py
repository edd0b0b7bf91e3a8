from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from streamcord import (
    Attachment,
    ChannelGone,
    Degree,
    Ending,
    Finish,
    KeepAlive,
    Message,
    Overloaded,
    Receipt,
    Settings,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Truncated,
    TurnResult,
    Usage,
    say,
)
from streamcord.testing import FakeChannel, ScriptedProvider

CALL = ToolCall("1", "roll_dice")


async def words(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


class Clock:
    """Each look is a second later."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


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
    assert channel.typing_calls == 2


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


async def test_time_to_the_first_event_and_message_is_measured() -> None:
    result = await say(FakeChannel(), words("Hi."), clock=Clock())

    assert result.counts.first_event == 1.0
    assert result.counts.first_message == 2.0


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
    await say(channel, words(TABLE + "\n| some words | and more |" * 90), renderers=[])

    assert len(channel.texts) > 1
    assert all(text.startswith("```\n") and text.endswith("\n```") for text in channel.texts)
    assert max(map(len, channel.texts)) <= 1950
