"""Find where a sentence ends, in text that is still arriving and in finished text.

A period is the most ambiguous mark: it ends sentences, marks abbreviations (`Dr.`, `z. B.`, `т. е.`), follows
numbers (`1.`) and is part of names (`example.com`). The search therefore reads a little before and after a mark.
Every such range has a fixed bound, so the result for a text also holds for every longer text, and is `NEED_MORE`
until it is certain. Functions that return `bool | None` return None in that case.
"""

from __future__ import annotations

import re
from unicodedata import category

from ..tokens import NEED_MORE, NOT_FOUND
from .abbreviations import (
    WordSet,
    continues_after_exclaimed_name,
    find_plain_end,
    is_known_abbreviation,
    word_after_space,
)
from .attribution import (
    PARTICLE_LOOKAHEAD_CHARS,
    PARTICLE_STARTS,
    continues_after_dash,
    follows_particle,
    is_attributed,
    is_lowercase_line,
    opens_with_dash,
    starts_with_speech_verb,
)
from .emoticons import (
    DECORATION_STARTS,
    LAUGHTER_STARTS,
    LOOKAHEAD_CHARS,
    decoration_end,
    emoticon_around,
    emoticon_end,
    laughter_end,
)
from .graphemes import is_boundary, is_emoji
from .hesitation import follows_filler, is_hesitation
from .periods import classify_period
from .punctuation import (
    CLOSERS,
    COLONS,
    COMMAS,
    DASHES,
    ELLIPSES,
    EMPHATIC,
    ENDS,
    FOOTNOTE_STARTS,
    QUOTE_ENDS,
    SEMICOLONS,
    SPACED_ENDS,
    SPACES,
    STOPS,
    UNAMBIGUOUS_CLOSERS,
    class_of,
    skip_footnotes,
)

__all__ = ["NEED_MORE", "NOT_FOUND", "ends_plainly", "find_sentence_end", "split_sentences"]


_END_MARKS = ENDS | frozenset("\ufe0e\ufe0f")  # variation selectors, which may follow ‼ and ⁉
_CONTINUES = ENDS | frozenset("とっ、，,;；:：")  # after a closing quote, the sentence continues
_LOW_QUOTES = {"“": "„", "‘": "‚", "«": "»", "‹": "›"}  # close in some languages what opens in others
_EMOTICON_STARTS = frozenset("^><;@=+#$%&'*.,~:([\\_¯-TQqXxuUnNoOvV0B8dmb")
_EMOTICON_SIGNS = frozenset(
    "（｡･ヽヾ＼ლʕ༼꒰ツಠಥㅠㅜㅋㅎ٩୧•눈Σ"
)  # eyes, arms and brackets that are letters in other texts
_TOUCHING = frozenset("^ㅋㅎㅠㅜ")  # eyes and Korean laughter, with no space before them
_DOT = frozenset(".．")
_CONTINUING_MARKS = COMMAS | SEMICOLONS  # after an emoticon: `Ha! :D, so`
_LONE_QUOTES = frozenset("'\"“‘«„")
_AND_SO_ON = WordSet(("الخ", "إلخ"))  # after dots: `وثائق... الخ`
_STARTS_AFTER_ELLIPSIS = frozenset("اإ¿¡")
_OPERATORS = frozenset("=+-−–×*·/÷<>≤≥≠≈^∙⋅")
_PARTICLES = ("を", "など", "という")  # no Japanese sentence begins with them: `Yahoo! を使う`

# A factorial that begins a sentence: `5! is 120`.
_FACTORIAL = re.compile(r"(?:\A|\n|[.!?:] )(?:\d{1,6}|[a-z]|\([^()\n]{1,20}\))\Z")
_MAX_FACTORIAL_CHARS = 24
_EQUATION = re.compile(r"[=≤≥≈·×÷][^\n.?]*\Z")

_MAX_END_MARKS = 32
_MAX_CLOSERS = 16
_MAX_SPACES = 64
_MAX_SPAN_CHARS = 600
_LOOK_BACK_CHARS = 640
_MAX_EMOTICONS = 8
_MAX_EMOJI_CHARS = 16


