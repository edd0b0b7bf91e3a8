"""Messages in another shape: nothing is lost, nothing looks different."""

from __future__ import annotations

from dataclasses import replace

import pytest

from streamcord import (
    AnswerContext,
    Attachment,
    Boundary,
    Degree,
    Message,
    Person,
    Persona,
    Pipeline,
    Settings,
    Speaker,
)
from streamcord._text.layout.resplit_and_join import join, resplit
from streamcord.records import Added, Replaced, Spans

LINES = Settings(degree=Degree.LIGHT)
FILE = Attachment("a.txt", b"a")


def plan(text: str, settings: Settings = LINES, context: AnswerContext | None = None) -> list[Message]:
    pipeline = Pipeline(settings, context=context)
    events = [*pipeline.feed(text), *pipeline.flush()]
    return [event for event in events if isinstance(event, Message)]


def accounted(messages: list[Message]) -> list[tuple[int, int]]:
    spans = [span for message in messages for span in message.spans]
    return sorted([*spans, *(span for one in messages for edit in one.edits for span in edit.spans)])


def tiles(spans: list[tuple[int, int]], length: int) -> bool:
    at = 0
    for start, end in spans:
        if start != at:
            return False
        at = end
    return at == length


# --- Cut once more --------------------------------------------------------------------------------


def test_a_message_is_cut_into_pieces_that_know_their_source() -> None:
    text = " ".join(f"word{number}" for number in range(60))
    (message,) = plan(text)
    pieces = resplit(message, 100, LINES)

    assert " ".join(piece.content for piece in pieces) == text
    assert max(len(piece.content) for piece in pieces) <= 100
    assert tiles(accounted(pieces), len(text))
    assert [text[start:end].strip() for piece in pieces for start, end in piece.spans] == [
        piece.content for piece in pieces
    ]
    assert [piece.piece for piece in pieces] == [(n, len(pieces)) for n in range(1, len(pieces) + 1)]


def test_white_space_behind_a_message_belongs_to_its_last_piece() -> None:
    first, _ = plan("One word and another.\nNext.")
    pieces = resplit(first, 32 - 20, LINES)

    assert tiles(accounted(pieces), len("One word and another.\n"))


def test_edit_is_recorded_by_the_part_that_shows_it() -> None:
    settings = Settings(degree=Degree.LIGHT)
    context = AnswerContext(people=(Person(7, "ada"),))
    text = "Some words for @ada and many more words behind the name so that it is cut."
    (message,) = plan(text, settings, context)
    pieces = resplit(message, 40, settings)

    assert " ".join(piece.content for piece in pieces) == text.replace("@ada", "<@7>")
    assert tiles(accounted(pieces), len(text))
    assert [len(piece.edits) for piece in pieces] == [1, 0]


def test_a_code_block_is_closed_and_reopened() -> None:
    text = "```py\n" + "x = 1\n" * 30 + "```"
    (message,) = plan(text)
    pieces = resplit(message, 100, LINES)

    assert all(one.content.startswith("```py\n") and one.content.endswith("```") for one in pieces)
    assert tiles(accounted(pieces), len(text))
    assert pieces[0].added
    assert pieces[-1].added


def test_what_was_added_before_and_behind_stays_with_its_piece() -> None:
    message = Message(
        "```py\nx = 1\ny = 2\nz = 3\n```",
        spans=((10, 28),),
        added=(Added("```py\n", "reopened", "before"), Added("```", "closed", "after")),
    )
    pieces = resplit(message, 20, LINES)

    assert pieces[0].content.startswith("```py\nx = 1")
    assert accounted(pieces)[0][0] == 10
    assert accounted(pieces)[-1][1] == 28
    assert pieces[0].added[0].where == "before"


def test_a_change_stands_between_the_words_around_it() -> None:
    edit = Replaced("r", "abc", "xx", ((5, 8),))
    message = Message("some xx words and others", spans=((0, 5), (8, 25)), edits=(edit,))
    first, second = resplit(message, 14, LINES)

    assert (first.content, first.spans, first.edits) == ("some xx words", ((0, 5), (8, 15)), (edit,))
    assert (second.content, second.spans, second.edits) == ("and others", ((15, 25),), ())


@pytest.mark.parametrize(
    "message",
    [
        Message("some words and others", edits=(Replaced("r", "", "x", ()),), spans=((0, 21),)),
        Message("some words and others", spans=((0, 5),)),
        Message(
            "some words and others", spans=((0, 15), (18, 30)), edits=(Replaced("r", "a", "no", ((15, 18),)),)
        ),
        Message("some words and others", added=(Added("words", "why", "after"),), spans=((0, 30),)),
    ],
)
def test_first_part_gets_all_sources_if_records_are_incomplete(message: Message) -> None:
    first, second = resplit(message, 12, LINES)

    assert (first.content, second.content) == ("some words", "and others")
    assert (first.spans, first.edits) == (message.spans, message.edits)
    assert (second.spans, second.edits, second.added) == ((), (), ())


