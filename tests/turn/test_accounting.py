from __future__ import annotations

import asyncio
from functools import partial

import pytest

from streamcord import (
    Captured,
    Ending,
    Finish,
    FinishReason,
    Halt,
    KeepAlive,
    Message,
    ProviderEvent,
    Receipt,
    Speaker,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Truncated,
    TurnResult,
    Usage,
)
from streamcord._turn.accounting import OutputLog, SourceStats, build_result, join_captured
from streamcord.records import Added, Dropped, Replaced

CALL = ToolCall("1", "roll_dice")


def heard(*events: str | ProviderEvent) -> SourceStats:
    book = SourceStats()
    for now, event in enumerate(events, 1):
        book.record(event, partial(float, now))
    return book


def shown(*messages: Message) -> OutputLog:
    book = OutputLog()
    for number, message in enumerate(messages, 1):
        book.record_sent(Receipt(message, number, f"link/{number}"), 10.0 + number)
    return book


def ending(
    book: SourceStats, *, sent: bool = True, halt: Halt | None = None, error: BaseException | None = None
) -> Ending:
    out = shown(*[Message("hi")] * sent)
    if halt:
        out.record(halt)
    return build_result(book, out, error).ending


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (["plain text needs no end"], Ending.COMPLETED),
        ([TextDelta("a"), Finish()], Ending.COMPLETED),
        ([TextDelta("a"), Finish(), Usage(1, 2), KeepAlive()], Ending.COMPLETED),
        ([TextDelta("a"), Finish(FinishReason.LENGTH)], Ending.COMPLETED),
        ([TextDelta("a")], Ending.TRUNCATED),
        ([ThoughtDelta("hm")], Ending.TRUNCATED),
        ([TextDelta("a"), CALL, Finish(FinishReason.TOOL_CALLS)], Ending.FUNCTION_CALL),
        ([TextDelta("a"), Finish(FinishReason.TOOL_CALLS)], Ending.FUNCTION_CALL),
        ([CALL, Finish(FinishReason.TOOL_CALLS), TextDelta("a six"), Finish()], Ending.COMPLETED),
        ([CALL, Finish(FinishReason.TOOL_CALLS), TextDelta("a six")], Ending.TRUNCATED),
    ],
)
def test_the_source_tells_how_it_ended(events: list[str | ProviderEvent], expected: Ending) -> None:
    assert ending(heard(*events)) is expected


def test_a_turn_without_a_message_was_empty() -> None:
    assert ending(heard(TextDelta(" "), Finish()), sent=False) is Ending.EMPTY_RESPONSE
    assert ending(heard(CALL, Finish()), sent=False) is Ending.FUNCTION_CALL


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Truncated("cut"), Ending.TRUNCATED),
        (TimeoutError(), Ending.TIMEOUT),
        (OSError(), Ending.ERROR),
        (asyncio.CancelledError(), Ending.CANCELLED),
    ],
)
def test_an_error_names_the_ending(error: BaseException, expected: Ending) -> None:
    assert ending(heard(TextDelta("a"), Finish()), error=error) is expected


def test_a_halt_comes_before_an_error() -> None:
    assert ending(heard("a"), halt=Halt("speaker_guard"), error=OSError()) is Ending.SPEAKER_GUARD
    assert ending(heard("a"), halt=Halt("message_cap")) is Ending.MESSAGE_LIMIT
    assert ending(heard("a"), halt=Halt("send_message_limit")) is Ending.MESSAGE_LIMIT
    assert ending(heard("a"), halt=Halt("answer_cap")) is Ending.MESSAGE_LIMIT


def test_only_the_first_halt_counts() -> None:
    book = OutputLog()
    book.record(Halt("speaker_guard", "Bob"))
    book.record(Halt("message_cap"))

    assert book.halt == Halt("speaker_guard", "Bob")
    assert build_result(heard("a"), book, None).other_speaker == "Bob"


def test_the_sent_text_carries_a_label_where_the_speaker_changes() -> None:
    mad = Speaker("Luna", label="Luna (mad): ")
    result = build_result(
        heard("x"), shown(Message("Hi."), Message("Hmph.", speaker=mad), Message("Fine.", speaker=mad)), None
    )

    assert result.text == "Hi.\nLuna (mad): Hmph.\nFine."