def find_sentence_end(  # noqa: PLR0911
    text: str, at: int, *, start: int = 0, final: bool = False, stops_only: bool = False
) -> int:
    """Return where to cut if a sentence ends with the marks at `at`, or `NOT_FOUND` or `NEED_MORE`.

    The cut is after the marks, closers, emoticons and spaces, but before a newline.

    Args:
        text: The text so far.
        at: Position of the first end mark.
        start: Nothing before this position is read.
        final: Whether no more text follows.
        stops_only: Whether only full stops end sentences.

    """
    size = len(text)
    if not start <= at < size or text[at] not in ENDS or (at > start and text[at - 1] in ENDS):
        return NOT_FOUND
    # Fast path: most sentences end with a mark, a space and a capital.
    if plain := find_plain_end(text, at, start):
        return NOT_FOUND if stops_only and text[at] in EMPHATIC else plain
    end = _skip(text, at, _END_MARKS, _MAX_END_MARKS)
    closed = _skip_closers(text, end, start)
    if closed == size and not final:
        return NEED_MORE
    glued = text[end - 1] not in SPACED_ENDS or _is_between_wide(text, start, at, end, closed)
    if glued:
        closed = _skip_glued_closers(text, start, end, closed)
    cut = _skip(text, closed, SPACES, _MAX_SPACES)
    if cut == size and not final:
        return NEED_MORE
    run = text[at:end]
    if stops_only and STOPS.isdisjoint(run):
        return NOT_FOUND
    continues = (
        _continues_glued(text, start, end, closed, cut, final=final)
        if glued
        else _continues_spaced(text, start, at, end, closed, cut, final=final)
    )
    if continues and final:
        # The search for emoticons is the slowest step and would not change the result.
        return NOT_FOUND
    in_emoticon = _is_in_emoticon(text, at, start, final=final)
    if in_emoticon:
        return NEED_MORE if in_emoticon == NEED_MORE else NOT_FOUND
    if continues is None:
        return NEED_MORE
    if continues or not is_boundary(text, cut):
        return NOT_FOUND
    verdict = classify_period(text, at, start, cut, final=final) if run in _DOT else cut
    if verdict != cut:
        return verdict
    after_emoticons = _skip_emoticons(text, cut, final=final)
    return (
        NOT_FOUND
        if after_emoticons > cut and text[after_emoticons : after_emoticons + 1] in _CONTINUING_MARKS
        else after_emoticons
    )


