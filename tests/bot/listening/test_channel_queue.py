"""Who is answered when, on time that jumps."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from streamcord import RunningTurns, Stop, StopMode, StopRequester
from streamcord_bot.budget.concurrency import SlotLimits, TurnSlots
from streamcord_bot.listening.channel_queue import (
    MAX_QUESTION_MESSAGES,
    ChannelQueue,
    Deferred,
    QueueLimits,
    QueueResult,
)
from streamcord_bot.messages.chat_message import ChatMessage
from streamcord_bot.messages.question import AnswerKind, Question
from virtual_time import now, timeless

ALICE, BOB, EVE = 1, 2, 3


@dataclass
class ChannelConfig:
    """A queue whose answers take `seconds`, and a log of what it did."""

    seconds: float = 10.0
    began: list[tuple[int, list[int], float]] = field(default_factory=list)
    ended: list[StopMode | None] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    asks: list[Question] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start = now()
        self.stops = RunningTurns()
        self.queue = ChannelQueue(7, self.run, self.show, self.stops, QueueLimits(1.0, 5.0, 2))

    async def run(self, question: Question, stop: Stop) -> None:
        self.asks.append(question)
        self.began.append(
            (question.owner, [one.id for one in question.messages], round(now() - self.start, 3))
        )
        stopped = asyncio.Event()
        stop.listen(stopped.set)
        try:
            async with asyncio.timeout(self.seconds):
                await stopped.wait()
        except TimeoutError:
            pass
        self.ended.append(stop.mode)

    async def show(self, question: Question) -> None:
        self.shown.append(question.owner)

    def say(self, id_: int, author: int = ALICE, *, called: bool = True, text: str = "hi") -> QueueResult:
        return self.queue.receive(ChatMessage(id_, author, "x", text, channel=7), called=called)


def channel_config(**more: Any) -> ChannelConfig:
    return ChannelConfig(**more)


@timeless
async def test_the_first_question_is_answered_at_once() -> None:
    stage = channel_config()
    assert stage.say(1) is QueueResult.QUEUED
    await stage.queue.finished()

    assert stage.began == [(ALICE, [1], 0)]
    assert stage.asks[0].gathers_until - stage.start == 1.0
    assert stage.ended == [None]


@timeless
async def test_quick_messages_become_one_question_that_waits_for_a_pause() -> None:
    stage = channel_config(seconds=3)
    stage.say(1)
    await asyncio.sleep(0.5)
    assert stage.say(2, called=False) is QueueResult.JOINED
    await asyncio.sleep(0.9)
    assert stage.say(3, called=False) is QueueResult.JOINED
    await stage.queue.finished()

    assert stage.began == [(ALICE, [1], 0), (ALICE, [1, 2, 3], 2.4)]
    assert stage.ended == [StopMode.INTERRUPT, None]
    # What was shown of the first answer is taken back.
    assert [one.discarded for one in stage.asks] == [True, False]
    assert ALICE in stage.shown


@timeless
async def test_quick_message_after_a_complete_answer_needs_no_mention() -> None:
    stage = channel_config(seconds=0.3)
    stage.say(1)
    await asyncio.sleep(0.5)
    assert stage.say(2, BOB, called=False) is QueueResult.IGNORED
    assert stage.say(3, called=False) is QueueResult.QUEUED
    await asyncio.sleep(2)
    assert stage.say(4, called=False) is QueueResult.IGNORED
    await stage.queue.finished()

    assert stage.began == [(ALICE, [1], 0), (ALICE, [3], 0.5)]
    assert not any(one.discarded for one in stage.asks)


@timeless
async def test_quick_message_after_a_stopped_answer_asks_nothing() -> None:
    stage = channel_config()
    stage.say(1)
    await asyncio.sleep(0.2)
    await stage.stops.ask(7, StopRequester(ALICE))
    await asyncio.sleep(0.2)
    assert stage.say(2, called=False) is QueueResult.IGNORED


@timeless
async def test_debounce_ends_after_its_maximum() -> None:
    stage = channel_config(seconds=1)
    for number in range(12):
        stage.say(number + 1)
        await asyncio.sleep(0.5)
    await stage.queue.finished()

    assert stage.began[1][2] <= 5.0


@timeless
async def test_unaddressed_message_is_ignored_after_the_debounce() -> None:
    stage = channel_config()
    assert stage.say(1, called=False) is QueueResult.IGNORED
    stage.say(2)
    await asyncio.sleep(1.5)
    assert stage.say(3, called=False) is QueueResult.IGNORED
    await stage.queue.finished()

    assert [ids for _, ids, _ in stage.began] == [[2]]


@timeless
async def test_follow_up_interrupts_and_is_answered_first() -> None:
    stage = channel_config()
    stage.say(1)
    await asyncio.sleep(2)
    assert stage.say(2, BOB) is QueueResult.QUEUED
    assert stage.say(3) is QueueResult.INTERRUPTED
    await stage.queue.finished()

    assert [(owner, ids) for owner, ids, _ in stage.began] == [(ALICE, [1]), (ALICE, [1, 3]), (BOB, [2])]
    assert stage.ended[0] is StopMode.INTERRUPT


@timeless
async def test_full_queue_refuses_each_person_once() -> None:
    stage = channel_config()
    heard = [stage.say(1), *(stage.say(number, number) for number in (11, 12, 13, 13, 14))]
    await stage.queue.finished()

    taken, full = QueueResult.QUEUED, QueueResult.FULL
    assert heard == [taken, taken, full, full, QueueResult.IGNORED, full]
    assert stage.say(20, 13) is QueueResult.QUEUED
    await stage.queue.close()


@timeless
async def test_edit_restarts_the_answer_and_discards_the_old_one() -> None:
    stage = channel_config()
    stage.say(1, text="cats?")
    await asyncio.sleep(2)
    assert not stage.queue.edit(1, "cats?")
    assert not stage.queue.edit(99, "else")
    assert stage.queue.edit(1, "dogs?")
    await stage.queue.finished()

    assert [one.messages[0].text for one in stage.asks] == ["cats?", "dogs?"]
    assert [one.discarded for one in stage.asks] == [True, False]


@timeless
async def test_an_edit_while_waiting_only_changes_what_is_asked() -> None:
    stage = channel_config(seconds=3)
    stage.say(1)
    await asyncio.sleep(0)
    stage.say(2, BOB, text="cats?")
    assert stage.queue.edit(2, "dogs?")
    await stage.queue.finished()

    assert [one.messages[0].text for one in stage.asks] == ["hi", "dogs?"]
    assert not any(one.discarded for one in stage.asks)


@timeless
async def test_a_deleted_question_is_not_answered() -> None:
    stage = channel_config()
    stage.say(1)
    await asyncio.sleep(2)
    stage.say(2, BOB)
    assert stage.queue.delete(2)
    assert stage.queue.delete(1)
    assert not stage.queue.delete(3)
    await stage.queue.finished()

    assert len(stage.began) == 1
    assert stage.ended == [StopMode.INTERRUPT]


@timeless
async def test_a_part_that_is_deleted_leaves_the_rest_of_the_question() -> None:
    stage = channel_config(seconds=3)
    stage.say(1)
    await asyncio.sleep(0.1)
    stage.say(2)
    await asyncio.sleep(2)
    assert stage.queue.delete(1)
    await stage.queue.finished()

    assert [ids for _, ids, _ in stage.began] == [[1], [1, 2], [2]]


@timeless
async def test_waiting_question_can_be_removed() -> None:
    stage = channel_config(seconds=3)
    stage.say(1)
    await asyncio.sleep(0)
    stage.say(2, BOB)
    assert stage.queue.forget(BOB)
    assert not stage.queue.forget(BOB)
    await stage.queue.finished()

    assert [owner for owner, *_ in stage.began] == [ALICE]


@timeless
async def test_what_a_button_asks_for_is_not_gathered_and_not_joined() -> None:
    stage = channel_config(seconds=3)
    stage.say(1)
    await asyncio.sleep(0)
    stage.queue.put(Question(ALICE, [ChatMessage(5, ALICE, "x", "hi", channel=7)], AnswerKind.REGENERATE))
    await stage.queue.finished()

    assert [(question.kind, question.gathers_until > stage.start) for question in stage.asks] == [
        (AnswerKind.ANSWER, True),
        (AnswerKind.REGENERATE, False),
    ]


@timeless
async def test_an_answer_that_fails_does_not_take_the_channel_with_it() -> None:
    done = []

    async def run(question: Question, _: Stop) -> None:
        done.append(question.owner)
        raise RuntimeError("boom")

    async def show(_: Question) -> None:
        pass

    queue = ChannelQueue(7, run, show, RunningTurns())
    queue.receive(ChatMessage(1, ALICE, "x", "hi", channel=7), called=True)
    queue.receive(ChatMessage(2, BOB, "x", "hi", channel=7), called=True)
    await queue.finished()

    assert done == [ALICE, BOB]
    assert queue.is_idle


@timeless
async def test_a_flood_of_one_person_stays_bounded() -> None:
    stage = channel_config(seconds=1)
    for number in range(200):
        stage.say(number + 1)
    await stage.queue.finished()

    assert len(stage.began) == 1
    assert len(stage.began[0][1]) == MAX_QUESTION_MESSAGES
    assert stage.began[0][1][-1] == 200


@timeless
async def test_shutdown_finishes_the_running_answer_and_starts_no_other() -> None:
    stage = channel_config(seconds=3)
    stage.say(1)
    await asyncio.sleep(2)
    stage.say(2, BOB)
    await stage.queue.finish_running()

    assert [owner for owner, *_ in stage.began] == [ALICE]
    assert stage.ended == [None]


@timeless
async def test_closing_ends_what_runs() -> None:
    stage = channel_config(seconds=1000)
    stage.say(1)
    await asyncio.sleep(2)
    await stage.queue.close()

    assert now() - stage.start < 3
    assert stage.queue.is_idle


# --- Places ---------------------------------------------------------------------------------------------


def asked_again(owner: int, id_: int, asked_by: int = 0) -> Question:
    message = ChatMessage(id_, owner, "x", "hi", channel=7)
    return Question(owner, [message], AnswerKind.REGENERATE, asked_by=asked_by)


@timeless
async def test_a_queue_takes_no_more_questions_of_buttons_than_of_messages() -> None:
    stage = channel_config()
    stage.say(1)
    await asyncio.sleep(0.1)
    taken = [stage.queue.ask(asked_again(ALICE, number)) for number in range(2, 302)]
    waiting = len(stage.queue.waiting)
    await stage.queue.close()

    assert waiting == 2
    assert taken == [QueueResult.QUEUED] * 2 + [QueueResult.FULL] * 298


@timeless
async def test_person_without_a_slot_does_not_block_others() -> None:
    stage = channel_config(seconds=1)
    slots = stage.queue.slots = TurnSlots(SlotLimits(person=1))
    slots.on_freed = stage.queue.wake_up
    slots.begin(ALICE, 0, 0.0)
    stage.say(1, ALICE)
    stage.say(2, BOB)
    await asyncio.sleep(5)
    assert [owner for owner, *_ in stage.began] == [BOB]
    slots.end(ALICE, 0)
    await stage.queue.finished()

    assert [owner for owner, *_ in stage.began] == [BOB, ALICE]
    assert slots.running == 0


@timeless
async def test_queue_continues_after_a_pause() -> None:
    stage = channel_config(seconds=1)
    stage.queue.slots = TurnSlots(SlotLimits(cooldown=30.0))
    stage.say(1)
    await stage.queue.finished()
    stage.say(2)
    await stage.queue.finished()

    assert [at for *_, at in stage.began] == [0, 30]


@timeless
async def test_edits_of_the_author_do_not_cost_the_button_presser() -> None:
    stage = channel_config()
    stage.queue.slots = TurnSlots(SlotLimits(person=1))
    stage.queue.ask(asked_again(ALICE, 1, asked_by=EVE))
    await asyncio.sleep(0.1)
    assert stage.queue.slots.begin(EVE, 0, now()) > 0
    for number in range(30):
        assert not stage.queue.edit(1, f"changed {number}")
        await asyncio.sleep(0.1)
    await stage.queue.close()

    assert [question.payer for question in stage.asks] == [EVE]
    assert stage.queue.slots.running == 0


def command(*messages: ChatMessage) -> Question:
    """A question of Alice by a command, about these messages."""
    reply: Any = object()
    asked = ChatMessage(90, ALICE, "alice", "why?", channel=7)
    return Question(ALICE, [*messages, asked], reply=reply, private=True)


@timeless
async def test_edits_and_deletions_of_others_do_not_restart_a_command() -> None:
    stage = channel_config()
    stage.queue.ask(command(ChatMessage(1, EVE, "eve", "look", channel=7)))
    await asyncio.sleep(2)
    assert not stage.queue.edit(1, "changed")
    assert not stage.queue.delete(1)
    await stage.queue.finished()

    assert len(stage.asks) == 1
    assert stage.ended == [None]
    assert not stage.asks[0].discarded


@timeless
async def test_messages_do_not_join_a_command() -> None:
    for pause in (0.0, 0.1, 2.0):  # still waiting, within the debounce time, and after it
        for called in (True, False):
            stage = channel_config(seconds=5)
            asked = command()
            stage.queue.ask(asked)
            await asyncio.sleep(pause)
            stage.say(91, ALICE, called=called)
            await stage.queue.finished()

            assert stage.asks[0] is asked
            assert [one.id for one in asked.messages] == [90]
            assert stage.ended[0] is None
            assert [one.reply for one in stage.asks[1:]] == [None] * called


@timeless
async def test_a_waiting_command_can_be_withdrawn() -> None:
    stage = channel_config(seconds=5)
    stage.say(1, BOB)
    await asyncio.sleep(0.1)
    stage.queue.ask(command())
    assert stage.queue.forget(ALICE)
    await stage.queue.finished()

    assert [one.owner for one in stage.asks] == [BOB]


@timeless
async def test_repeated_edits_lose_the_first_place_in_line() -> None:
    stage = channel_config(seconds=4)
    stage.queue.ask(asked_again(ALICE, 1))
    await asyncio.sleep(0.1)
    stage.say(2, BOB)
    for number in range(12):
        stage.queue.edit(1, f"words {number}")
        await asyncio.sleep(1.0)
    await stage.queue.finished()

    assert [owner for owner, *_ in stage.began][:5] == [ALICE, ALICE, BOB, ALICE, ALICE]


@timeless
async def test_channel_is_shared_fairly_despite_many_button_presses() -> None:
    stage = channel_config(seconds=4)
    stage.queue.limits = QueueLimits(1.0, 5.0, 8)
    for number in range(1, 7):
        stage.queue.ask(asked_again(EVE, number))
    await asyncio.sleep(1.0)
    stage.say(11, ALICE)
    stage.say(12, BOB)
    await asyncio.sleep(8.0)
    stage.queue.ask(asked_again(ALICE, 13))
    await stage.queue.finished()

    assert [owner for owner, *_ in stage.began] == [EVE, ALICE, BOB, EVE, ALICE, EVE, EVE, EVE, EVE]


@timeless
async def test_deferred_question_does_not_block_others() -> None:
    stage = channel_config(seconds=2)
    answer, refused = stage.run, list[int]()

    async def run(question: Question, stop: Stop) -> None:
        if question.owner == ALICE and now() - stage.start < 2.5:
            refused.append(question.owner)
            raise Deferred(1.0)
        await answer(question, stop)

    stage.queue.run = run
    stage.queue.slots = TurnSlots(SlotLimits(person=1, per_minute=2))
    stage.say(1)
    await asyncio.sleep(0.1)
    stage.say(2, BOB)
    await stage.queue.finished()

    assert refused
    assert [owner for owner, _, _ in stage.began] == [BOB, ALICE]
    assert stage.queue.slots.running == 0


# --- Several personas -------------------------------------------------------------------------------


def call(config: ChannelConfig, id_: int, *personas: str, author: int = ALICE) -> list[QueueResult]:
    """Say one message that calls these personas."""
    message = ChatMessage(id_, author, "x", "hi", channel=7)
    return [
        config.queue.receive(message, called=True, persona=persona, is_shared=number > 0)
        for number, persona in enumerate(personas)
    ]


def asked(config: ChannelConfig) -> list[tuple[str, list[int]]]:
    """Return who was asked what."""
    return [(one.persona, [message.id for message in one.messages]) for one in config.asks]


@timeless
async def test_each_persona_that_a_message_calls_answers_in_order() -> None:
    config = channel_config()
    assert call(config, 1, "Orbit", "") == [QueueResult.QUEUED] * 2
    await config.queue.finished()
    assert asked(config) == [("Orbit", [1]), ("", [1])]


@timeless
async def test_message_to_another_persona_does_not_interrupt() -> None:
    config = channel_config()
    call(config, 1, "Orbit")
    await asyncio.sleep(5)
    assert call(config, 2, "Nova") == [QueueResult.QUEUED]
    await config.queue.finished()
    assert (asked(config), config.ended) == ([("Orbit", [1]), ("Nova", [2])], [None, None])


@timeless
async def test_quick_further_message_belongs_to_all_personas_that_were_called() -> None:
    config = channel_config()
    call(config, 1, "Orbit", "Nova")
    await asyncio.sleep(0.5)
    assert config.say(2, called=False) is QueueResult.JOINED
    assert config.say(3, author=BOB, called=False) is QueueResult.IGNORED
    await config.queue.finished()
    assert asked(config)[-2:] == [("Orbit", [1, 2]), ("Nova", [1, 2])]


@timeless
async def test_edit_reaches_each_question_with_the_message() -> None:
    config = channel_config()
    call(config, 1, "Orbit", "Nova")
    await asyncio.sleep(5)
    assert config.queue.edit(1, "changed")
    await config.queue.finished()
    texts = [(one.persona, one.messages[0].text) for one in config.asks]
    assert texts[0] == ("Orbit", "hi")
    assert sorted(texts[1:]) == [("Nova", "changed"), ("Orbit", "changed")]


@timeless
async def test_deletion_withdraws_each_question_with_the_message() -> None:
    config = channel_config()
    call(config, 1, "Orbit", "Nova")
    await asyncio.sleep(5)
    assert config.queue.delete(1)
    await config.queue.finished()
    assert asked(config) == [("Orbit", [1])]
