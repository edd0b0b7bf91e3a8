"""Custom emoji stand alone, so that Discord shows them large, unless they belong to a sentence or a list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .graphemes import is_boundary
from .lines import Line, read_line

if TYPE_CHECKING:
    from .places import Whole

__all__ = ["EMOJI", "emoji_cuts", "is_emoji_run"]

EMOJI = re.compile(r"<a?:(\w{1,64}):\d{1,24}>")
_RUN = re.compile(r"(?:<a?:\w{1,64}:\d{1,24}>\s{0,64})+")
_NOT_NAME = re.compile(r"[^a-z0-9]")
_SENTENCE_END = frozenset(".!?。！？…")


def is_emoji_run(text: str) -> bool:
    """Whether a text is custom emoji and nothing else."""
    return bool(_RUN.fullmatch(text.strip()))


def emoji_cuts(text: str, prefix_length: int, whole: Whole) -> list[int]:
    """Where to cut so that each run of kindred emoji stands alone."""
    cuts: list[int] = []
    family = ""
    for found in EMOJI.finditer(text):
        start, end = found.start(), _behind(text, found.end())
        joined = not (is_boundary(text, start) and is_boundary(text, end))
        if joined or not whole.free(start) or not _stands_alone(text, start, found.end()):
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


def _stands_alone(text: str, start: int, end: int) -> bool:
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    kind, _ = read_line(text, first, final=True) or (Line.PROSE, first)
    if kind not in (Line.PROSE, Line.BLANK):
        return False
    before = EMOJI.sub("", text[first:start]).strip()
    behind = EMOJI.sub("", text[end : last if last >= 0 else len(text)]).strip()
    return not (before and behind and before[-1] not in _SENTENCE_END)


def _behind(text: str, end: int) -> int:
    while end < len(text) and text[end].isspace():
        end += 1
    return end
