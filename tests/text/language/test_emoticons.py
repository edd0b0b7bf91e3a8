"""Faces are known by their build, in every position and slicing; words and operators are none."""

from __future__ import annotations

import re
from random import Random
from time import process_time

import pytest

from emoticon_samples import EMOTICONS
from streamcord._text.language.emoticons import (
    LOOKAHEAD_CHARS,
    _find_near,
    decoration_end,
    emoticon_around,
    emoticon_end,
    find_emoticons,
    is_between_eyes,
    laughter_end,
)
from streamcord._text.tokens import NEED_MORE, NOT_FOUND

WORDS = [
    "Hello (world) there.", "(A → B)", "x = (1, 2)", "(東京・大阪・京都)", "foo_bar_baz", "_it_ is",
    "*_Well._* ok", "_Hello!_.", "http://x.y", "12:30", "(see list:)", "(x^2)", "version 2.x.x",
    "0.0", "C:\\dir", "D: Paris", "std::vector", "key:value", ":smile:", "3:0", "a -> b", "=> x",
    "x >= y; y <= z;", "'a'-'b'", "1-1", "i.e. this", "p.s. hi", "- item", "a || b", "(||secret||)",
    "(5°)", "(❤)", "It's 5' tall", "--flag=x", "x==y", "foo(x)->bar", "(ok)", "U.S.", "«x»-«y»",
    "...", "wow!!!", "?!?", "$5 $6", "100% & 50%", "(… …)", "(“a” “b”)",
    "(это мама)", "(см. ниже)", "(όπως πάντα)", "(שלום אמא)", "(مرحبا بابا)", "(नमस्ते जी)", "(тут ||мама)",
]  # fmt: skip


@pytest.mark.parametrize("emoticon", EMOTICONS)
def test_emoticon_ends_after_its_last_sign(emoticon: str) -> None:
    assert emoticon_end(emoticon, 0, final=True) == len(emoticon)
    for before, after in (("Hi ", " you"), ("", "\n"), ("好", " "), ("Hi. ", ".")):
        text = before + emoticon + after
        assert any(start <= len(before) < end for start, end in find_emoticons(text)), text


@pytest.mark.parametrize("text", WORDS)
def test_words_and_operators_are_no_emoticons(text: str) -> None:
    assert find_emoticons(text) == []
    assert all(emoticon_end(text, at, final=True) == NOT_FOUND for at in range(len(text)))


def test_sign_inside_emoticon_is_recognized() -> None:
    text = "Hi (づ｡◕‿‿◕｡)づ come here"
    assert [at for at in range(len(text)) if emoticon_around(text, at, final=True)] == [*range(3, 12)]
    assert emoticon_around("One. Two", 3) == NOT_FOUND
    assert emoticon_around("One.", 3) == NEED_MORE
    assert emoticon_around("o.o", 1, final=True) == 3
    assert emoticon_around("a\n^_^", 3, final=True) == 5
    assert emoticon_around("a #b and more", 2) == NOT_FOUND


@pytest.mark.parametrize(
    "emoticon", [emoticon for emoticon in EMOTICONS if re.search("[^ (]_[^ )]", emoticon)]
)
def test_mouth_of_emoticon_is_no_emphasis(emoticon: str) -> None:
    for mouth in re.finditer("_+", emoticon):
        start, end = mouth.span()
        sides = emoticon[start - 1 : start] + emoticon[end : end + 1]
        assert sides.isalnum() or is_between_eyes(emoticon + " ", start, end) == end


def test_underscores_between_other_things_are_emphasis() -> None:
    for text, at in (
        ("_a_", 0),
        ("a _b_ c", 2),
        ("*_Well._* ok", 7),
        ("_Hello!_.", 7),
        ("-_other", 1),
        ("-_o_", 1),
    ):
        assert is_between_eyes(text, at, at + 1) == NOT_FOUND, text
    assert is_between_eyes("-_o", 1, 2) == NEED_MORE


def test_what_is_known_early_stays_true() -> None:
    random = Random(7)
    pieces = [*EMOTICONS, "Hello ", "and. ", "(ok) ", "! ", "x", "\n", " ", "that "]
    for _ in range(1500):
        text = "".join(random.choice(pieces) + random.choice(("", " ", " ")) for _ in range(4))
        at = random.randrange(len(text))
        for judge in (emoticon_end, emoticon_around):
            answers = [judge(text[:size], at) for size in range(at + 1, len(text) + 1)]
            answers += [judge(text + " " * LOOKAHEAD_CHARS, at)]
            known = [answer for answer in answers if answer != NEED_MORE]
            assert len(set(known)) == 1, (text, at, judge)


