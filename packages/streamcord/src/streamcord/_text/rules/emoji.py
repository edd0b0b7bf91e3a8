"""Rules 3 and 4: resolve shortcodes to the server's emoji, repair tags and drop repeated emoji.

`:name:` is a shortcode only between characters that belong to no word, so that `12:30:45` and
`std::vector::x` stay text. Shortcodes may touch each other and letters of scripts without spaces. If several
emoji have the same name, the first one counts; a name in the same case wins over one in another case, and the
server's emoji over a standard emoji. A custom emoji of our last messages is not used again.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from ..tokens import UNSPACED, UNSPACED_LETTER, lazy_pattern
from .cleanup import remove
from .emoji_names import find_standard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..._settings import Emoji
    from ..parsed_text import ParsedText
    from ..traced_text import Edit

_NAME = "(?:[A-Za-z0-9_]{2,64}|[+-]1|[xX])"  # `:x:` is the one letter that lists use
# Both forms start at their first colon and look back from it, so that the search skips words quickly.
_EMOJI_FORM = (
    r":(?:(?:(?<=<:)|(?<=<a:))(?P<tag>[A-Za-z0-9_]{{1,64}}):(?P<id>\d{{0,24}})>"
    r"|(?<!{word}:)(?<!::)(?P<name>{name}):(?::{name}:)*+(?!{word})(?!:))"
)
_TOKEN = lazy_pattern(_EMOJI_FORM.format(word=rf"[^\W{UNSPACED}]", name=_NAME))
_ASCII_TOKEN = lazy_pattern(_EMOJI_FORM.format(word="[A-Za-z0-9_]", name=_NAME))
_CODE = re.compile(f":({_NAME}):")


def find_emoji(text: str) -> Iterator[tuple[int, int, str, str | None]]:
    """Yield custom emoji: start, end, name, and the id if it is a tag."""
    for found in (_ASCII_TOKEN if text.isascii() else _TOKEN).finditer(text):
        start, end = found.span()
        tag, number, name = found.groups()
        if tag is not None:
            yield text.rindex("<", 0, start), end, tag, number
        elif end - start == len(name) + 2:
            yield start, end, name, None
        else:
            for code in _CODE.finditer(text, start, end):
                yield *code.span(), code[1], None


def names_used(messages: Sequence[str], lookback: int) -> frozenset[str]:
    """Return the names of the emoji in our last `lookback` messages, in lower case."""
    recent = messages[-lookback:] if lookback else ()
    return frozenset(name.lower() for message in recent for _, _, name, _ in find_emoji(message))


def drop_repeats(parsed: ParsedText, used: frozenset[str]) -> list[Edit]:
    """Return edits that remove repeated emoji, or none if only punctuation would remain."""
    text = parsed.text
    found = [
        (start, end)
        for start, end, name, _ in find_emoji(text)
        if name.lower() in used and parsed.free(start)
    ]
    edits = remove(text, _with_enclosers(text, found)) if found else []
    return edits if edits and _leaves_text(text, edits) else []


def _leaves_text(text: str, edits: Sequence[Edit]) -> bool:
    """Return whether anything but punctuation and white space remains after the edits."""
    at = 0
    for start, end, _ in [*edits, (len(text), len(text), "")]:
        if any(unicodedata.category(c)[0] not in "PZC" for c in text[at:start]):
            return True
        at = end
    return False


_CLOSERS = {"(": ")", "[": "]", "{": "}", "（": "）", "［": "］", "【": "】", "「": "」", "『": "』"}
_ENCLOSER_BEFORE = re.compile(r"([(\[{（［【「『]|\*{1,3}|_{1,3}|~~|\|\|)[ \t]{0,4}\Z")
_ENCLOSER_AFTER = re.compile(r"[ \t]{0,4}([)\]}）］】」』]|\*{1,3}|_{1,3}|~~|\|\|)")
_LETTER = re.compile(r"[A-Za-z_]")
_POSIX_CLASSES = frozenset(
    f":{name}:"
    for name in "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit".split()  # noqa: SIM905
)
_EMOJI_CHAR = (
    "[\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2639\u263a\u2648-\u2653\u267f"
    "\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd"
    "\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2764\u2795-\u2797\u27b0\u27bf\u2b1b"
    "\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a\U0001f1e6-\U0001f1ff"
    "\U0001f201-\U0001f265\U0001f300-\U0001faff]"
)
_ONE_EMOJI = (
    rf"(?:{_EMOJI_CHAR}\ufe0f?|[\u0080-\uffff]\ufe0f)[\U0001f3fb-\U0001f3ff\u20e3\U000e0020-\U000e007f]*+"
)
_UNICODE = lazy_pattern(rf"[0-9#*]\ufe0f\u20e3|(?:{_ONE_EMOJI}\u200d?)++")
_MAY_BE_EMOJI = lazy_pattern("[:\ufe0f\u2300-\u2bff\U0001f000-\U0001faff]")


class EmojiIndex:
    """The server's emoji by name and by id."""

    def __init__(self, emoji: Iterable[Emoji]) -> None:
        # Tags by name, in the case of the server; the first emoji of a name counts.
        self._exact: dict[str, str] = {}
        # Tags by name in lower case, for shortcodes in another case.
        self._lower: dict[str, str] = {}
        # Tags by id, to repair a tag with a wrong name.
        self._ids: dict[str, str] = {}
        for one in emoji:
            tag = f"<{'a' if one.animated else ''}:{one.name}:{one.id}>"
            self._exact.setdefault(one.name, tag)
            self._lower.setdefault(one.name.lower(), tag)
            self._ids[str(one.id)] = tag

    def __bool__(self) -> bool:
        return bool(self._exact)

    def find(self, name: str, number: str | None) -> str | None:
        """Return the tag of an emoji; a known id counts more than a name."""
        known = self._ids.get(number) if number else None
        return known or self._exact.get(name) or self._lower.get(name.lower())


