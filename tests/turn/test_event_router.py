from __future__ import annotations

from random import Random

import pytest

from streamcord import Degree, Dropped, Message, Receipt, Settings, StopMode, TextDelta, ToolCall
from streamcord._turn.event_router import Editor

PLAIN = Settings(degree=Degree.LIGHT)


def editing(*texts: str, show: bool = True, settings: Settings = PLAIN) -> Editor:
    editor = Editor(settings, Random(0), lambda: 1.5, show=show)
    for text in texts:
        editor.feed(TextDelta(text))
    return editor


def waiting(editor: Editor) -> list[str]:
    return [message.content for message in editor.outbox.take_all()]


async def test_what_is_heard_waits_to_be_sent() -> None:
    editor = editing("One.\nTw", "o.")
    editor.flush()

    assert waiting(editor) == ["One.", "Two."]
    assert (editor.heard.chunks, editor.heard.first_at) == (2, 1.5)


async def test_a_call_and_a_message_come_behind_the_words_before_them() -> None:
    editor = editing("One. ")
    editor.feed(ToolCall("1", "x"))
    editor.feed("Two")
    editor.feed(Message("posted"))

    assert waiting(editor) == ["One.", "Two", "posted"]


@pytest.mark.parametrize(
    ("mode", "left", "lost"),
    [
        (StopMode.NOW, [], ["One.", "Two.", "Thr"]),
        (StopMode.AFTER_THIS, ["One."], ["Two.", "Thr"]),
        (StopMode.FLUSH, ["One.", "Two.", "Thr"], []),
    ],
)
async def test_a_stop_leaves_what_its_mode_allows(mode: StopMode, left: list[str], lost: list[str]) -> None:
    editor = editing("One.\nTwo.\nThr")
    editor.cut(mode, in_flight=False)

    assert [dropped.text for dropped in editor.shown.dropped if dropped.reason == "stop"] == lost
    assert waiting(editor) == left


async def test_what_is_in_flight_stays() -> None:
    editor = editing("One.\nTwo.\nThr")
    editor.cut(StopMode.AFTER_THIS, in_flight=True)

    assert waiting(editor) == ["One.", "Two."]


async def test_what_is_dropped_is_in_the_books() -> None:
    editor = editing("One.\nTwo")
    editor.drop_all("undelivered")

    assert waiting(editor) == []
    assert editor.shown.dropped == [
        Dropped("One.", "undelivered", ((0, 5),)),
        Dropped("Two", "undelivered", ((5, 8),)),
    ]
    assert editor.shown.segments == 2


async def test_without_show_words_go_into_the_books_only() -> None:
    editor = editing("One.\nTwo", show=False)
    editor.flush()

    assert waiting(editor) == []
    assert [message.content for message in editor.shown.told] == ["One.", "Two"]


async def test_a_receipt_is_noted_with_its_time() -> None:
    editor = editing()
    editor.note_sent(Receipt(Message("Hi."), 1))

    assert editor.shown.first_at == 1.5
    assert len(editor.shown.receipts) == 1


async def test_the_cap_makes_a_file_only_if_anybody_sees_it() -> None:
    text = "Line.\n" * 5
    for show, file, count in ((True, True, 3), (True, False, 2), (False, True, 0)):
        settings = Settings(degree=Degree.LIGHT, message_cap=2, rest_as_file=file)
        editor = editing(text, show=show, settings=settings)
        editor.flush()

        assert len(waiting(editor)) == count
