"""Source and messages as npm's `discord-markdown-parser` reads them: which formats does each character have?

A cut must change none. Three comparisons, each with its own word in `differences.md`:

- `cut`: the messages with all rules off, against the text they were cut from;
- `default`: the same with the rules on, against the text as the rules have left it;
- `rules`: that text against the source; what is in both must have the same formats.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from conservation import repair
from npm_package import NODE
from streamcord._events import Degree, Message, TurnEvent
from streamcord._settings import Settings
from streamcord._text.pipeline import Pipeline

HERE = Path(__file__).parent
DEGREES = (Degree.NONE, Degree.MEDIUM, Degree.HEAVY)
LIMITS = (1950, 300)
RULES: dict[str, dict[str, Any]] = {
    "cut": {"rules": False, "code_fence_matching": "first"},
    "default": {"tables": "code"},
}
"""A picture has no formats to read, so tables become code."""

Read = list[tuple[str, tuple[str, ...]]]
"""Each visible character, white space aside, with its formats."""


class Comparison(NamedTuple):
    """A text as it should be read, and the texts that were made of it."""

    name: str
    kind: str
    how: str
    whole: str
    parts: tuple[str, ...]


class Difference(NamedTuple):
    """Where a comparison first comes out unequal."""

    name: str
    kind: str
    how: str
    wanted: str
    got: str


# --- What is compared -------------------------------------------------------------------------------------


def comparisons(name: str, source: str) -> Iterator[Comparison]:
    """All that is asked of one text."""
    source = repair(source)
    for kind, rules in RULES.items():
        for degree in DEGREES:
            for limit in LIMITS:
                events = _run(source, degree=degree, message_length=limit, **rules)
                parts = tuple(event.content for event in events if isinstance(event, Message))
                yield Comparison(name, kind, f"degree {degree}, limit {limit}", _ruled(source, events), parts)
    events = _run(source, degree=Degree.NONE, tables="off")
    yield Comparison(name, "rules", "uncut", source, (_ruled(source, events),))


def _run(source: str, **settings: Any) -> list[TurnEvent]:
    pipeline = Pipeline(Settings(typing="off", humanize=False, message_cap=0, **settings))
    return [*pipeline.feed(source), *pipeline.flush()]


def _ruled(source: str, events: Iterable[TurnEvent]) -> str:
    """The source with what the rules changed and took out, but uncut: nothing is closed or reopened in it."""
    text = ""
    for event in events:
        if isinstance(event, Message):
            shown = [(start, source[start:end]) for start, end in event.spans]
            edited = [(edit.spans[0][0], edit.after) for edit in event.edits]
            text += "".join(piece for _, piece in sorted(shown + edited, key=lambda piece: piece[0]))
    return text


# --- How it is read ---------------------------------------------------------------------------------------


def read(texts: Iterable[str], parser: Path) -> dict[str, Read]:
    """What the parser sees in each text, asked in one process."""
    unique = list(dict.fromkeys(texts))
    command = [str(NODE), str(HERE / "js" / "read_formats.cjs"), str(parser)]
    asked = "".join(json.dumps(text) + "\n" for text in unique)
    done = subprocess.run(
        command, input=asked, capture_output=True, encoding="utf-8", check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    # Not splitlines: it would also cut at line separators inside of the texts.
    answers = done.stdout.split("\n")[:-1]
    return {text: _characters(json.loads(line)) for text, line in zip(unique, answers, strict=True)}


def _characters(runs: list[tuple[str, list[str]]]) -> Read:
    """The zero-width spaces that keep a fence harmless are not visible either."""
    found: Read = []
    for text, formats in runs:
        kept = tuple(sorted(set(formats)))
        found += [
            (character, kept) for character in text if not character.isspace() and character != "\u200b"
        ]
    return found


# --- What differs -----------------------------------------------------------------------------------------


def differences(asked: Iterable[Comparison], parser: Path) -> list[Difference]:
    """The comparisons that come out unequal."""
    asked = list(asked)
    seen = read((text for one in asked for text in (one.whole, *one.parts)), parser)
    found: list[Difference] = []
    for one in asked:
        whole, parts = seen[one.whole], [character for part in one.parts for character in seen[part]]
        at = _first_change(whole, parts) if one.kind == "rules" else _first_unequal(whole, parts)
        if at:
            found.append(Difference(*one[:3], _draw(whole, at[0]), _draw(parts, at[1])))
    return found


def _first_unequal(whole: Read, parts: Read) -> tuple[int, int] | None:
    if whole == parts:
        return None
    pairs = zip(whole, parts, strict=False)
    at = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(whole), len(parts)))
    return at, at


def _first_change(whole: Read, ruled: Read) -> tuple[int, int] | None:
    """The first character that is in both and does not look the same."""
    if whole == ruled:
        return None
    before, after = ([character for character, _ in one] for one in (whole, ruled))
    for left, right, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        for at in range(size):
            if whole[left + at] != ruled[right + at]:
                return left + at, right + at
    return None


def _draw(characters: Read, at: int) -> str:
    """The place, with the formats in braces where they change."""
    drawn, last = "", None
    for character, formats in characters[max(0, at - 20) : at + 30]:
        drawn += character if formats == last else f"{{{', '.join(formats)}}}{character}"
        last = formats
    return drawn


def listed() -> dict[tuple[str, str], str]:
    """The differences that are known, by text and kind, each with its reason."""
    page = (HERE / "differences.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`|]+)` \| ([a-z, ]+?) \| ([^|\n]+?) \|$", page, re.MULTILINE)
    return {(name, kind): reason for name, kinds, reason in rows for kind in kinds.split(", ")}
