from __future__ import annotations

import asyncio
from random import Random

import pytest

from streamcord import (
    Attachment,
    Degree,
    Finish,
    Message,
    ProviderEvent,
    Receipt,
    Settings,
    StopMode,
    TextDelta,
    ToolCall,
)
from streamcord._turn.accounting import OutputLog
from streamcord._turn.event_router import (
    CAP_NOTICE,
    REST_NAME,
    REST_NOTICE,
    EventRouter,
    as_messages,
    rest_as_file,
)
from streamcord.records import Dropped

PLAIN = Settings(degree=Degree.LIGHT)
FILE = Attachment("a.txt", b"a")


def routing(*texts: str, show: bool = True, settings: Settings = PLAIN) -> EventRouter:
    router = EventRouter(settings, Random(0), lambda: 1.5, show=show)
    for text in texts:
        router.feed(TextDelta(text))
    return router


def waiting(router: EventRouter) -> list[str]:
    return [message.content for message in router.outbox.take_all()]


async def test_what_is_heard_waits_to_be_sent() -> None:
    router = routing("One.\nTw", "o.")
    router.flush()

    assert waiting(router) == ["One.", "Two."]
    assert (router.stats.chunks, router.stats.first_at) == (2, 1.5)


async def test_observer_and_journal_get_every_event_of_the_source() -> None:
    long = TextDelta("long " * 300)
    events: list[str | ProviderEvent] = [TextDelta("One.\nTw"), TextDelta("o."), long, Finish(), "text"]
    seen: list[object] = []
    journaled: list[object] = []
    router = EventRouter(PLAIN, Random(0), lambda: 1.5, observe=seen.append, journal_event=journaled.append)
    for event in events:
        router.feed(event)
    router.flush()

    assert [one for one in seen if one in events] == events
    assert journaled == events


async def test_a_message_that_grows_is_told_of_by_a_few_words_too() -> None:
    router = EventRouter(Settings(delivery="live"), Random(0), lambda: 1.5)
    news = asyncio.create_task(router.outbox.wait_for_any_news())
    await asyncio.sleep(0)

    router.feed(TextDelta("One line.\nAnother line.\nAnd more.\n"))
    assert len(router.outbox) == 0
    async with asyncio.timeout(5):
        await news


async def test_what_tools_post_counts_for_the_cap_and_the_rest_goes_into_the_file() -> None:
    router = routing("One.\n", settings=Settings(degree=Degree.LIGHT, message_cap=3))
    for number in range(300):
        router.feed(Message(f"posted {number}\n"))
    router.flush()
    messages = router.outbox.take_all()

    assert [message.content for message in messages] == ["One.", "posted 0\n", "posted 1\n", REST_NOTICE]
    rest = messages[-1].files[0]
    assert isinstance(rest, Attachment)
    assert rest.content.decode().count("posted") == 298


async def test_a_call_and_a_message_come_behind_the_words_before_them() -> None:
    router = routing("One. ")
    router.feed(ToolCall("1", "x"))
    router.feed("Two")
    router.feed(Message("posted"))

    assert waiting(router) == ["One.", "Two", "posted"]


@pytest.mark.parametrize(
    ("mode", "left", "lost"),
    [
        (StopMode.NOW, [], ["One.", "Two.", "Thr"]),
        (StopMode.AFTER_THIS, ["One."], ["Two.", "Thr"]),
        (StopMode.FLUSH, ["One.", "Two.", "Thr"], []),
    ],
)
async def test_a_stop_leaves_what_its_mode_allows(mode: StopMode, left: list[str], lost: list[str]) -> None:
    router = routing("One.\nTwo.\nThr")
    router.cut(mode, in_flight=False)

    assert [dropped.text for dropped in router.output.dropped if dropped.reason == "stop"] == lost
    assert waiting(router) == left


async def test_what_is_in_flight_stays() -> None:
    router = routing("One.\nTwo.\nThr")
    router.cut(StopMode.AFTER_THIS, in_flight=True)

    assert waiting(router) == ["One.", "Two."]