def test_nothing_has_begun_behind_the_end() -> None:
    assert emoticon_end("abc", 3) == NEED_MORE
    assert emoticon_end("abc", 3, final=True) == NOT_FOUND
    assert emoticon_end("Hello", 0) == NOT_FOUND


@pytest.mark.parametrize("unit", ["(", "^_", "o(^", "(･", ":", "-_", "☆", "(^_^)", "(´"])
def test_a_flood_of_signs_is_read_in_linear_time(unit: str) -> None:
    def cost(size: int) -> float:
        text = (unit * size)[:size]
        start = process_time()
        find_emoticons(text)
        return process_time() - start

    cost(1000)
    assert min(cost(40_000) for _ in range(3)) < 16 * max(min(cost(10_000) for _ in range(3)), 0.002)


def test_a_text_that_repeats_itself_is_looked_at_once() -> None:
    text = "||)" * 1000
    _find_near.cache_clear()
    for at in range(0, len(text), 3):
        emoticon_around(text, at, final=True)

    assert _find_near.cache_info().misses < LOOKAHEAD_CHARS


def test_what_stands_before_a_stretch_counts() -> None:
    """A face may not begin behind a letter, also where only the letter is too far away to be in it."""
    for before in ("x", " "):
        text = before * 2 + "o_o" + " " * (LOOKAHEAD_CHARS - 4) + "(|)"
        assert emoticon_around(text, 3, final=True) == (NOT_FOUND if before == "x" else 5)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("kkkk Tudo", 4), ("haha", 4), ("lol\nso", 3), ("笑 うそ", 1), ("ахаха Как", 5), ("ههههه كيف", 5),
        ("haha so it is", NOT_FOUND), ("hello", NOT_FOUND), ("lol.", NOT_FOUND), ("笑う", NOT_FOUND),
        ("k" * 40, NOT_FOUND),
        ("哈哈 真的", 2), ("ahahah Gül", 6), ("חחח כן", 3), ("hhhh Y", 4), ("and so", NOT_FOUND), ("a", NOT_FOUND),
    ],
)  # fmt: skip
def test_words_laugh_before_a_sentence_or_nothing(text: str, end: int) -> None:
    assert laughter_end(text, 0, final=True) == end


def test_a_laugh_is_waited_for_and_no_longer() -> None:
    assert laughter_end("a", 0, final=False) == NEED_MORE
    assert laughter_end("an", 0, final=False) == NOT_FOUND
    assert laughter_end("kkk", 0, final=False) == NEED_MORE
    assert laughter_end("kkk ", 0, final=False) == NEED_MORE
    assert laughter_end("kkk T", 0, final=False) == 3
    assert laughter_end("k" * LOOKAHEAD_CHARS, 0, final=False) == NOT_FOUND
    assert laughter_end("a", 0, final=False) == NEED_MORE
    assert laughter_end("and", 0, final=False) == NOT_FOUND
    assert laughter_end("ahahah", 0, final=True) == 6


@pytest.mark.parametrize(
    ("marked", "end"),
    [
        ("Hi! |)) So", 2),
        ("(Hi! |) So", NOT_FOUND),
        ("Hi! |~ So", 1),
        ("すごい！|（笑）次", 3),
        ("Hi! |D: So", 2),
        ("C: one |D: two", NOT_FOUND),
        ("Hi! |ww", 2),
        ("Hi! |wow", NOT_FOUND),
        ("真的？！|2333 不信", 4),
        ("真的？！|2333不信", NOT_FOUND),
        ("原谅我！|TAT 谢谢", 3),
        ("Done. |TAT is", NOT_FOUND),
    ],
)
def test_decoration_end_is_found(marked: str, end: int) -> None:
    at = marked.index("|")
    found = decoration_end(marked.replace("|", ""), at, final=True)
    assert found == (at + end if end > 0 else end)


def test_what_is_drawn_is_waited_for_while_it_may_come() -> None:
    assert decoration_end("Hi! w", 4, final=False) == NEED_MORE
    assert decoration_end("Hi! w", 4, final=True) == NOT_FOUND
    assert decoration_end("Hi! ww", 4, final=False) == NEED_MORE
    assert decoration_end("好！TA", 2, final=False) == NEED_MORE
    assert decoration_end("Hi! T", 4, final=False) == NOT_FOUND
