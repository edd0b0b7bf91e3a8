"""The invariant of Wholeness: what fits one message is not cut, and what must be cut still renders as written."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pyuegc import EGC  # type: ignore[import-untyped]

from conservation import ADDED, Account, Shown
from markdown_oracle import Fence, Reading, Region, read
from streamcord import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

_TICKS = re.compile("`{3,}")
_FENCE_LINE = re.compile("```[^\n`]*")
_LANGUAGE = re.compile(r"([A-Za-z0-9_+\-.#]+)[^\n`]*\n")
_LINE_MARK = re.compile(r"^[ \t]*(?:>{1,3}|#{1,3}|-#|[-*+•]|\d{1,9}[.)])[ \t]", re.MULTILINE)
_QUOTED_FENCE = re.compile(r"^>.*```", re.MULTILINE)
QUOTE_PREFIX = 6


class Wholeness:
    """Checks the messages of one answer against a reading of what the model wrote."""

    def __init__(self, account: Account, limit: int) -> None:
        self.limit, self.account = limit, account
        self.text, self.places = account.visible()
        self.reading: Reading = read(self.text)
        self.back = {place: index for index, place in enumerate(self.places)}
        self.owners = self._find_owners()
        self.fence_at = self._find_fences()
        self.spoilers = [region for region in self.reading.regions if region.kind == "||"]
        self.outside = self._find_marks()
        self.has_quoted_fence = bool(_QUOTED_FENCE.search(self.text))
        self.violations: list[str] = []

    def check(self) -> list[str]:
        if self.limit >= 32:
            for region in self.reading.regions:
                self._check_region(region)
            for fence in self.reading.fences:
                self._check_fence(fence)
            for shown in self.account.shown:
                self._check_rendering(shown)
        self._check_graphemes()
        return self.violations

    def _find_owners(self) -> list[int]:
        """For each visible character, the number of the message that shows it, or -1."""
        owners = [-1] * len(self.text)
        for number, shown in enumerate(self.account.shown):
            edits = (span for edit in shown.message.edits for span in edit.spans)
            for start, end in (*shown.message.spans, *edits):
                for place in range(start, end):
                    if place in self.back:
                        owners[self.back[place]] = number
        return owners

    def _find_marks(self) -> set[int]:
        """Where no words are: delimiters, and a line's marker, which Discord reads before any bars."""
        marks = {place for mark in _LINE_MARK.finditer(self.text) for place in range(*mark.span())}
        return marks | self.reading.delimiters

    def _find_fences(self) -> dict[int, Fence]:
        """The fence around each character of code or of a fence line."""
        return {place: fence for fence in self.reading.fences for place in range(fence.start, fence.end)}

    def _messages_of(self, start: int, end: int) -> set[int]:
        return {
            owner
            for owner, character in zip(self.owners[start:end], self.text[start:end], strict=True)
            if owner >= 0 and not character.isspace()
        }

    # What fits is not cut.

    def _check_region(self, region: Region) -> None:
        messages = self._messages_of(region.start, region.end)
        if len(messages) < 2:
            return
        # A formula that has no Unicode form is shown as code, where an address is no link.
        if region.kind == "url" and all(_is_formula(self.account.shown[one].message) for one in messages):
            return
        needs = region.end - region.start + self._surroundings(region.start, region.end)
        if needs <= self.limit:
            self._report(f"cut {region.kind} of {needs}", region.start, region.end)

    def _surroundings(self, start: int, end: int) -> int:
        """What must be repeated around a part: the delimiters of what it lies in, and a quote's prefix."""
        spans = sum(
            r.width
            for r in self.reading.regions
            if r.start <= start and end <= r.end and r.end - r.start > end - start
        )
        line = self.text.rfind("\n", 0, start) + 1
        quoted = self.text.startswith(">", line) or ">>>" in self.text[:start]
        return spans + (QUOTE_PREFIX if quoted else 0)

    def _check_fence(self, fence: Fence) -> None:
        surroundings = self._surroundings(fence.start, fence.end) + 2 * fence.indent
        body = self.text[slice(*fence.body)]
        growth = 2 * body.count("`") if fence.ticks > 3 else 0
        whole = fence.end - fence.start + growth + surroundings + (0 if fence.closed else 4)
        if len(self._messages_of(fence.start, fence.end)) > 1 and whole <= self.limit:
            self._report(f"cut fence of {whole}", fence.start, fence.end)
        start = fence.body[0]
        for line in body.splitlines(keepends=True):
            needs = len(line.rstrip()) + 8 + len(fence.info) + growth + surroundings
            if len(self._messages_of(start, start + len(line))) > 1 and needs <= self.limit:
                self._report(f"cut code line of {needs}", start, start + len(line))
            start += len(line)

    def _check_graphemes(self) -> None:
        edits = [edit for shown in self.account.shown for edit in shown.message.edits]
        # Where a rule made white space, as of `<br>`, a grapheme ends.
        ended = {edit.spans[-1][1] for edit in edits if edit.spans and edit.after[-1:].isspace()}
        for left, right in pairwise(range(len(self.text))):
            if self.owners[left] == self.owners[right] or -1 in (self.owners[left], self.owners[right]):
                continue
            if self.text[left] < "\u0300" and self.text[right] < "\u0300":
                continue
            apart = self.places[right] - self.places[left] > 1 or self.places[right] in ended
            if self.text[left].isspace() or apart:
                continue
            self._check_grapheme_at(right)

    def _check_grapheme_at(self, place: int) -> None:
        start = place - 1
        while start > 0 and place - start < 400 and not ("\n" < self.text[start - 1] < "\x7f"):
            start -= 1
        cluster_start = max(start - 1, 0)
        for cluster in EGC(self.text[cluster_start : place + 200]):
            cluster_end = cluster_start + len(cluster)
            if (
                cluster_start < place < cluster_end
                and len(cluster) <= self.limit - 40
                and not cluster[0].isspace()
            ):
                self._report("cut grapheme", cluster_start, cluster_end)
            cluster_start = cluster_end

    # What is cut renders as written.

    def _check_rendering(self, shown: Shown) -> None:
        if not self.reading.certain:
            return
        content = shown.message.content
        places = [self.back.get(origin, origin) if origin >= 0 else origin for origin in shown.origins]
        blocks = _code_blocks(content)
        if blocks is None:
            self.violations.append(f"odd number of fences in {content!r}")
            return
        if not self.has_quoted_fence:
            self._check_code(content, places, blocks)
        for mark in "*_~|":
            if self.reading.is_clean(mark):
                self._check_parity(content, places, mark)
        if self.reading.is_clean("|"):
            self._check_spoilers(content, places)

    def _check_code(self, content: str, places: Sequence[int], blocks: list[tuple[int, int, str]]) -> None:
        """Code is in a code block of its language, prose is not; a code line keeps its indentation."""
        for index, place in enumerate(places):
            if place < 0 or content[index].isspace():
                continue
            fence = self.fence_at.get(place)
            block = next((b for b in blocks if b[0] <= index < b[1]), None)
            if fence and not fence.body[0] <= place < fence.body[1]:
                continue
            if (fence is None) != (block is None):
                what = "code shown as prose" if fence else "prose shown as code"
                self.violations.append(f"{what}: {content[index : index + 30]!r} in {content!r}")
                return
            if fence and block and fence.language and block[2] != fence.language:
                self.violations.append(f"language {fence.language!r} became {block[2]!r} in {content!r}")
                return
            if fence and not self._keeps_indent(content, places, index, place):
                self.violations.append(
                    f"indentation lost before {content[index : index + 30]!r} in {content!r}"
                )
                return

    def _keeps_indent(self, content: str, places: Sequence[int], index: int, place: int) -> bool:
        line = self.text.rfind("\n", 0, place) + 1
        indent = self.text[line:place]
        if indent.strip() or "\r" in indent or (index and places[index - 1] == place - 1):
            return True
        return content[:index].endswith("\n" + indent) or content[:index].endswith("```" + indent)

    def _check_parity(self, content: str, places: Sequence[int], mark: str) -> None:
        """Delimiters of spans, ours and the model's, come in pairs within each message."""
        fence_lines = {place for line in _FENCE_LINE.finditer(content) for place in range(*line.span())}
        count = sum(
            character == mark
            and index not in fence_lines
            and (place == ADDED or place in self.reading.delimiters)
            for index, (character, place) in enumerate(zip(content, places, strict=True))
        )
        widths = {region.width for region in self.reading.regions if region.kind.startswith(mark)}
        if count % (widths.pop() if len(widths) == 1 else 2):
            self.violations.append(f"{mark} is left open in {content!r}")

    def _check_spoilers(self, content: str, places: Sequence[int]) -> None:
        """What was hidden is hidden in every message that has a part of it."""
        bars = [
            m.start()
            for m in re.finditer(r"\|\|", content)
            if places[m.start()] == ADDED or places[m.start()] in self.reading.delimiters
        ]
        if any(bars[i] + 2 > bars[i + 1] for i in range(len(bars) - 1)):
            return
        hidden = list(zip(bars[::2], bars[1::2], strict=False))
        for index, place in enumerate(places):
            if place < 0 or content[index].isspace() or place in self.outside:
                continue
            was = any(region.holds(place) for region in self.spoilers)
            now = any(left < index < right for left, right in hidden)
            if was and not now:
                self.violations.append(f"spoiler leaks {content[index : index + 30]!r} in {content!r}")
                return

    def _report(self, what: str, start: int, end: int) -> None:
        self.violations.append(f"{what} at limit {self.limit}: {self.text[start:end]!r}")


def _code_blocks(content: str) -> list[tuple[int, int, str]] | None:
    """The code blocks of a message as Discord pairs them: three backticks, to the next three."""
    runs = [place for match in _TICKS.finditer(content) for place in range(match.start(), match.end() - 2, 3)]
    if len(runs) % 2:
        return None
    blocks: list[tuple[int, int, str]] = []
    for start, end in zip(runs[::2], runs[1::2], strict=True):
        language = _LANGUAGE.match(content, start + 3)
        blocks.append((start + 3, end, language.group(1) if language else ""))
    return blocks


def check_wholeness(account: Account, limit: int) -> list[str]:
    """Every claim of the reading that the messages break."""
    return Wholeness(account, limit).check()


def _is_formula(message: Message) -> bool:
    return message.content.startswith("```tex\n")