async def test_what_is_dropped_is_in_the_books() -> None:
    router = routing("One.\nTwo")
    router.drop_all("undelivered")

    assert waiting(router) == []
    assert router.output.dropped == [
        Dropped("One.", "undelivered", ((0, 5),)),
        Dropped("Two", "undelivered", ((5, 8),)),
    ]
    assert router.output.segments == 2


async def test_without_show_words_go_into_the_books_only() -> None:
    router = routing("One.\nTwo", show=False)
    router.flush()

    assert waiting(router) == []
    assert [message.content for message in router.output.unsent] == ["One.", "Two"]


async def test_a_receipt_is_noted_with_its_time() -> None:
    router = routing()
    router.record_sent(Receipt(Message("Hi."), 1))

    assert router.output.first_at == 1.5
    assert len(router.output.receipts) == 1


async def test_the_cap_is_announced_only_if_anybody_sees_it() -> None:
    text = "Line.\n" * 5
    for show, file, count in ((True, True, 3), (True, False, 3), (False, True, 0)):
        settings = Settings(degree=Degree.HEAVY, message_cap=2, rest_as_file=file)
        router = routing(text, show=show, settings=settings)
        router.flush()

        assert len(waiting(router)) == count


async def test_the_cap_without_a_file_is_announced_once() -> None:
    # Degrees 1 and 2 merge messages before they reach the cap.
    settings = Settings(degree=Degree.HEAVY, humanize=False, message_cap=2, rest_as_file=False)
    router = routing("Line.\n" * 5, settings=settings)
    router.flush()
    router.flush()
    messages = router.outbox.take_all()

    assert [message.content for message in messages] == ["Line.", "Line.", CAP_NOTICE]
    assert messages[-1].notice
    assert {dropped.reason for dropped in router.output.dropped} == {"message_cap"}


async def test_a_cap_that_held_nothing_back_is_not_announced() -> None:
    router = routing("Line.\n" * 2, settings=Settings(degree=Degree.LIGHT, message_cap=2, rest_as_file=False))
    router.flush()

    assert [message.content for message in router.outbox.take_all()] == ["Line.", "Line."]


def test_a_short_message_is_posted_as_it_is_and_is_nobodys_source() -> None:
    assert as_messages(Message("Hi.", spans=((0, 3),)), Settings()) == [Message("Hi.")]


def test_an_empty_message_is_none_unless_it_has_a_file() -> None:
    assert as_messages(Message(""), Settings()) == []
    assert as_messages(Message("", files=(FILE,)), Settings()) == [Message("", files=(FILE,))]


def test_a_message_too_long_becomes_several_and_the_last_has_the_files() -> None:
    parts = as_messages(Message("word " * 1000, files=(FILE,)), Settings(send_message_limit=1))

    assert len(parts) > 1
    assert all(len(part.content) <= 2000 for part in parts)
    assert [part.files for part in parts] == [*[()] * (len(parts) - 1), (FILE,)]
    assert " ".join(part.content for part in parts).split() == ["word"] * 1000


def test_a_rest_with_a_spoiler_is_a_covered_file() -> None:
    router = EventRouter(Settings(degree=Degree.LIGHT, message_cap=1), Random(0), lambda: 0.0)
    router.feed("One.\n\nIt was ||the butler||.")
    router.flush()

    files = [file for message in router.outbox.take_all() for file in message.files]
    assert [file.spoiler for file in files] == [True]


def test_what_the_cap_held_back_is_one_file_and_no_longer_dropped() -> None:
    shown = OutputLog(
        dropped=[
            Dropped("One.\n", "message_cap", ((0, 5),)),
            Dropped("..", "fragment", ((5, 7),)),
            Dropped("Two \ud83d", "message_cap", ((7, 12),)),
        ]
    )

    message = rest_as_file(shown)

    assert message is not None
    assert message.content == REST_NOTICE
    assert message.files == (Attachment(REST_NAME, b"One.\nTwo ?", message.files[0].alt),)
    assert message.spans == ((0, 5), (7, 12))
    assert shown.dropped == [Dropped("..", "fragment", ((5, 7),))]


def test_nothing_held_back_is_no_file() -> None:
    assert rest_as_file(OutputLog(dropped=[Dropped(" \n", "message_cap", ((0, 2),))])) is None
