"""Grapheme clusters: against an independent implementation, and within bounds of work."""

from __future__ import annotations

from itertools import accumulate, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyuegc import EGC  # type: ignore[import-untyped]

from streamcord._text.language.graphemes import (
    LOOK_BACK_CHARS,
    display_width,
    grapheme_start,
    is_boundary,
    is_emoji,
)

# One or two of every class of the standard, and those whose class is easily mistaken.
SAMPLES = {
    "other": "a 1.字\u00e9",
    "cr": "\r",
    "lf": "\n",
    "control": "\t\u00ad\u200b\u2028\ufeff",
    "extend": "\u0301\u200c\ufe0f\U0001f3fd\U000e0067\u3099",
    "joiner": "\u200d",
    "spacing": "\u0903\u0e33\u093f",
    "prepend": "\u0600\U000110bd",
    "flag": "\U0001f1e9\U0001f1ea",
    "hangul": "\u1100\u1160\u11a8\uac00\uac01\U00016d63",
    "picture": "\u00a9\u2764\U0001f468\U0001f600",
    "consonant": "\u0915\u0995\u0d15",
    "linker": "\u094d\u0d4d",
    "virama that links nothing": "\u0bcd",
}
ALPHABET = "".join(SAMPLES.values())

CLUSTERS = [
    "\r\n",
    "e\u0301",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\U0001f44d\U0001f3fd",
    "\U0001f1e9\U0001f1ea",
    "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "1\ufe0f\u20e3",
    "\u1112\u1161\u11ab",
    "\ud55c",
    "\u0915\u094d\u0937\u093f",
    "\u0915\u094d\u200d\u0937",
    "\u0e01\u0e33",
    "\u0600\u0661",
    "\u0bb8\u0bcd",
]


def boundaries(text: str) -> set[int]:
    """Every boundary the oracle sees in a text."""
    return set(accumulate((len(cluster) for cluster in EGC(text)), initial=0))


def assert_agrees(text: str) -> None:
    expected = boundaries(text)
    assert {at for at in range(len(text) + 1) if is_boundary(text, at)} == expected, ascii(text)
    starts = [grapheme_start(text, at) for at in range(len(text) + 1)]
    assert starts == [max(b for b in expected if b <= at) for at in range(len(text) + 1)], ascii(text)


@pytest.mark.parametrize("cluster", CLUSTERS, ids=ascii)
def test_a_cluster_is_cut_before_or_behind_but_never_inside(cluster: str) -> None:
    text = f"x{cluster}x"
    assert [grapheme_start(text, at) for at in range(1, len(text))] == [1] * len(cluster) + [len(text) - 1]
    assert_agrees(text)


def test_every_pair_of_classes_agrees_with_the_oracle() -> None:
    for pair in product(ALPHABET, repeat=2):
        assert_agrees("".join(pair))


def test_every_triple_of_classes_agrees_with_the_oracle() -> None:
    for triple in product([chars[0] for chars in SAMPLES.values()], repeat=3):
        assert_agrees("".join(triple))


def test_every_code_point_has_the_class_the_oracle_gives_it() -> None:
    close = [(0, 0x3300), (0xA600, 0xAC02), (0xD780, 0xD800), (0xF900, 0x12000), (0x13400, 0x13500)]
    close += [(0x16A00, 0x17000), (0x1BC00, 0x1BD00), (0x1CF00, 0x20000), (0xE0000, 0xE0200)]
    codes = {code for first, last in close for code in range(first, last)}
    codes.update(range(0, 0x110000, 97))  # the plains between are of one kind
    # Between these neighbours every class shows itself, by where it joins.
    probe = "a{0}a\n\u1100{0}\u11a8\n{0}\u1160\n{0}\u0301\n\u00a9\u200d{0}{0}\n\u0915\u094d{0}\n"
    text = "".join(probe.format(chr(code)) for code in sorted(codes))
    expected = boundaries(text)
    assert [at for at in range(len(text) + 1) if is_boundary(text, at) != (at in expected)] == []