def resolve_shortcodes(parsed: ParsedText, index: EmojiIndex, *, preserve: bool) -> list[Edit]:
    """Return edits that replace known emoji by their tags and remove unknown ones."""
    text = parsed.text
    edits: list[Edit] = []
    unknown: list[tuple[int, int]] = []
    for start, end, name, number in find_emoji(text):
        if not parsed.free(start):
            continue
        tag = index.find(name, number) or (_standard(name) if number is None else None)
        if tag is None:
            # A tag with an unknown id would show as text, so it goes unless the caller keeps it.
            if not preserve and (number is not None or _is_name(text, start, end)):
                unknown.append((start, end))
        elif text[start:end] != tag:
            edits.append((start, end, tag))
    return sorted(edits + remove(text, _with_enclosers(text, unknown))) if unknown else edits


def _standard(name: str) -> str | None:
    """Return the standard Unicode emoji of a name; `:30:` is part of a time."""
    return find_standard(name) if _LETTER.search(name) or name in ("+1", "-1", "100") else None


def _is_name(text: str, start: int, end: int) -> bool:
    """Return whether `:word:` is meant as an emoji: not `:30:`, not `[:alpha:]`."""
    if text[start - 1 : start] == "[" and text[end : end + 1] == "]" and text[start:end] in _POSIX_CLASSES:
        return False
    if UNSPACED_LETTER.match(text, end) or (start and UNSPACED_LETTER.match(text, start - 1)):
        return False  # `参数:name:值`
    return bool(_LETTER.search(text, start, end))


def _with_enclosers(text: str, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges, widened by brackets and markers that would enclose nothing."""
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and not text[joined[-1][1] : start].strip():
            # Emoji with only white space between them are removed together.
            start = joined.pop()[0]  # noqa: PLW2901
        joined.append((start, end))
    return [_enclose(text, start, end) for start, end in joined]


def _enclose(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range with the brackets or markers around it, if they match."""
    before, after = _ENCLOSER_BEFORE.search(text, max(0, start - 16), start), _ENCLOSER_AFTER.match(text, end)
    if not before or not after or text.startswith("(", after.end()):
        return start, end
    closes = _CLOSERS.get(before[1], before[1])
    return (before.start(), after.end()) if after[1] == closes else (start, end)


def drop_all_emoji(parsed: ParsedText) -> list[Edit]:
    """Return edits that remove every emoji, custom or Unicode."""
    text = parsed.text
    if not _MAY_BE_EMOJI.search(text):
        return []
    found = [
        (start, end)
        for start, end, _, number in find_emoji(text)
        if number is not None or _is_name(text, start, end)
    ]
    found += [match.span() for match in _UNICODE.finditer(text)]
    return remove(text, _with_enclosers(text, sorted(one for one in found if parsed.free(one[0]))))
