from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random
from time import thread_time
from typing import Any

import pytest

from streamcord import AnswerContext, Persona, RunningTurns, Settings, Stop, StopOutcome, StopRequester
from streamcord.store import Place, StoredPersona
from streamcord_bot.budget.concurrency import SlotLimits, TurnSlots
from streamcord_bot.config import AnswerConfig, ContextConfig
from streamcord_bot.listening.channel_queue import QueueResult
from streamcord_bot.listening.dispatcher import MAX_QUEUES, Dispatcher, Reason, find_reason
from streamcord_bot.messages.chat_message import AttachedFile, ChatMessage
from streamcord_bot.messages.question import AnswerKind, Question
from streamcord_bot.messages.seen_messages import SeenMessages
from streamcord_bot.messages.word_search import MAX_COST, WordSearch, has_trigger
from streamcord_bot.policy.channel_config import ChannelConfig
from virtual_time import timeless

CHANNEL_CONFIG = ChannelConfig(
    Place(1, 7),
    StoredPersona(Persona("Luna")),
    Settings(),
    AnswerContext(),
    AnswerConfig(max_bot_replies=2),
    ContextConfig(),
)


class Room:
    """A dispatcher whose answers take a second."""

    def __init__(self, slots: TurnSlots | None = None) -> None:
        self.answered: list[int] = []
        self.running = 0
        self.most = 0
        self.dispatcher = Dispatcher(self.run, self.show, RunningTurns(), slots)

    async def run(self, question: Question, stop: Stop) -> None:
        heard = asyncio.Event()
        stop.listen(heard.set)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            async with asyncio.timeout(3):
                await heard.wait()
        except TimeoutError:
            self.answered.append(question.messages[-1].id)
        finally:
            self.running -= 1

    async def show(self, _: Question) -> None:
        pass


def said(
    id_: int, author: int = 1, channel: int = 7, *, calls: bool = True, bot: bool = False
) -> ChatMessage:
    return ChatMessage(id_, author, "x", "hi", channel, mentions_us=calls, bot=bot)


@timeless
async def test_a_message_is_claimed_once_and_never_if_it_is_ours() -> None:
    dispatcher = Room().dispatcher

    assert dispatcher.claim(said(1))
    assert not dispatcher.claim(said(1))
    assert not dispatcher.claim(replace(said(2), own=True))


@timeless
async def test_channels_do_not_wait_for_each_other() -> None:
    room = Room()
    assert room.dispatcher.receive(said(1, channel=7, calls=False), CHANNEL_CONFIG) is QueueResult.IGNORED
    for channel in range(MAX_QUEUES + 10):
        assert (
            room.dispatcher.receive(said(channel + 1, channel=channel), CHANNEL_CONFIG) is QueueResult.QUEUED
        )
    async with asyncio.timeout(3.5):
        await room.dispatcher.wait_idle()

    assert len(room.answered) == MAX_QUEUES + 10
    room.dispatcher.receive(said(999, channel=5000), CHANNEL_CONFIG)
    assert len(room.dispatcher._queues) == 1
    await room.dispatcher.close(0)


@timeless
async def test_machines_are_answered_so_often_until_a_person_speaks() -> None:
    room = Room()
    heard = []
    for number in range(4):
        heard.append(room.dispatcher.receive(said(number + 1, bot=True), CHANNEL_CONFIG))
        await room.dispatcher.wait_idle()
    room.dispatcher.receive(said(10, 2, calls=False), CHANNEL_CONFIG)
    heard.append(room.dispatcher.receive(said(11, bot=True), CHANNEL_CONFIG))
    await room.dispatcher.wait_idle()

    ignored = QueueResult.IGNORED
    assert heard == [QueueResult.QUEUED, QueueResult.QUEUED, ignored, ignored, QueueResult.QUEUED]


@timeless
async def test_edits_and_deletions_in_idle_channels_are_ignored() -> None:
    dispatcher = Room().dispatcher

    assert not dispatcher.edit(7, 1, "new")
    assert not dispatcher.delete(7, 1)
    assert await dispatcher.stop_in(7, StopRequester(1)) is StopOutcome.NOTHING


@timeless
async def test_stop_removes_a_waiting_question_or_stops_the_answer() -> None:
    room = Room()
    room.dispatcher.receive(said(1), CHANNEL_CONFIG)
    await asyncio.sleep(1.5)
    room.dispatcher.receive(said(2, 2), CHANNEL_CONFIG)

    assert await room.dispatcher.stop_in(7, StopRequester(2)) is StopOutcome.ACCEPTED
    assert await room.dispatcher.stop_in(7, StopRequester(2)) is StopOutcome.REFUSED
    assert await room.dispatcher.stop_in(7, StopRequester(1)) is StopOutcome.ACCEPTED
    await room.dispatcher.wait_idle()
    assert room.answered == []