def ends_plainly(text: str, at: int) -> bool:
    """Return whether a last period certainly ends a sentence: the word before it is no abbreviation."""
    word = text[text.rfind(" ", 0, at) + 1 : at]
    return (
        len(word) > 1
        and word.isalpha()
        and not is_known_abbreviation(word)
        and word[-3:] != "str"
        and not word.isupper()
    )


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a finished text without markup, each with the white space after it."""
    pieces: list[str] = []
    start = at = 0
    while found := _ANY_END.search(text, at):
        at = found.end()
        cut = find_sentence_end(
            text, found.start(), start=max(0, found.start() - _LOOK_BACK_CHARS), final=True
        )
        if cut > start:
            at = _SPACE.match(text, cut).end()  # type: ignore[union-attr]
            pieces.append(text[start:at])
            start = at
    return [*pieces, text[start:]] if start < len(text) else pieces


_ANY_END = re.compile(f"[{class_of(ENDS)}]")
_SPACE = re.compile(r"\s*")
_WHITE = re.compile(r"\s")
_PLAIN_WORD = re.compile(r"(?i:([a-z0-9])[a-ce-oq-z](?!\1)[a-z0-9])")  # but not `TwT`, `XDD`, `XPP`


# --- What follows the marks ---------------------------------------------------------------------


def _skip(text: str, at: int, chars: frozenset[str], max_chars: int) -> int:
    last = min(len(text), at + max_chars)
    while at < last and text[at] in chars:
        at += 1
    return at


def _skip_closers(text: str, end: int, start: int) -> int:
    """Return the end of the closers after a mark.

    Some marks close only if their partner opened before: `„Komm!“`, and `« Viens ! »` after a space.
    """
    at = _skip(text, end, CLOSERS, _MAX_CLOSERS)
    if text.startswith("＞＜", at - 1) and at > end:
        return at - 1  # an emoticon
    if text[at : at + 1] in FOOTNOTE_STARTS:
        return skip_footnotes(text, at)
    if at == end and text[end : end + 1] in SPACES and text[end + 1 : end + 2] == "»":
        lower_bound = max(start, end - _MAX_SPAN_CHARS)
        opened = text.rfind("«", lower_bound, end)
        before = text[
            max(lower_bound, opened - 1) : max(lower_bound, opened)
        ]  # `Komm!« sagt sie. »Los`: it closed
        closes = before.isalnum() or before in ENDS or opened <= text.rfind("»", lower_bound, end)
        return end if closes else end + 2
    low = _LOW_QUOTES.get(text[at : at + 1])
    if low is None or at - end == _MAX_CLOSERS:
        return at
    lower_bound = max(start, end - _MAX_SPAN_CHARS)
    if text.rfind(low, lower_bound, end) > text.rfind(text[at], lower_bound, end):
        return _skip(text, at + 1, CLOSERS, _MAX_CLOSERS)
    return at


def _skip_glued_closers(text: str, start: int, end: int, closed: int) -> int:
    """Return the end of the closers after a mark without a space.

    `**重要。**次` has two closers; in `文。**太字**` the stars open the next span.
    """
    lower_bound = max(start, end - _MAX_SPAN_CHARS)
    at = end
    while at < closed:
        if text[at] in UNAMBIGUOUS_CLOSERS or text[at] in _LOW_QUOTES:
            at += 1
            continue
        if text[at] in FOOTNOTE_STARTS:
            return closed
        mark_end = _skip(text, at, frozenset(text[at]), closed - at)
        if text.count(text[at:mark_end], lower_bound, end) % 2 == 0:
            break
        at = mark_end
    return at


def _skip_emoticons(text: str, cut: int, *, final: bool) -> int:
    """Return the end of emoticons and emoji at the cut: they belong to the sentence before it."""
    at = cut
    for _ in range(_MAX_EMOTICONS):
        end = _emoticon_or_emoji_end(text, at, final=final)
        if end == NEED_MORE:
            return NEED_MORE
        if end == NOT_FOUND:
            break
        closed = _skip(text, end, CLOSERS, _MAX_CLOSERS)
        at = _skip(text, end if text[closed : closed + 1].strip() else closed, SPACES, _MAX_SPACES)
        at = _skip_repeated_marks(text, at)
        if at == len(text) and not final:
            return NEED_MORE
    return at if at == cut or is_boundary(text, at) else cut


def _skip_repeated_marks(text: str, at: int) -> int:
    """Return the end of marks after an emoji, which end the sentence a second time: `Wow! 😀!`.

    Several dots may begin the next sentence: `Wow! 😀 ... and then`.
    """
    end = _skip(text, at, _END_MARKS, _MAX_END_MARKS)
    run, white = text[at:end], _skip(text, end, SPACES, _MAX_SPACES)
    # Before a letter a mark is part of a word: `!important`.
    is_glued = white == end and end < len(text) and text[end] != "\n" and run[-1:] in SPACED_ENDS
    begins_sentence = (len(run) > 1 or run in ELLIPSES) and STOPS.issuperset(run)
    if not run or is_glued or (begins_sentence and text[white : white + 1] not in {"", "\n"}):
        return at
    return white


def _emoticon_or_emoji_end(text: str, at: int, *, final: bool) -> int:
    """Return the end of the emoticon or emoji that is here, `NOT_FOUND` or `NEED_MORE`."""
    char = text[at : at + 1]
    if char in DECORATION_STARTS and (laugh := decoration_end(text, at, final=final)) != NOT_FOUND:
        return laugh
    if char in LAUGHTER_STARTS and (laugh := laughter_end(text, at, final=final)) != NOT_FOUND:
        return laugh
    if char.isascii():
        may_be = char in _EMOTICON_STARTS and not (
            char == "(" and text[at - 1] == "]"
        )  # but a link's address
        return _emoticon_end(text, at, final=final) if may_be else NOT_FOUND
    if is_emoji(char):
        last = min(len(text), at + _MAX_EMOJI_CHARS)
        end = at + 1
        while end < last and not is_boundary(text, end):
            end += 1
        return NEED_MORE if end == len(text) and not final else end
    return (
        _emoticon_end(text, at, final=final)
        if char in _EMOTICON_SIGNS or category(char)[0] == "S"
        else NOT_FOUND
    )


def _emoticon_end(text: str, at: int, *, final: bool) -> int:
    """Return the end of an emoticon; white space ends most, so no further text is needed."""
    if _PLAIN_WORD.match(text, at):
        return NOT_FOUND
    white = _WHITE.search(text, at, at + LOOKAHEAD_CHARS)
    if white and emoticon_end(text[at - 1 : white.start()], 1, final=True) + at - 1 == white.start():
        return white.start()
    return emoticon_end(text, at, final=final)


def _is_in_emoticon(text: str, at: int, start: int, *, final: bool) -> int:
    """Return whether the mark is part of an emoticon, as in `._.` or `(｡◕‿◕｡)`; or `NEED_MORE`."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    plain = not before or before.isalnum() or before.isspace() or (before in CLOSERS and before != "_")
    if plain and (not after or after.isspace() or after.isalnum() or after in ENDS or after in '"”»'):
        return NOT_FOUND
    return emoticon_around(text, at, final=final) if start < at else NOT_FOUND