def test_the_first_piece_replies_and_waits_and_the_last_has_the_files() -> None:
    message = Message("some words and others", delay=2.0, reply=True, files=(FILE,), fallback="f")
    first, second = resplit(message, 12, LINES)

    assert (first.reply, first.delay, first.files, first.fallback) == (True, 2.0, (), None)
    assert (second.reply, second.delay, second.files, second.fallback) == (False, 0.0, (FILE,), "f")


def test_pieces_keep_the_voice() -> None:
    luna = Speaker("Luna")
    pieces = resplit(Message("some words and others", speaker=luna), 12, LINES)

    assert [piece.speaker for piece in pieces] == [luna, luna]


# --- Several as one -------------------------------------------------------------------------------


def joined(*messages: Message, limit: int = 1950) -> Message | None:
    first, *more = messages
    for message in more:
        both = join(first, message, limit, LINES)
        if both is None:
            return None
        first = both
    return first


def test_lines_become_one_message_that_knows_all_its_sources() -> None:
    text = "One.\nTwo **bold**.\n\n```py\nx\n```\n- a\n- b"
    messages = plan(text)
    whole = joined(*messages)

    assert len(messages) == 4
    assert whole is not None
    assert whole.content == "One.\nTwo **bold**.\n```py\nx\n```\n- a\n- b"
    assert whole.spans == ((0, len(text)),)
    assert whole.boundary is messages[-1].boundary
    assert whole.reply


def test_edits_and_additions_of_both_are_kept() -> None:
    context = AnswerContext(persona=Persona("Luna"))
    text = "Luna: One.\nLuna: Two.\n```\nx"
    messages = plan(text, LINES, context)
    whole = joined(*messages)

    assert whole is not None
    assert len(whole.edits) == 2
    assert whole.added == messages[-1].added
    assert tiles(accounted([whole]), len(text))


@pytest.mark.parametrize(
    ("boundary", "piece", "spans", "gap"),
    [
        (Boundary.NEWLINE, (1, 1), ((0, 4),), "\n"),
        (Boundary.OVERFLOW, (1, 1), ((0, 4),), " "),
        (Boundary.OVERFLOW, (1, 1), ((0, 3),), ""),
        (Boundary.FINAL, (1, 2), ((0, 4),), " "),
        (Boundary.FINAL, (2, 2), ((0, 4),), "\n"),
    ],
)
def test_what_stood_between_them_stands_there_again(
    boundary: Boundary, piece: tuple[int, int], spans: Spans, gap: str
) -> None:
    whole = joined(Message("one", boundary=boundary, piece=piece, spans=spans), Message("two"))

    assert whole is not None
    assert whole.content == f"one{gap}two"


def test_a_part_that_was_reopened_begins_a_line() -> None:
    first = Message("> one", boundary=Boundary.OVERFLOW)
    second = Message("> two", added=(Added("> ", "reopened", "before"),))
    whole = joined(first, second)

    assert whole is not None
    assert whole.content == "> one\n> two"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Message("a", speaker=Speaker("Luna")), Message("b")),
        (Message("a", speaker=Speaker("Luna", "x.png")), Message("b", speaker=Speaker("Luna", "y.png"))),
        (Message("a"), Message("b", reply=True)),
        (Message("a"), Message("b", files=(FILE,))),
        (Message("a", files=(FILE,)), Message("b")),
        (Message("a", fallback="x"), Message("b")),
        (Message("a"), Message("b", fallback="x")),
        (Message("a" * 1000), Message("b" * 950)),
        (Message(">>> quoted to the end"), Message("not quoted")),
        (Message("a stray **open"), Message("and close** another")),
        (Message("a stray ~~open"), Message("and close~~ another")),
        (Message("a half ||open"), Message("spoiler|| here")),
        (Message("no end ```"), Message("code```")),
        (Message("a *stray star"), Message("It was ||the *red* one||")),
        (Message("a stray ` tick"), Message("It was ||the `red` one||")),
    ],
)
def test_messages_stay_apart_that_would_look_or_be_different(first: Message, second: Message) -> None:
    assert join(first, second, 1950, LINES) is None


def test_what_is_cut_once_more_shows_nothing_of_what_is_hidden() -> None:
    text = f"**{'a ' * 40}\n\nb** So ||c **d** e||"
    parts = resplit(Message(text), 40, LINES)

    assert [part.content for part in parts[-2:]] == ["a \n\nb** So", "||c **d** e||"]


def test_the_limit_is_reached_and_not_passed() -> None:
    whole = joined(Message("a" * 1000), Message("b" * 949))

    assert whole is not None
    assert len(whole.content) == 1950


def test_what_follows_a_quote_that_was_cut_does_not_become_a_part_of_it() -> None:
    settings = Settings(degree=Degree.LIGHT, message_length=60)
    first, second, *_ = plan("> " + "word " * 30, settings)
    plain = replace(second, added=())

    assert first.piece[0] < first.piece[1] or first.boundary is Boundary.OVERFLOW
    both = join(replace(first, added=()), plain, 2000, settings)
    assert both is not None
    assert both.content.count("\n") >= 1