@timeless
async def test_closed_dispatcher_accepts_no_messages() -> None:
    room = Room()
    room.dispatcher.receive(said(1), CHANNEL_CONFIG)
    await asyncio.sleep(0)
    await room.dispatcher.close(10)

    assert not room.dispatcher.claim(said(5))
    room.dispatcher.put(Question(1, [said(6)], AnswerKind.REGENERATE), CHANNEL_CONFIG)
    await room.dispatcher.wait_idle()
    assert room.answered == []


def test_g_03_of_all_the_ways_by_which_a_message_comes_one_may_claim_it() -> None:
    seen = SeenMessages()

    assert [seen.claim(1), seen.claim(1), seen.claim(2)] == [True, False, True]


def test_the_oldest_are_forgotten_so_that_memory_is_bounded() -> None:
    seen = SeenMessages(cap=3)
    for number in range(10):
        assert seen.claim(number)

    assert len(seen) == 3
    assert not seen.claim(9)
    assert seen.claim(0)


USUAL = AnswerConfig(words=("luna",), channels=(7,))
DEAF = AnswerConfig(mentions=False, replies=False, direct_messages=False)


def message(text: str = "hello", **more: Any) -> ChatMessage:
    return ChatMessage(1, 2, "alice", text, **more)


@pytest.mark.parametrize(
    ("said", "config", "reason"),
    [
        (message(), USUAL, None),
        (message(mentions_us=True), USUAL, Reason.MENTION),
        (message(replies_to_us=True), USUAL, Reason.REPLY),
        (message(dm=True), USUAL, Reason.DM),
        (message(channel=7), USUAL, Reason.CHANNEL),
        (message("hey Luna!"), USUAL, Reason.TRIGGER),
        (message("lunar eclipse"), USUAL, None),
        (message("hey Luna!", dm=True, mentions_us=True), USUAL, Reason.DM),
        (message(mentions_us=True, replies_to_us=True, dm=True), DEAF, None),
        (message("", mentions_us=True), USUAL, None),
        (message(" ", mentions_us=True), USUAL, None),
        (message("", dm=True, files=(AttachedFile("a.txt"),)), USUAL, Reason.DM),
        (message(mentions_us=True, own=True), USUAL, None),
        (message("luna", own=True, channel=7, dm=True), USUAL, None),
        (message("luna", bot=True, channel=7), USUAL, None),
        (message(bot=True, mentions_us=True), USUAL, Reason.MENTION),
        (message(bot=True, replies_to_us=True), USUAL, Reason.REPLY),
        (message(bot=True, dm=True), USUAL, None),
    ],
)
def test_a_message_is_answered_for_this_reason(
    said: ChatMessage, config: AnswerConfig, reason: Reason | None
) -> None:
    assert find_reason(said, config) is reason


@pytest.mark.parametrize(
    ("bot_replies", "cap", "answered"), [(0, 3, True), (2, 3, True), (3, 3, False), (0, 0, False)]
)
def test_machines_are_answered_so_often_in_a_row(bot_replies: int, cap: int, answered: bool) -> None:
    said = message(bot=True, mentions_us=True)

    assert (find_reason(said, AnswerConfig(max_bot_replies=cap), bot_replies) is not None) is answered


def test_people_are_answered_however_often_machines_were() -> None:
    assert find_reason(message(mentions_us=True), AnswerConfig(max_bot_replies=0), 99) is Reason.MENTION


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("Luna, come", ("luna",), True),
        ("LUNA", ("luna",), True),
        ("(luna)", ("luna",), True),
        ("lunatic", ("luna",), False),
        ("xluna", ("luna",), False),
        ("lunatic luna", ("luna",), True),
        ("ルナちゃん、おはよう", ("ルナ",), True),
        ("good bot!", ("good bot",), True),
        ("hey!! luna", ("!!",), True),
        ("STRASSE", ("straße",), True),
        ("anything", (), False),
    ],
)
def test_a_trigger_is_a_word(text: str, words: tuple[str, ...], found: bool) -> None:
    assert has_trigger(text, words) is found


@timeless
async def test_one_person_in_sixty_threads_has_few_answers_at_once_and_few_that_wait() -> None:
    room = Room(TurnSlots(SlotLimits(person=3, waiting=5)))
    heard = []
    for channel in range(60):
        heard.append(room.dispatcher.receive(said(channel + 1, channel=channel), CHANNEL_CONFIG))
        await asyncio.sleep(0)
    assert room.dispatcher.receive(said(99, author=2, channel=99), CHANNEL_CONFIG) is QueueResult.QUEUED
    await room.dispatcher.wait_idle()

    assert heard == [QueueResult.QUEUED] * 8 + [QueueResult.CROWDED] * 52
    assert room.most == 4
    assert sorted(room.answered) == [1, 2, 3, 4, 5, 6, 7, 8, 99]


