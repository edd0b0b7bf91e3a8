"""Texts to try the core on: seeded documents that look like answers, and strategies that do not.

`document(seed)` is the same text on every machine and every Python, so a seed is enough to report a fault.
The strategies aim lower: marker pieces thrown together shrink to the smallest text that breaks an invariant.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from document_parts import BLOCKS, paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST, MOST = 500, 9000


def document(seed: int) -> str:
    """A realistic answer of 500 to 9000 characters; the same for the same seed."""
    random = Random(f"document {seed}")
    target = random.choice((600, 900, 1500, 2500, 4000, 6000, 8000))
    names, weights = zip(*((block, weight) for block, weight in BLOCKS), strict=True)
    blocks: list[str] = []
    length = 0
    while length < target:
        block = random.choices(names, weights)[0](random)
        if length + len(block) > MOST - 700:
            break
        blocks.append(block)
        length += len(block) + 2
    while length < LEAST:
        blocks.append(paragraph(random))
        length += len(blocks[-1]) + 2
    separators = [random.choice(("\n\n", "\n\n", "\n\n", "\n", "\n\n\n")) for _ in blocks]
    separators[-1] = random.choice(("", "", "\n", "\n\n"))
    return "".join(block + gap for block, gap in zip(blocks, separators, strict=True))


def documents(first: int, count: int) -> list[tuple[str, str]]:
    """Documents with their names, for reports."""
    return [(f"document {seed}", document(seed)) for seed in range(first, first + count)]


# --- Hypothesis: adjacency that no author would write --------------------------------------------------

MARKERS = (
    "*", "**", "***", "_", "__", "~~", "||", " || ", "`", "``", "```", "````", "~~~",
    "(", ")", "[", "]", "](", "](https://a.b/c)", "<", ">", "\"", "'", "“", "”", "「", "」", "«", "»",
    "\\", "\\*", "|", "| a | b |\n|---|---|\n", "| 1 | 2 |\n", "> ", ">>> ", "# ", "-# ", "- ",
    "* ", "1. ", "2) ",
    "• ",
    "https://a.b/c", "https://e.x/Foo_(bar)", "http:", "<https://x.y>", "<:smile:12345678901>",
    "<a:dance:98765432101>",
    "<@123456789>", "<#42424242>", "<t:1700000000:R>", "<think>", "</think>", "<details>", "</details>",
    "<br>",
    "```py\n", "\n```\n", "\n```", ":(", ":)", "12\"", "...", "…", ".", ",", "!", "?", ":", ";", "。", "！",
    "、", "-", "=", "\\(", "\\)", "\\[", "\\]", "$", "$$", "\\begin{a}", "\\end{a}", "$x_1$", "\\[x^2\\]",
    "\\frac{1}{2}",
)  # fmt: skip
WORDS = (
    "a", "I", "x1", "word", "Hello", "Dr", "e.g.", "3.14", "No", "END", "日本", "です", "ไทย", "مرحبا", "é",
    "👍🏽",
    "👨‍👩‍👧", "🇩🇪", "snake_case", "it's", "İ", "end.", "So.", "ok!",
)  # fmt: skip
GAPS = (
    " ", " ", " ", "\n", "\n", "\n", "\n\n", "\n\n\n", "  ", "\t", "\n    ", " \n", "\r\n",
    "\u200b", "\u00a0",
)  # fmt: skip


# Few draws make fast examples: markers count double, and some pieces are long enough to end a hold.
FILLERS = tuple(f"{word} " * count for word in WORDS for count in (2, 9, 33))
RUNS = tuple(mark * count for mark in '`*_|(<"\n.x ' for count in (2, 3, 5, 33, 70))
PIECES = MARKERS * 2 + WORDS * 2 + GAPS * 4 + FILLERS + RUNS


def _pieces() -> st.SearchStrategy[str]:
    return st.sampled_from(PIECES)


def _mixed(pieces: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    """Short and long lists of pieces alike: left alone, Hypothesis hardly makes a long one."""
    short, long = st.lists(pieces, max_size=8), st.lists(pieces, min_size=most // 3, max_size=most)
    return st.one_of(short, long).map("".join)


def marked_text() -> st.SearchStrategy[str]:
    """Marker pieces, words and gaps thrown together."""
    return _mixed(_pieces(), 40)


def long_marked_text() -> st.SearchStrategy[str]:
    """The same, stretched past holds, overflow windows and whole messages by long runs of plain prose."""
    units = ("plain words ", "x", "One two three. ", "line of text\n", "- item\n", "文字。")
    stretches = tuple(unit * (size // len(unit)) for unit in units for size in (300, 700, 1300, 2100))
    return _mixed(st.one_of(_pieces(), _pieces(), _pieces(), st.sampled_from(stretches)), 24)


def any_text() -> st.SearchStrategy[str]:
    """All code points: lone surrogates, NUL, controls, direction marks, joiners, and pieces of Markdown."""
    odd = st.sampled_from(
        ("\ud800", "\udfff", "\x00", "\x1b[0m", "\x7f", "\u200d", "\u202e", "\u2028", "\u2029", "\u0085",
        "\r", "\x0b",
         "\ufeff", "\u0301", "\u0e33", "\u094d", "\ufe0f", "\U000e0001", "\U0001f1e6", "\u1100\u1161\u11a8")
    )  # fmt: skip
    loose = st.text(st.characters(codec=None), max_size=12)
    return _mixed(st.one_of(loose, odd, _pieces()), 24)


def tagged_text() -> st.SearchStrategy[str]:
    """Thoughts and details: whole, nested, half, in and around code."""
    tags = (
        "<think>", "</think>", "<THINK>", "<ns:think>", "</ns:think>", "<think x='1'>", "<thinker>",
        "<details>", "</details>",
        "<details open>", "<summary>", "</summary>", "< think>", "<think", "</", "`", "``", "```",
        "\n```\n", "\n", " ", "  ",
        "a", "b c", ".", "<", ">",
    )  # fmt: skip
    return _mixed(st.sampled_from(tags), 24)


def slicing(text: str) -> st.SearchStrategy[list[str]]:
    """Any way to cut a text into the pieces of a stream, empty pieces included."""
    cuts = st.lists(st.integers(0, len(text)), max_size=12).map(sorted)
    return cuts.map(lambda places: cut_at(text, places))


def cut_at(text: str, places: Sequence[int]) -> list[str]:
    """The pieces of a text between ordered places."""
    edges = [0, *places, len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


def random_slices(text: str, random: Random, largest: int = 12) -> list[str]:
    """Pieces of random length, as a provider might send them."""
    places: list[int] = []
    place = 0
    while place < len(text):
        place += random.randint(1, largest)
        places.append(min(place, len(text)))
    return cut_at(text, places)
