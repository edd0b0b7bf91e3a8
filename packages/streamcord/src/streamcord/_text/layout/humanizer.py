"""Make a message look typed by a person in a hurry: lower case, fewer commas, no last period.

This module only proposes edits and break positions; the caller keeps track of the source. Randomness comes
from the given `Random`: one draw for each comma or run of marks that may go, in the order of the text. The same
text always takes the same draws.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from ..language.abbreviations import is_known_abbreviation
from ..language.clauses import begins_clause, follows_phrase
from ..language.emoticons import emoticon_around
from ..language.graphemes import is_boundary
from ..language.punctuation import (
    COMMAS,
    DASHES,
    ELLIPSES,
    ENDS,
    LONE,
    QUOTE_ENDS,
    SEMICOLONS,
    SPACES,
    WIDE_COMMAS,
    class_of,
)
from ..language.sentences import ends_plainly, find_sentence_end
from ..markdown.line_kinds import Line, read_line
from ..tokens import lazy_pattern
from .lowercase import (
    CAPITALS,
    INTERNET_WORDS,
    PLAIN_CAPITAL,
    is_turkish,
    is_unit,
    keeps_its_case,
    lower_word,
)

if TYPE_CHECKING:
    from random import Random

    from ..._settings import Persona, Settings

Edit: TypeAlias = tuple[int, int, str]
"""Start, end, and the replacement."""
_Range: TypeAlias = tuple[int, int]

_EMPHATIC_MARKS = frozenset("!?！？")
_MARKS = COMMAS | SEMICOLONS | _EMPHATIC_MARKS
# By the setting `sentence_ends`. If `!` and `?` end sentences, none is inside a message, so only capitals,
# commas and semicolons are edited.
_EDITABLE = {
    "all": lazy_pattern(f"[{CAPITALS}{class_of(COMMAS, SEMICOLONS)}]"),
    "period": lazy_pattern(f"[{CAPITALS}{class_of(_MARKS)}]"),
}
_ASCII_EDITABLE = {
    "all": re.compile(f"[A-Z,;](?:{PLAIN_CAPITAL})?"),
    "period": re.compile(f"[A-Z,;!?](?:{PLAIN_CAPITAL})?"),
}
_LINE = re.compile(r"[^\n]+")
_COLON = re.compile(r"[:：]")
_MAX_LABEL_CHARS = 64
_SMALL_WORD = re.compile(r"(?<!\S)[^a-zA-Z\s]*+[a-z]")
_LETTER = re.compile(r"[A-Za-z]")
_MARK_RUN = re.compile(rf";+|[；؛]|[{class_of(_EMPHATIC_MARKS)}]+")
_CONTENT = re.compile(rf"[^\s{class_of(LONE, COMMAS, SEMICOLONS, ELLIPSES)}]")
_PLAIN_COMMA = re.compile(r",(?<=[A-Za-z],)(?= [A-Za-z])")  # the common case: a comma between two ASCII words
_NEXT_DIGIT = re.compile(r"\s{0,8}[$€£¥₹₽~≈±+−#№§-]?\s?[\d½⅓⅔¼¾⅛]")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_BLOCKS = frozenset({Line.ITEM, Line.MORE, Line.QUOTE, Line.BLOCK_QUOTE, Line.HEADING, Line.SUBTEXT})
_NARROW_COMMAS = COMMAS - WIDE_COMMAS
_WIDE_MARKS = WIDE_COMMAS | frozenset("；")
_LONG_DASHES = DASHES - frozenset("-")
_AFTER_COMMA = re.compile(r"\s{0,8}(?:[—–―\"“„«‘‚‹»]|(\w{1,12})\.)")
_NO_BREAK_AFTER = QUOTE_ENDS | frozenset(".")
_SINGLE_QUOTE = re.compile(r"(?<!\S)(['‘‚])(?=\w)|(?<=[\w.,!?…])(['’‘])(?!\w)")
_SINGLE_END = re.compile(r"(?<=[\w.,!?…])['’‘](?!\w)")
_INVERTED = re.compile("[¡¿!?]")
_LOOK_BACK_CHARS = 200
_LINE_START_CHARS = 8
_PERIODS = frozenset(".。")
# Words that introduce the next clause. A message must not end with one, but may consist of it.
_CONNECTORS = frozenset(
    """
    and but so then also however plus first next finally und aber dann danach außerdem zuerst et mais
    donc puis ensuite alors y pero entonces luego además e mas então depois também ma poi quindi allora
    inoltre и но а потом затем поэтому сначала кстати однако зато ale więc potem najpierw jednak oraz
    ama fakat sonra önce ayrıca yani çünkü ثم أولا ثانيا لكن لذلك أيضا それから 次に まず でも だから
    そして また しかし ただ さらに 最後に 例えば それで ところで あと 首先 然后 然後 但是 不过 不過 所以
    而且 另外 最后 最後 其次 比如 那么 那麼 그리고 그런데 그래서 하지만 그러나 먼저 또 그럼 그러면
    """.split()  # noqa: SIM905
)
_MAX_CONNECTOR_CHARS = max(map(len, _CONNECTORS))
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")
_CLOSING = frozenset(")]}\"'”’»›」』》】〉）］｝｣")


def humanize(
    text: str,
    random: Random,
    settings: Settings,
    *,
    persona: Persona | None = None,
    protected: Sequence[_Range] = (),
) -> tuple[list[Edit], list[int]]:
    """Return the edits of a message in order, and the positions where a new message begins.

    Args:
        text: The message.
        random: Source of randomness.
        settings: Chances of removing commas and of breaking at marks.
        persona: Its names keep their capitals.
        protected: Ranges that do not change: code, links, spans.

    """
    protected_mask = _mask(text, protected) if protected else None
    kept = _keep_names(text, protected_mask, persona)
    edits: list[Edit] = []
    marks: list[int] = []
    lowered = 0
    ascii_only = text.isascii()
    turkish = not ascii_only and is_turkish(text)
    signs = _ASCII_EDITABLE if ascii_only else _EDITABLE
    for sign in signs[settings.sentence_ends].finditer(text):
        word = sign[0]
        # The ASCII pattern also matches the rest of a plain word or an acronym.
        if len(word) > 1:
            small, at, lowered = word.lower(), sign.start(), sign.end()
            plain = word[1] == small[1] and small not in INTERNET_WORDS
            if (
                plain
                and (kept is None or kept.find(1, at, lowered) < 0)
                and not keeps_its_case(text, at, word)
            ):
                edits.append((at, at + 1, small[0]))
        elif word in _MARKS:
            marks.append(sign.start())
        elif (at := sign.start()) >= lowered:
            lowered = lower_word(text, at, lowered, kept, edits, turkish=turkish)
    # Marks are edited after capitals, and `_edit_marks` sorts both kinds of edits.
    breaks = _edit_marks(text, marks, random, settings, protected_mask, edits) if marks else []
    end = len(text.rstrip()) - 1
    if end > 0 and text[end] in _PERIODS and _ends_in_period(text, end, protected_mask):
        edits.append((end, end + 1, ""))
    return edits, breaks


def _mask(text: str, ranges: Iterable[_Range]) -> bytearray:
    """Return one byte per character: 1 if it is in a range."""
    mask = bytearray(len(text))
    for start, end in ranges:
        start, end = max(0, start), min(end, len(text))  # noqa: PLW2901
        mask[start:end] = b"\1" * (end - start)
    return mask


# --- Names and labels ----------------------------------------------------------------------------


def _keep_names(text: str, protected_mask: bytearray | None, persona: Persona | None) -> bytearray | None:
    """Return the mask of protected text, extended by names and labels."""
    if persona is None and ":" not in text and "：" not in text:
        return protected_mask
    named = [*_names(text, persona), *_labels(text)]
    if not named:
        return protected_mask
    kept = bytearray(len(text)) if protected_mask is None else protected_mask[:]
    for start, end in named:
        kept[start:end] = b"\1" * (end - start)
    return kept


def _names(text: str, persona: Persona | None) -> Iterator[_Range]:
    """Yield where a name of the persona is, in any case."""
    pattern = persona and _name_pattern(persona)
    return (name.span() for name in pattern.finditer(text)) if pattern else iter(())


@lru_cache(maxsize=64)
def _name_pattern(persona: Persona) -> re.Pattern[str]:
    names = sorted({name for name in (persona.name, *persona.aliases) if name.strip()}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


def _labels(text: str) -> Iterator[_Range]:
    """Yield labels: text before a colon at the start of a line that looks like one or more names."""
    for line in _LINE.finditer(text):
        end = line.start()
        while (colon := _COLON.search(text, end, min(line.end(), end + _MAX_LABEL_CHARS + 1))) and _is_label(
            text[end : colon.start()], text[colon.start() : colon.end() + 1]
        ):
            end = colon.end()
        if end > line.start():
            yield line.start(), end


def _is_label(label: str, colon: str) -> bool:
    """Return whether no word begins with a small letter and the colon ends a word."""
    if colon[0] == ":" and len(colon) == 2 and not (colon[1].isspace() or colon[1] in "*_~|)"):
        return False
    if colon[1:] == ")" and label[-1:].isspace():
        return False  # `Nice :)`
    if label.isascii():
        return _SMALL_WORD.search(label) is None and _LETTER.search(label) is not None
    named = False
    for word in label.split():
        first = next(filter(str.isalpha, word), "")
        if first.islower():
            return False
        named = named or bool(first)
    return named


# --- Commas, semicolons and emphatic marks -------------------------------------------------------


def _edit_marks(
    text: str,
    marks: list[int],
    random: Random,
    settings: Settings,
    protected_mask: bytearray | None,
    edits: list[Edit],
) -> list[int]:
    """Append the edits that remove marks, and return the positions of breaks."""
    breaks: list[int] = []
    begins = 0  # start of the message that is being read
    end = 0 if _CONTENT.search(text) else len(text)
    for start in marks:
        # Part of a run that was handled with its first mark.
        if start < end:
            continue
        plain = _PLAIN_COMMA.match(text, start) is not None
        end = start + 1 if plain else _mark_end(text, start)
        if (protected_mask and protected_mask.find(1, start, end) >= 0) or (
            not plain and _is_in_word(text, start, end)
        ):
            continue
        # A comma in an enumeration or before a name at the end means something.
        if text[start] in _NARROW_COMMAS and not begins_clause(text, start, end):
            continue
        goes, breaks_here = (
            _draw_comma(random, settings) if plain else _draw(text, start, end, random, settings)
        )
        if breaks_here and (
            _is_in_block(text, start)
            or _would_break_phrase(text, start, end)
            or _ends_with_connector(text, begins, start)
            or follows_phrase(text, begins, start, end)
        ):
            continue
        if goes:
            # Only a mark that is not plain may touch its neighbours.
            spaced = not plain and not breaks_here and _separates_words(text, start, end)
            apart = not plain and _has_space_before(text, start, end, protected_mask)
            edits.append((start - apart, end, " " if spaced else ""))
        if breaks_here:
            place = _next_word(text, end, protected_mask)
            if _both_have_text(text, begins, start, place):
                breaks.append(place)
                begins = place
    edits.sort()
    return breaks


def _is_in_word(text: str, start: int, end: int) -> bool:
    """Return whether a mark is part of its neighbours: a number (`5, 2024`), an emoticon, a Greek question."""
    mark = text[start]
    if mark in COMMAS:
        beside = text[max(0, start - 1) : end + 1]
        return _NEXT_DIGIT.match(text, end) is not None or ("_" in beside and _is_in_emoticon(text, start))
    if mark not in ";；":
        return False
    return bool(start and _GREEK.match(text, start - 1, start)) or _is_in_emoticon(text, start)


def _is_in_emoticon(text: str, at: int) -> bool:
    return emoticon_around(text, at, final=True) > 0


def _is_in_block(text: str, at: int) -> bool:
    """Return whether the line is a quote, an item, a heading or subtext, which stays one message."""
    line = text.rfind("\n", 0, at) + 1
    kind, _ = read_line(text, line, final=True) or (Line.PROSE, line)
    return kind in _BLOCKS or text[line : line + 2] == "  "


def _would_break_phrase(text: str, start: int, end: int) -> bool:
    """Return whether a break would separate speech from its speaker, `¡` from `!`, or an abbreviation."""
    if text[start - 1 : start] in _NO_BREAK_AFTER or text[:_LINE_START_CHARS].lstrip()[:1] in _LONG_DASHES:
        return True
    inverted = _INVERTED.findall(text, max(0, start - _LOOK_BACK_CHARS), start)
    if (inverted and inverted[-1] in "¡¿") or _is_inside(text, start):
        return True
    after_comma = _AFTER_COMMA.match(text, end)
    return after_comma is not None and (
        after_comma[1] is None or len(after_comma[1]) == 1 or is_known_abbreviation(after_comma[1])
    )


def _is_inside(text: str, at: int) -> bool:
    """Return whether brackets or single quotes are open: `[a, b]`, `'yes, no'`.

    The scanner does not treat them as spans, so they are not protected.
    """
    before = text[max(0, at - _LOOK_BACK_CHARS) : at]
    if before.rfind("[") > before.rfind("]") or before.rfind("{") > before.rfind("}"):
        return True
    quotes = _SINGLE_QUOTE.findall(before)
    return (
        bool(quotes)
        and bool(quotes[-1][0])
        and _SINGLE_END.search(text, at, at + _LOOK_BACK_CHARS) is not None
    )


def _ends_with_connector(text: str, begins: int, start: int) -> bool:
    """Return whether a break would leave a word that introduces the next clause at the end."""
    word = _LAST_WORD.search(text, max(begins, start - _MAX_CONNECTOR_CHARS - 1), start)
    if word is None or word[0].lower() not in _CONNECTORS:
        return False
    return _CONTENT.search(text, begins, word.start()) is not None


def _has_space_before(text: str, start: int, end: int, protected_mask: bytearray | None) -> bool:
    """Return whether the space before a mark goes with it because another space follows: `Oui ; puis`."""
    before = text[start - 1 : start] if start and not (protected_mask and protected_mask[start - 1]) else ""
    return before in SPACES and before != "" and text[end : end + 1].isspace()


def _separates_words(text: str, start: int, end: int) -> bool:
    """Return whether words would touch if a full-width mark between them went."""
    return (
        text[start:end] in _WIDE_MARKS
        and start > 0
        and not text[start - 1].isspace()
        and bool(text[end : end + 1].strip())
    )


def _mark_end(text: str, start: int) -> int:
    """Return the end of a mark; marks other than commas come in runs."""
    if text[start] in COMMAS:
        return start + 1
    return _MARK_RUN.match(text, start).end()  # type: ignore[union-attr]


def _both_have_text(text: str, begins: int, end: int, place: int) -> bool:
    """Return whether both sides of a break have more than punctuation."""
    return bool(
        _CONTENT.search(text, begins, end) and _CONTENT.search(text, place) and is_boundary(text, place)
    )


def _draw(text: str, start: int, end: int, random: Random, settings: Settings) -> tuple[bool, bool]:
    """Return whether a mark goes and whether the message breaks after it."""
    mark, after = text[start:end], text[end : end + 1]
    ends_word = not after or after.isspace()
    if mark[0] in SEMICOLONS:
        return ends_word or mark == "；", False  # but not the eye of `;)`
    if mark in COMMAS:
        return _draw_comma(random, settings)
    may_break = (ends_word or mark[-1] in "！？") and after not in _CLOSING
    return (
        False,
        settings.sentence_ends == "period" and may_break and random.random() < settings.exclamation_break,
    )


def _draw_comma(random: Random, settings: Settings) -> tuple[bool, bool]:
    """Return whether a comma goes and whether the message breaks there, with one draw for both."""
    roll = random.random()
    goes = roll < settings.comma_removal_chance + settings.comma_break
    return goes, goes and roll >= settings.comma_removal_chance


def _next_word(text: str, at: int, protected_mask: bytearray | None) -> int:
    """Return the start of the next word."""
    while at < len(text) and text[at].isspace() and not (protected_mask and protected_mask[at]):
        at += 1
    return at


def _ends_in_period(text: str, at: int, protected_mask: bytearray | None) -> bool:
    """Return whether the last period may go: not part of a word, number or ellipsis, and not all there is."""
    if (protected_mask and protected_mask[at]) or text[at - 1] in _LONG_DASHES:
        return False
    if text[at] == "." and ends_plainly(text, at):
        word = text.rfind(" ", 0, at) + 1
        if protected_mask is None or protected_mask.find(1, word, at) < 0:
            return True
    if not _CONTENT.search(text) or _follows_end(text, at):
        return False
    if is_unit(text, at - 1, text[at - 1]):
        return True
    # Protected text cannot be an abbreviation, so the search starts after it.
    return (
        find_sentence_end(text, at, start=at if protected_mask and protected_mask[at - 1] else 0, final=True)
        > 0
    )


def _follows_end(text: str, at: int) -> bool:
    """Return whether another end mark is before a period, with only white space and commas between."""
    at -= 1
    while at > 0 and (text[at].isspace() or text[at] in COMMAS | SEMICOLONS):
        at -= 1
    return text[at] in ENDS