@timeless
async def test_oldest_waiting_question_gets_the_next_slot() -> None:
    room = Room(TurnSlots(SlotLimits(all=1)))
    for number, channel in enumerate((9, 3, 7, 1), 1):
        room.dispatcher.receive(said(number, author=number, channel=channel), CHANNEL_CONFIG)
        await asyncio.sleep(0.1)
    await room.dispatcher.wait_idle()

    assert room.answered == [1, 2, 3, 4]


@timeless
async def test_more_words_to_a_question_that_waits_are_no_new_question() -> None:
    room = Room(TurnSlots(SlotLimits(person=1, waiting=1)))
    for number, channel in enumerate((7, 8, 8, 9), 1):
        heard = room.dispatcher.receive(said(number, channel=channel), CHANNEL_CONFIG)
        await asyncio.sleep(0.1)
        assert (
            heard
            is [QueueResult.QUEUED, QueueResult.QUEUED, QueueResult.JOINED, QueueResult.CROWDED][number - 1]
        )
    await room.dispatcher.close(0)


@timeless
async def test_a_button_finds_the_same_limits() -> None:
    room = Room(TurnSlots(SlotLimits(waiting=3)))
    put = [
        room.dispatcher.put(Question(1, [said(number)], AnswerKind.REGENERATE), CHANNEL_CONFIG)
        for number in range(1, 301)
    ]
    await room.dispatcher.close(0)

    assert put == [QueueResult.QUEUED] * 3 + [QueueResult.CROWDED] * 297
    assert room.dispatcher.put(Question(1, [said(1)]), CHANNEL_CONFIG) is QueueResult.IGNORED


@timeless
async def test_what_had_its_place_before_a_break_has_it_again() -> None:
    room = Room(TurnSlots(SlotLimits(waiting=3)))
    room.dispatcher.receive(said(1), CHANNEL_CONFIG)
    await asyncio.sleep(0)
    back = [
        room.dispatcher.requeue(Question(1, [said(number)], AnswerKind.REGENERATE), CHANNEL_CONFIG)
        for number in range(2, 102)
    ]
    refused = room.dispatcher.put(Question(1, [said(200)], AnswerKind.REGENERATE), CHANNEL_CONFIG)
    await room.dispatcher.close(0)

    assert back == [True] * 100
    assert refused is QueueResult.CROWDED
    assert not room.dispatcher.requeue(Question(1, [said(1)]), CHANNEL_CONFIG)


def test_an_id_that_was_given_back_can_be_taken_again() -> None:
    seen = SeenMessages()
    assert seen.claim(1)
    seen.release(1)
    seen.release(2)

    assert seen.claim(1)


def _has_word_slowly(text: str, word: str) -> bool:
    """The same as it is said: at every place, with both neighbours."""
    text, word = text.casefold(), word.casefold()

    def wordy(letters: str) -> bool:
        return letters.isalnum() and ord(letters) < 0x2E80

    return any(
        text.startswith(word, at)
        and not (at and wordy(text[at - 1]) and wordy(word[0]))
        and not (at + len(word) < len(text) and wordy(text[at + len(word)]) and wordy(word[-1]))
        for at in range(len(text))
    )


def test_words_are_found_where_they_stand_alone() -> None:
    random = Random(7)
    for _ in range(3000):
        text = "".join(random.choices("aaab_- 片ß!", k=random.randrange(12)))
        word = "".join(random.choices("aab_- 片!", k=random.randrange(1, 4)))
        assert WordSearch(text).has(word) is _has_word_slowly(text, word), (text, word)


def test_search_for_untrusted_keys_is_bounded() -> None:
    search = WordSearch("片 lorem ipsum " * 1000)
    assert not any(search.has(f"lorem ipsum x{number}") for number in range(5000))
    assert search.left > MAX_COST // 2  # each has a word that is not there

    found = [search.has(f"片片{chr(0x4E00 + number)}") for number in range(5000)]
    assert not any(found)
    assert 0 <= search.left < 15_000
    assert not search.has("片 片")  # too much was searched before

    search = WordSearch("lorem ipsum " * 1000)
    assert not any(search.has("lorem ipsum " * 6 + f"lorem lorem {'!' * number}") for number in range(500))
    assert 0 <= search.left < 400


def test_a_server_s_words_take_little_time_whatever_is_written() -> None:
    words = tuple("a" * length for length in range(50, 100))
    began = thread_time()
    for text in ("a" * 4000, "a" * 3999 + " ", "xa b" * 1000, "_a" * 2000):
        assert not has_trigger(text, words)
        assert not has_trigger(text, tuple(f"a b{'xa b' * number}" for number in range(1, 20)))

    assert thread_time() - began < 0.5