# --- Whether the sentence continues ---------------------------------------------------------------------


def _continues_spaced(  # noqa: PLR0911
    text: str, start: int, at: int, end: int, closed: int, cut: int, *, final: bool
) -> bool | None:
    """Return whether the sentence continues after marks of a script with spaces."""
    if closed < len(text) and not text[closed].isspace():
        return _continues_touching(text, closed, final=final)
    after = text[cut : cut + 1]
    if not after or after == "\n":
        return False
    if after in COMMAS:
        return True
    named = _is_mentioned(text, start, at, end, closed, cut, final=final)
    if named is not False:
        return named
    quoted = closed > end and not QUOTE_ENDS.isdisjoint(text[end:closed])
    if after in DASHES:
        after_quote = start < at and text[at - 1] in QUOTE_ENDS  # `«La vida es sueño». — Calderón`
        return continues_after_dash(text, cut, quoted=quoted or after_quote, final=final)
    run = text[at:end]
    trails_off = _trails_off(run)
    if trails_off and follows_filler(text, start, at):
        return True
    if trails_off and after in _STARTS_AFTER_ELLIPSIS:
        return _continues_after_ellipsis(text, cut, final=final)
    if trails_off or closed > end:
        if after.islower():
            return True
        if not (quoted and after.isalpha()):
            return closed == end and is_hesitation(text, start, at, cut, final=final)
        return is_attributed(text, start, end, closed, cut, final=final)
    return _continues_after_emphatic(text, start, at, run, cut, final=final) if run[-1] in EMPHATIC else False


def _is_factorial(text: str, start: int, at: int) -> bool:
    """Return whether `!` may be a factorial: after a digit, a bracket or a single letter."""
    before = text[max(start, at - 1) : at]
    if before.isdigit() or before == ")":
        return True
    return before.isalpha() and not text[max(start, at - 2) : at - 1].isalnum()


def _is_left_out(text: str, start: int, at: int, end: int) -> bool:
    """Return whether dots may be terms or digits that are left out of a formula: `1 + ... + n`, `0.99... = 1`."""
    if not _trails_off(text[at:end]):
        return False
    before = text[max(start, at - _MAX_FACTORIAL_CHARS) : at]
    return before[-1:].isdigit() or before.rstrip()[-1:] in _OPERATORS


def _follows_operator(text: str, cut: int, *, final: bool) -> bool | None:
    """Return whether an operator with space on both sides is here: `5! = 120`, `n! / k!`."""
    if cut + 1 == len(text):
        return final or None
    return text[cut + 1].isspace() or text[cut + 1].isdigit()


def _continues_after_emphatic(
    text: str, start: int, at: int, run: str, cut: int, *, final: bool
) -> bool | None:
    """Return whether the sentence continues after `!` or `?`: `Yahoo! is`, `— Non ! s'écria-t-il`."""
    if text[cut].isupper():
        return run == "!" and continues_after_exclaimed_name(
            word_after_space(text, at, start), text, cut, final=final
        )
    if not text[cut].islower():
        return False
    if run == "!" and _FACTORIAL.search(text, max(start, at - _MAX_FACTORIAL_CHARS), at):
        return True
    factorial = run == "!" and _is_factorial(text, start, at)
    if is_lowercase_line(text, at, start):
        return factorial and _EQUATION.search(text, max(start, at - _MAX_SPAN_CHARS), at) is not None
    if opens_with_dash(text, at, start) or factorial:
        return True
    continues = _continues_with_small_letter if len(run) == 1 else starts_with_speech_verb
    return continues(text, cut, final=final)


