"""Should I answer this? A table."""

from __future__ import annotations

from typing import Any

import pytest

from streamcord._bot.config.sections import AnswerConfig
from streamcord._bot.conversation.remark import File, Remark
from streamcord._bot.conversation.should_answer import Reason, find_reason, has_trigger

USUAL = AnswerConfig(words=("luna",), channels=(7,))
DEAF = AnswerConfig(mentions=False, replies=False, direct_messages=False)


def remark(text: str = "hello", **more: Any) -> Remark:
    return Remark(1, 2, "alice", text, **more)


@pytest.mark.parametrize(
    ("said", "config", "reason"),
    [
        (remark(), USUAL, None),
        (remark(mentions_us=True), USUAL, Reason.MENTION),
        (remark(replies_to_us=True), USUAL, Reason.REPLY),
        (remark(dm=True), USUAL, Reason.DM),
        (remark(channel=7), USUAL, Reason.CHANNEL),
        (remark("hey Luna!"), USUAL, Reason.TRIGGER),
        (remark("lunar eclipse"), USUAL, None),
        (remark("hey Luna!", dm=True, mentions_us=True), USUAL, Reason.DM),
        (remark(mentions_us=True, replies_to_us=True, dm=True), DEAF, None),
        (remark("", mentions_us=True), USUAL, None),
        (remark(" ", mentions_us=True), USUAL, None),
        (remark("", dm=True, files=(File("a.txt"),)), USUAL, Reason.DM),
        (remark(mentions_us=True, own=True), USUAL, None),
        (remark("luna", own=True, channel=7, dm=True), USUAL, None),
        (remark("luna", bot=True, channel=7), USUAL, None),
        (remark(bot=True, mentions_us=True), USUAL, Reason.MENTION),
        (remark(bot=True, replies_to_us=True), USUAL, Reason.REPLY),
        (remark(bot=True, dm=True), USUAL, None),
    ],
)
def test_a_message_is_answered_for_this_reason(
    said: Remark, config: AnswerConfig, reason: Reason | None
) -> None:
    assert find_reason(said, config) is reason


@pytest.mark.parametrize(
    ("rounds", "cap", "answered"), [(0, 3, True), (2, 3, True), (3, 3, False), (0, 0, False)]
)
def test_machines_are_answered_so_often_in_a_row(rounds: int, cap: int, answered: bool) -> None:
    said = remark(bot=True, mentions_us=True)

    assert (find_reason(said, AnswerConfig(bot_rounds=cap), rounds) is not None) is answered


def test_people_are_answered_however_often_machines_were() -> None:
    assert find_reason(remark(mentions_us=True), AnswerConfig(bot_rounds=0), 99) is Reason.MENTION


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
