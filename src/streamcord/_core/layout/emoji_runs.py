"""Custom emoji stand alone, so that Discord shows them large, unless they belong to a sentence or a list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..markup.graphemes import is_boundary
from ..markup.line_kinds import Line, read_line
from ..markup.sentence_marks import ELLIPSES, PLAIN_ENDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..markup.places import Whole

__all__ = ["EMOJI", "emoji_cuts", "is_emoji_run"]

EMOJI = re.compile(r"<a?:(\w{1,64}):\d{1,24}>")
_RUN = re.compile(r"(?:<a?:\w{1,64}:\d{1,24}>\s{0,64})+")
_NOT_NAME = re.compile(r"[^a-z0-9]")
_MARKS = re.compile(r"[.!?…。！？]{0,16}")
_TIED = frozenset("'’,;:，、；：-")  # what touches an emoji so belongs to it, and more follows
_SENTENCE_END = PLAIN_ENDS | ELLIPSES


def is_emoji_run(text: str) -> bool:
    """Whether a text is custom emoji and nothing else."""
    return bool(_RUN.fullmatch(text.strip()))


def emoji_cuts(text: str, prefix_length: int, whole: Whole) -> list[int]:
    """Where to cut so that each run of kindred emoji stands alone."""
    cuts: list[int] = []
    family = ""
    for found in _find_alone(text):
        if text[found.end() : found.end() + 1] in _TIED:
            continue  # `:cry:'s fault`
        start, end = found.start(), _behind(text, _MARKS.match(text, found.end()).end())  # type: ignore[union-attr]
        joined = not (is_boundary(text, start) and is_boundary(text, end))
        if joined or not whole.free(start):
            continue
        name = _NOT_NAME.sub("", found[1].lower())[:prefix_length]
        if cuts and cuts[-1] == start:
            if name == family:
                cuts.pop()
        else:
            cuts.append(start)
        cuts.append(end)
        family = name
    return [cut for cut in cuts if 0 < cut < len(text.rstrip())]


def _find_alone(text: str) -> Iterator[re.Match[str]]:
    """Emoji with no words before or behind them on their line, or none but a finished sentence before."""
    found = list(EMOJI.finditer(text))
    words_behind = _have_words_behind(text, found)
    at, line, last = 0, 0, ""
    for emoji, behind in zip(found, words_behind, strict=True):
        newline = text.rfind("\n", at, emoji.start()) + 1
        if newline:
            at = line = newline
            last = ""
        last = text[at : emoji.start()].rstrip()[-1:] or last
        at = emoji.end()
        kind, _ = read_line(text, line, final=True) or (Line.PROSE, line)
        if kind in (Line.PROSE, Line.BLANK) and not (last and behind and last not in _SENTENCE_END):
            yield emoji


def _have_words_behind(text: str, found: list[re.Match[str]]) -> list[bool]:
    """For each emoji whether words follow on its line."""
    words: list[bool] = []
    until, follows = len(text), False
    for emoji in reversed(found):
        between, newline, _ = text[emoji.end() : until].partition("\n")
        follows = bool(between.strip()) or (follows and not newline)
        words.append(follows)
        until = emoji.start()
    return words[::-1]


def _behind(text: str, end: int) -> int:
    while end < len(text) and text[end].isspace():
        end += 1
    return end