def _continues_touching(text: str, at: int, *, final: bool) -> bool | None:
    """Return whether text that touches the mark continues the sentence, unlike `Yes!😊 How`, `네!ㅋㅋ`."""
    if text[at] not in _TOUCHING:
        return not is_emoji(text[at])
    emoticon = _emoticon_end(text, at, final=final)
    return None if emoticon == NEED_MORE else emoticon == NOT_FOUND


def _continues_with_small_letter(text: str, at: int, *, final: bool) -> bool | None:
    """Return whether a small letter continues `Yahoo! is`, and begins no `iPhone` or emoticon."""
    emoticon, after = _emoticon_or_emoji_end(text, at, final=final), text[at + 1 : at + 2]
    if emoticon == NEED_MORE or not (after or final):
        return None
    return emoticon == NOT_FOUND and not after.isupper()


def _continues_after_ellipsis(text: str, at: int, *, final: bool) -> bool | None:
    """Return whether a sentence continues after an ellipsis: `No… ¿sí?`, `وثائق... الخ`."""
    if text[at] not in "¿¡":
        return _AND_SO_ON.match_at(text, at, final=final)
    inner = text[at + 1 : at + 2]
    return inner.islower() if inner or final else None


def _trails_off(run: str) -> bool:
    return run != "." and not run.strip(".…‥")


def _is_mentioned(  # noqa: PLR0911
    text: str, start: int, at: int, end: int, closed: int, cut: int, *, final: bool
) -> bool | None:
    """Return whether the mark is part of the sentence, as in `find . -name`, `5! = 120` and `1 + ... + n`."""
    after = text[cut]
    if after in _OPERATORS and (
        _is_factorial(text, start, at) if text[at:end] == "!" else _is_left_out(text, start, at, end)
    ):
        operator = _follows_operator(text, cut, final=final)
        if operator is not False:
            return operator
    if after in COLONS:  # `Ex. : ceci`, but `Yes. :)`
        return text[cut + 1].isspace() if cut + 1 < len(text) else final or None
    if after in ENDS:  # marks that stand alone belong to the sentence before them
        stop = _skip(text, cut, _END_MARKS, _MAX_END_MARKS)
        return text[stop].isspace() if stop < len(text) else final or None
    if after in "をなと" and not final and text[cut:] in {"な", "と", "とい"}:
        return None
    if text.startswith(_PARTICLES, cut):
        return True
    run, before = text[at:end], text[max(start, at - 1) : at]
    if len(run) == 1 and closed > end:
        return before in _LONE_QUOTES and text[end] in QUOTE_ENDS
    if closed > end or before not in SPACES or not before:
        return False
    if _trails_off(run):
        return after.isalpha() and not after.isupper()
    if run != "." or is_lowercase_line(text, at, start):
        return False
    if after not in "(-":
        return after.islower()
    inner = text[cut + 1 : cut + 2]
    return None if not inner and not final else inner.isalpha() and not inner.isupper()


def _is_between_wide(text: str, start: int, at: int, end: int, closed: int) -> bool:
    """Return whether ASCII marks separate letters of a script without spaces: `你好!我是`."""
    before, after = text[max(start, at - 1) : at], text[closed : closed + 1]
    wide = "\u3040" <= before <= "\u9fff" and "\u3040" <= after <= "\u9fff"
    return wide and not _trails_off(text[at:end])


def _continues_glued(text: str, start: int, end: int, closed: int, cut: int, *, final: bool) -> bool | None:
    """Return whether the sentence continues after marks of a script without spaces."""
    after = text[cut : cut + 1]
    if cut == closed and after in PARTICLE_STARTS:
        if len(text) < cut + PARTICLE_LOOKAHEAD_CHARS and not final:
            return None
        if follows_particle(text, cut, closes=closed > end):
            return True
    if closed == end:
        return text[end - 1] == "．" and cut == end and after.isdigit()
    heads = text[closed - 1] == "】" and after.isalpha()  # `【注意！】别打开`
    if after.islower() or (cut == closed and ((after in _CONTINUES and after != "") or heads)):
        return True
    if after in DASHES:
        return continues_after_dash(text, cut, quoted=True, final=final)
    quoted = not QUOTE_ENDS.isdisjoint(text[end:closed])
    return is_attributed(text, start, end, closed, cut, final=final) if quoted and after.isalpha() else False
