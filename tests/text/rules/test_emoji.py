"""What counts as a custom emoji, which become tags, and which go."""

from __future__ import annotations

import pytest

from streamcord._settings import Emoji, Settings
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.emoji import (
    EmojiIndex,
    drop_all_emoji,
    drop_repeats,
    find_emoji,
    names_used,
    resolve_shortcodes,
)
from streamcord._text.traced_text import Edit, TracedText


def change(text: str, edits: list[Edit]) -> str:
    return TracedText.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (":smile:", ["smile"]),
        ("(:smile:) :A_1:!", ["smile", "A_1"]),
        (":smile::wave:", ["smile", "wave"]),
        ("<:smile:12> <a:wave:34> <:odd:>", ["smile", "wave", "odd"]),
        ("12:30:45 key:value:other std::vector::x fe80:abcd:1 a:b:c Foo::Bar::Baz ::x1::", []),
        (":y: :smile:2 2:smile: : smile : :smi le:", []),
        ("文字:smile:文字", ["smile"]),
        (":+1: :-1: :x:", ["+1", "-1", "x"]),
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
    assert change(text, drop_repeats(ParsedText(text, Settings()), frozenset({"smile"}))) == expected


BOOK = EmojiIndex(
    [Emoji("smile", 11), Emoji("Wave", 22, animated=True), Emoji("SMILE", 33), Emoji("smile", 44)]
)


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
        ("そうだね:smile:", "そうだね<:smile:11>"),
        ("参数:name:值 :name: x", "参数:name:值 x"),
        ("a:name:值", "a:name:值"),
        (":pizza: :flag_de: :+1: :100:", "🍕 🇩🇪 👍 💯"),
        ("a (:nope:) b [:nope: <:nope:9>] **:nope:** c", "a b c"),
        ("a (:nope: x) (:nope:] [<:nope:9>](https://a.b)", "a ( x) (] [](https://a.b)"),
        ("<:pizza:9> x", "x"),
        ("[[:alpha:]] [:smile:]", "[[:alpha:]] [<:smile:11>]"),
        ("so [:nobody_has_it:] it is", "so it is"),
        ("`:smile:` https://a.b/:smile:", "`:smile:` https://a.b/:smile:"),
    ],
)
def test_known_emoji_become_tags_and_unknown_ones_go(text: str, expected: str) -> None:
    assert change(text, resolve_shortcodes(ParsedText(text, Settings()), BOOK, preserve=False)) == expected


def test_unknown_ones_stay_if_told_so() -> None:
    text = ":nope: <:nope:9> :smile:"
    edits = resolve_shortcodes(ParsedText(text, Settings()), BOOK, preserve=True)
    assert change(text, edits) == ":nope: <:nope:9> <:smile:11>"


def test_an_empty_list_is_no_list() -> None:
    assert not EmojiIndex([])
    assert BOOK


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no emoji", "no emoji"),
        ("Hi 😀 you", "Hi you"),
        ("a 👨‍👩‍👧 👍🏽 🇩🇪 ❤️ ☕ b", "a b"),
        ("1️⃣ one", "one"),
        ("Nice (😊) day", "Nice day"),
        ("Nice （😊 😊）day *😊*", "Nice day"),
        ("a :smile: <a:x:1> :30: 12:30:45", "a :30: 12:30:45"),
        ("© ® ™ ✓ → 5", "© ® ™ ✓ → 5"),
        ("`😀` 😀", "`😀`"),
    ],
)
def test_all_emoji_go_when_they_are_off(text: str, expected: str) -> None:
    assert change(text, drop_all_emoji(ParsedText(text, Settings()))) == expected