def test_the_return_to_the_base_look_carries_the_plain_name() -> None:
    mad = Speaker("Luna (L.)", label="Luna (L.) (mad): ")
    result = build_result(
        heard("x"), shown(Message("Angry.", speaker=mad), Message("calm"), Message("still calm")), None
    )

    assert result.text == "Luna (L.) (mad): Angry.\nLuna (L.): calm\nstill calm"


def test_typed_and_tagged_thoughts_keep_their_order() -> None:
    book = heard(
        TextDelta("<think>first</think>"),
        ThoughtDelta("sec"),
        ThoughtDelta("ond"),
        TextDelta("<think>third</think>"),
        ThoughtDelta("fourth"),
        Finish(),
    )
    out = shown()
    out.record(Captured("think", "fi", ((0, 9),), more=True))
    out.record(Captured("think", "rst", ((9, 20),)))
    out.record(Captured("think", "third", ((20, 40),)))

    assert build_result(book, out, None).thoughts.raw == "first\n\nsecond\n\nthird\n\nfourth"


def test_thoughts_come_from_events_and_from_blocks() -> None:
    book = heard(
        ThoughtDelta("first "),
        ThoughtDelta("then"),
        ThoughtDelta("in short", "summary"),
        Finish(served_by="here"),
    )
    out = shown()
    out.record(Captured("think", " tagged ", ((0, 5),)))

    thoughts = build_result(book, out, None).thoughts

    assert thoughts.raw == "first then\n\ntagged"
    assert thoughts.summary == "in short"
    assert thoughts.duration == 2.0
    assert thoughts.served_by == "here"


def test_pieces_of_one_block_are_joined_and_blocks_are_not() -> None:
    captured = [
        Captured("details", "a", (), more=True),
        Captured("think", "x", ()),
        Captured("details", "b", ()),
        Captured("details", "c", ()),
    ]

    assert join_captured(captured, "details") == ["ab", "c"]
    assert join_captured(captured, "think") == ["x"]


def test_every_record_reaches_the_result() -> None:
    edit = Replaced("own_name", "Luna: ", "", ((0, 6),))
    bare = Replaced("surrogates", "\ud800", "\ufffd", ((9, 10),))
    closer = Added("**", "auto_close")
    dropped = Dropped("..", "fragment", ((8, 9),))
    message = Message("**hi**", spans=((6, 8),), edits=(edit,), added=(closer,))
    out = shown(message)
    out.record(bare)
    out.record(dropped)
    out.record(Captured("details", "d", ((10, 14),)))

    result = build_result(heard("0123456789", "abcd", CALL, Usage(3, 4), Usage(3, 5)), out, None)

    assert result.receipts == (Receipt(message, 1, "link/1"),)
    assert result.first_url == "link/1"
    assert result.replaced == (edit, bare)
    assert result.added == (closer,)
    assert result.dropped == (dropped,)
    assert result.details == ("d",)
    assert result.tool_calls == (CALL,)
    assert result.usage == Usage(3, 5)


def test_counts_tell_where_the_characters_went() -> None:
    out = shown(Message("a", spans=((0, 3), (5, 7))))
    out.record(Dropped("x", "stop", ((3, 4),)))
    out.record(Captured("think", "t", ((4, 5),)))

    counts = build_result(heard("abcd", TextDelta("efg"), Finish()), out, None).counts

    assert (counts.received, counts.shown, counts.captured, counts.dropped) == (7, 5, 1, 1)
    assert (counts.chunks, counts.messages) == (2, 1)
    assert (counts.first_event, counts.first_message) == (1.0, 11.0)


def test_a_lost_message_is_dropped_with_all_it_was_made_of() -> None:
    out = OutputLog()
    out.record_lost(
        Message("hi", spans=((6, 8),), edits=(Replaced("own_name", "Luna: ", "", ((0, 6),)),)), "undelivered"
    )

    assert out.dropped == [Dropped("hi", "undelivered", ((0, 6), (6, 8)))]


def test_nothing_heard_and_nothing_shown_is_an_empty_result() -> None:
    assert build_result(SourceStats(), OutputLog(), None) == TurnResult(Ending.EMPTY_RESPONSE)