@settings(max_examples=400)
@given(st.text(st.sampled_from(ALPHABET), max_size=24))
@example("\U0001f1e6" * 7)
@example("\u0915\u094d\u0301\u200d\u0937\u094d\u0915")
@example("\u0915\u0301\u0937")
@example("\u0915\u200c\u094d\u0937")
@example("\u094d\u0937")
@example("\U0001f468\u0301\u200d\U0001f468")
@example("a\u0301\u200d\U0001f468")
@example("\u0301\u200d\U0001f468")
def test_texts_of_interesting_characters_agree_with_the_oracle(text: str) -> None:
    assert_agrees(text)


@given(st.text(max_size=40))
def test_any_text_agrees_with_the_oracle(text: str) -> None:
    assert_agrees(text)


def test_an_index_outside_of_the_text_is_brought_back_into_it() -> None:
    assert (grapheme_start("", 0), grapheme_start("", 5), grapheme_start("", -5)) == (0, 0, 0)
    assert (grapheme_start("ab", 9), grapheme_start("ab", -9)) == (2, 0)
    assert is_boundary("ab", 9)
    assert is_boundary("ab", -9)


def test_the_start_found_is_a_boundary_and_finding_it_again_changes_nothing() -> None:
    text = "".join(CLUSTERS) + "\u0301" * 300
    for at in range(len(text) + 1):
        start = grapheme_start(text, at)
        assert grapheme_start(text, start) == start <= at


def test_a_cluster_longer_than_the_look_back_is_cut_where_asked() -> None:
    text = "a" + "\u0301" * 10_000
    assert grapheme_start(text, LOOK_BACK_CHARS) == 0
    assert grapheme_start(text, LOOK_BACK_CHARS + 1) == LOOK_BACK_CHARS + 1
    assert grapheme_start(text, 5_000) == 5_000


def test_flags_that_are_too_many_to_count_are_cut_where_asked() -> None:
    text = "\U0001f1e6" * 1_000
    assert grapheme_start(text, LOOK_BACK_CHARS - 1) == LOOK_BACK_CHARS - 2
    assert grapheme_start(text, 501) == 501


@pytest.mark.parametrize(
    ("first", "middle", "last"),
    [("\U0001f468", "\u0301", "\u200d\U0001f468"), ("\u0915", "\u0301", "\u094d\u0937")],
    ids=["emoji", "conjunct"],
)
def test_a_joined_pair_further_apart_than_the_look_back_is_not_joined(
    first: str, middle: str, last: str
) -> None:
    near, far = first + middle * 100 + last, first + middle * LOOK_BACK_CHARS + last
    assert not is_boundary(near, len(near) - 1)
    assert is_boundary(far, len(far) - 1)


class CountingText(str):
    """A text that counts how often its characters are looked at."""

    __slots__ = ("looks",)
    looks: int

    def __getitem__(self, key: object) -> str:
        self.looks = getattr(self, "looks", 0) + 1
        return super().__getitem__(key)  # type: ignore[index]


@pytest.mark.parametrize(
    "unit",
    [
        "\u0301",
        "\U0001f1e6",
        "\U0001f468\u200d",
        "\U0001f468\u0301\u0301\u200d",
        "\u0915\u094d",
        "\u0915\u0301\u094d",
    ],
    ids=ascii,
)
def test_the_work_is_bounded_whatever_the_length_of_the_text(unit: str) -> None:
    text = CountingText("a" + unit * 20_000)
    grapheme_start(text, len(text) - 1)
    assert text.looks <= 8 * LOOK_BACK_CHARS


def test_a_picture_is_an_emoji_and_no_sign_of_a_text() -> None:
    assert all(map(is_emoji, "😊❤✨🇩⭐"))
    assert not any(map(is_emoji, "a™©字→\ufe0f"))
    assert not is_emoji("")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("plain", 5),
        ("naïve", 5),
        ("日本語", 6),
        ("한국어", 6),
        ("ﾊﾝｶｸ", 4),
        ("e\u0301", 1),
        ("a\u200bb", 2),
        ("👍🏽", 2),
        ("🇯🇵", 2),
        ("👨\u200d👩\u200d👧", 2),
        ("❤\ufe0f", 2),
        ("❤", 1),
        ("\u0001é", 2),
    ],
)
def test_east_asian_letters_and_emoji_take_two_columns(text: str, expected: int) -> None:
    assert display_width(text) == expected
