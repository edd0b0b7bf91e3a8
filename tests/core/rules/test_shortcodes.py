"""Shortcodes and tags against the list of a server."""

from __future__ import annotations

import pytest

from streamcord._core.passage import Edit, Passage
from streamcord._core.reading import Reading
from streamcord._core.rules.shortcodes import EmojiBook, drop_all_emoji, resolve_shortcodes
from streamcord._settings import Emoji, Settings

BOOK = EmojiBook(
    [Emoji("smile", 11), Emoji("Wave", 22, animated=True), Emoji("SMILE", 33), Emoji("smile", 44)]
)


def change(text: str, edits: list[Edit]) -> str:
    return Passage.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":smile:", "<:smile:11>"),
        (":SMILE:", "<:SMILE:33>"),
        (":Smile:", "<:smile:11>"),
        ("a :wave: b", "a <a:Wave:22> b"),
        ("<:smile:11>", "<:smile:11>"),
        ("<:smile:44>", "<:smile:44>"),
        ("<:grin:22>", "<a:Wave:22>"),
        ("<:wave:99>", "<a:Wave:22>"),
        ("<:wave:>", "<a:Wave:22>"),
        ("a :nope: :smile: b", "a <:smile:11> b"),
        ("a <:nope:9> b", "a b"),
        ("it is :30: now", "it is :30: now"),
        ("[[:alpha:]] [:smile:]", "[[:alpha:]] [<:smile:11>]"),
        ("`:smile:` https://a.b/:smile:", "`:smile:` https://a.b/:smile:"),
    ],
)
def test_known_emoji_become_tags_and_unknown_ones_go(text: str, expected: str) -> None:
    assert change(text, resolve_shortcodes(Reading(text, Settings()), BOOK, preserve=False)) == expected


def test_unknown_ones_stay_if_told_so() -> None:
    text = ":nope: <:nope:9> :smile:"
    edits = resolve_shortcodes(Reading(text, Settings()), BOOK, preserve=True)
    assert change(text, edits) == ":nope: <:nope:9> <:smile:11>"


def test_an_empty_list_is_no_list() -> None:
    assert not EmojiBook([])
    assert BOOK


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no emoji", "no emoji"),
        ("Hi 😀 you", "Hi you"),
        ("a 👨‍👩‍👧 👍🏽 🇩🇪 ❤️ ☕ b", "a b"),
        ("1️⃣ one", "one"),
        ("a :smile: <a:x:1> :30: 12:30:45", "a :30: 12:30:45"),
        ("© ® ™ ✓ → 5", "© ® ™ ✓ → 5"),
        ("`😀` 😀", "`😀`"),
    ],
)
def test_all_emoji_go_when_they_are_off(text: str, expected: str) -> None:
    assert change(text, drop_all_emoji(Reading(text, Settings()))) == expected
