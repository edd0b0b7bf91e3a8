from __future__ import annotations

from streamcord_bot.config import ContextConfig
from streamcord_bot.messages.chat_message import ChatMessage
from streamcord_bot.prompt.context_window import MAX_RAW_MESSAGES, WindowStarts, count_turns, span_of
from streamcord_bot.prompt.prompt_builder import message_cost

BUDGET = ContextConfig(messages=4, tokens=10_000)


def said(id_: int, text: str = "hi") -> ChatMessage:
    return ChatMessage(id_, 1, "alice", text)


def own(id_: int, text: str = "Hello.") -> ChatMessage:
    return ChatMessage(id_, 9, "Luna", text, own=True)


def ids(messages: list[ChatMessage]) -> list[int]:
    return [message.id for message in messages]


def test_the_front_stays_until_the_window_is_half_again_too_large() -> None:
    starts = WindowStarts()
    channel = [said(id_) for id_ in range(1, 30)]
    firsts = [
        ids(starts.choose(7, channel[:count], [count], BUDGET, message_cost))[0] for count in range(4, 14)
    ]

    assert firsts == [1, 1, 1, 4, 4, 4, 7, 7, 7, 10]


def test_window_start_is_per_channel_and_replaced_when_deleted() -> None:
    starts = WindowStarts()
    channel = [said(id_) for id_ in range(1, 7)]
    starts.choose(1, channel[:4], [], BUDGET, message_cost)

    assert ids(starts.choose(2, channel, [], BUDGET, message_cost)) == [3, 4, 5, 6]
    assert ids(starts.choose(1, channel, [], BUDGET, message_cost)) == [1, 2, 3, 4, 5, 6]
    assert ids(starts.choose(1, channel[1:], [], BUDGET, message_cost)) == [3, 4, 5, 6]


def test_bubbles_of_one_answer_are_one_message_of_the_budget() -> None:
    channel = [said(1), own(2), own(3), own(4), said(5), own(6), own(7), said(8)]

    assert count_turns(channel) == 5
    assert ids(WindowStarts().choose(1, channel, [8], BUDGET, message_cost)) == [2, 3, 4, 5, 6, 7, 8]


def test_tokens_and_bubbles_are_bounded_and_the_question_is_always_there() -> None:
    long = [said(1), *(said(id_, "word " * 200) for id_ in range(2, 9))]
    budget = ContextConfig(messages=40, tokens=600)
    flood = [own(id_) for id_ in range(1, 200)]

    assert ids(WindowStarts().choose(1, long, [1], budget, message_cost)) == [1, 7, 8]
    assert len(WindowStarts().choose(1, flood, [], BUDGET, message_cost)) == MAX_RAW_MESSAGES
    assert WindowStarts().choose(1, [], [], BUDGET, message_cost) == []
    assert span_of(BUDGET) == 12
