"""What counts as a custom emoji, and which repeats go."""

from __future__ import annotations

import pytest

from streamcord._core.passage import Edit, Passage
from streamcord._core.reading import Reading
from streamcord._core.rules.emoji_repeats import drop_repeats, find_emoji, names_used
from streamcord._settings import Settings


def change(text: str, edits: list[Edit]) -> str:
    return Passage.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (":smile:", ["smile"]),
        ("(:smile:) :A_1:!", ["smile", "A_1"]),
        (":smile::wave:", ["smile", "wave"]),
        ("<:smile:12> <a:wave:34> <:odd:>", ["smile", "wave", "odd"]),
        ("12:30:45 key:value:other std::vector::x fe80:abcd:1 a:b:c Foo::Bar::Baz ::x1::", []),
        (":x: :smile:2 2:smile: : smile : :smi le:", []),
        ("文字:smile:文字", []),
    ],
)
def test_a_shortcode_stands_between_characters_of_no_word(text: str, names: list[str]) -> None:
    assert [name for _, _, name, _ in find_emoji(text)] == names


def test_only_the_last_messages_count() -> None:
    messages = ["a :one1: b", "<:Two2:5>", "at 10:30:00"]
    assert names_used(messages, 2) == {"two2"}
    assert names_used(messages, 5) == {"one1", "two2"}
    assert names_used(messages, 0) == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi :smile: you", "Hi you"),
        ("Hi <:SMILE:1>!", "Hi!"),
        ("Hi :wave: you", "Hi :wave: you"),
        (":smile:", ":smile:"),
        (" :smile: , :smile: …", " :smile: , :smile: …"),
        (":smile: 5", "5"),
        ("5 :smile:", "5"),
        ("`:smile:` is code", "`:smile:` is code"),
    ],
)
def test_repeats_go_unless_only_punctuation_would_remain(text: str, expected: str) -> None:
    assert change(text, drop_repeats(Reading(text, Settings()), frozenset({"smile"}))) == expected
