"""One judge of where a sentence ends, for text that is still arriving and for text that is whole.

A dot is the most ambiguous mark there is: it ends sentences, shortens words (`Dr.`, `z. B.`, `т. е.`), counts
(`1.`), and lives inside of names (`example.com`). The judge therefore looks a few characters back and ahead,
and every such look has a bound that is the same whether more text has arrived or not: what was judged for a
text is judged alike for every longer text, and what cannot be judged yet is `WAIT`.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category

from .graphemes import is_boundary
from .sentence_marks import CLOSERS, ENDS, SPACED_ENDS, SPACES, STOPS, SURE_CLOSERS, class_of

__all__ = ["NO_END", "WAIT", "ends_plainly", "judge_end", "split_sentences"]

WAIT: Final = -1
"""More text could change the answer."""
NO_END: Final = 0
"""No sentence ends here, whatever follows."""

_RUN = ENDS | frozenset("\ufe0e\ufe0f")  # ‼ and ⁉ are emoji too, and carry these
_CONTINUES = ENDS | frozenset("とっ、，,;；:：")  # after a closing quote, the sentence goes on
_LINE_LEADS = " \t>*_#-+•|~("

_RUN_LENGTH = 32
_CLOSER_COUNT = 16
_SPACE_COUNT = 64
_WORD_LENGTH = 32
_SPAN_LENGTH = 600

_ABBREVIATIONS = {
    # Never the end of a sentence.
    "always": """
        mr mrs ms mx messrs dr prof jr sr lt sgt capt cmdr cpl inc ltd corp dept vs v etc e.g i.e eg ie cf viz
        approx incl excl aka ibid blvd jan feb apr jun jul aug sep sept oct nov dec tue tues thu thur thurs
        b.sc m.sc d.phil
        usw bzw evtl ggf bspw inkl exkl vgl zzgl sog geb dipl hrsg mio mrd frl dgl okt dez
        mme mlle mmes mlles janv févr avr juil p.ex
        sra srta sres srs ud uds dra pág págs aprox ej avda ltda
        sig sigg dott ecc avv pag pagg bijv enz dhr mevr mw evt resp t.ex dvs osv f.eks mfl pga
        itd itp tzn tzw mgr inż godz tys mln mld ul např atd apod tzv vb örn doç κλπ डॉ प्रो
        ул г гг вв руб коп тыс млн млрд др пр см стр напр проф акад обл просп корп кв
    """,
    # Ordinary words when they are not capitalised.
    "capital": "gen col maj adm rep sen gov hon pres rev fr st ste co mt ave hr str mm bd ing pvt supt insp",
    # Names and initials when they are.
    "lower": "ca al",
    # Only before a number.
    "number": """
        no nos nr núm nº fig figs vol vols ch chap sec sect art p pp s c abs abb kap blz tel tél ext op kl рис
    """,
    # Only before a number or a small letter.
    "small": "ex env av min max est ed eds éd np",
}
_KINDS = {word: kind for kind, words in _ABBREVIATIONS.items() for word in words.split()}
# `am 3. Oktober`: what stands before an ordinal number in German and Danish.
_BEFORE_ORDINAL = frozenset({"am", "bis", "dem", "den", "der", "des", "seit", "vom", "zum", "zur"})


def judge_end(text: str, at: int, *, start: int = 0, final: bool = False, stops_only: bool = False) -> int:
    """Where to cut if a sentence ends with the marks that begin at `at`, or `NO_END`, or `WAIT`.

    The cut lies behind the marks, what they close, and spaces, but before a newline. Nothing before `start`
    is looked at; `final` says that no more text will come.
    """
    size = len(text)
    if not start <= at < size or text[at] not in ENDS or (at > start and text[at - 1] in ENDS):
        return NO_END
    end = _skip(text, at, _RUN, _RUN_LENGTH)
    closed = _skip(text, end, CLOSERS, _CLOSER_COUNT)
    if closed == size and not final:
        return WAIT
    glued = text[end - 1] not in SPACED_ENDS
    if glued:
        closed = _closed_behind(text, start, end, closed)
    cut = _skip(text, closed, SPACES, _SPACE_COUNT)
    if cut == size and not final:
        return WAIT
    run = text[at:end]
    if stops_only and STOPS.isdisjoint(run):
        return NO_END
    goes_on = (
        _goes_on_glued(text, end, closed, cut) if glued else _goes_on_spaced(text, run, end, closed, cut)
    )
    if goes_on or not is_boundary(text, cut):
        return NO_END
    return _judge_dot(text, at, start, cut, final=final) if run in {".", "．"} else cut


def ends_plainly(text: str, at: int) -> bool:
    """Whether a last dot certainly ends a sentence: it follows a word that is no abbreviation."""
    word = text[text.rfind(" ", 0, at) + 1 : at]
    return len(word) > 1 and word.isalpha() and word.lower() not in _KINDS


def split_sentences(text: str) -> list[str]:
    """The sentences of a whole text that has no markup, each with the white space behind it."""
    pieces: list[str] = []
    start = at = 0
    while found := _ANY_END.search(text, at):
        at = found.end()
        cut = judge_end(text, found.start(), start=start, final=True)
        if cut != NO_END:
            at = _SPACE.match(text, cut).end()  # type: ignore[union-attr]
            pieces.append(text[start:at])
            start = at
    return [*pieces, text[start:]] if start < len(text) else pieces


_ANY_END = re.compile(f"[{class_of(ENDS)}]")
_SPACE = re.compile(r"\s*")


def _skip(text: str, at: int, chars: frozenset[str], most: int) -> int:
    last = min(len(text), at + most)
    while at < last and text[at] in chars:
        at += 1
    return at


def _closed_behind(text: str, start: int, end: int, closed: int) -> int:
    """Where the closers behind a glued mark end: `**重要。**次` has two of them, `文。**太字**` none."""
    least = max(start, end - _SPAN_LENGTH)
    at = end
    while at < closed:
        if text[at] in SURE_CLOSERS:
            at += 1
            continue
        mark_end = _skip(text, at, frozenset(text[at]), closed - at)
        if text.count(text[at:mark_end], least, end) % 2 == 0:
            break
        at = mark_end
    return at


def _goes_on_spaced(text: str, run: str, end: int, closed: int, cut: int) -> bool:
    """Whether the sentence goes on behind marks of a script that writes spaces."""
    if closed < len(text) and not text[closed].isspace():
        return True
    trails_off = run != "." and not run.strip(".…‥")
    return (trails_off or closed > end) and text[cut : cut + 1].islower()


def _goes_on_glued(text: str, end: int, closed: int, cut: int) -> bool:
    """Whether the sentence goes on behind marks of a script that writes none."""
    after = text[cut : cut + 1]
    if closed == end:
        return text[end - 1] == "．" and cut == end and after.isdigit()
    return after.islower() or (cut == closed and after in _CONTINUES)


def _judge_dot(text: str, at: int, start: int, cut: int, *, final: bool) -> int:
    """The verdict on a single dot, by the word before it and the letter behind it."""
    begin = _word_start(text, at, start)
    word = text[begin:at].lstrip(".")
    if not word or at - begin >= _WORD_LENGTH:
        return cut
    if _is_abbreviation(word, text[cut : cut + 1]) or _is_number(text, begin, word, start):
        return NO_END
    return cut if len(word) > 1 else _judge_letter(text, begin, start, cut, word, final=final)


def _judge_letter(text: str, begin: int, start: int, cut: int, letter: str, *, final: bool) -> int:
    """The verdict on a dot behind one letter: an initial, a list's letter, half of `z. B.`, or an end."""
    if letter.isupper():
        before = _word_before(text, begin, start)
        return cut if letter == "I" and before.isalpha() and before.islower() else NO_END
    if not letter.islower():
        return cut
    after = text[cut : cut + 2]
    if _opens_line(text, begin, start) or _ends_letter(text, begin, start) or after[:1].islower():
        return NO_END
    if len(after) == 1 and after.isalpha() and not final:
        return WAIT  # a dot behind the next letter would tell
    return NO_END if after[:1].isalpha() and after[1:] == "." else cut


def _is_abbreviation(word: str, after: str) -> bool:
    match _KINDS.get(word.lower()):
        case "always":
            return True
        case "capital":
            return word[0].isupper()
        case "lower":
            return word.islower()
        case "number":
            return after.isdigit()
        case "small":
            return after.isdigit() or after.islower()
    parts = word.split(".")
    return len(parts) > 1 and min(map(len, parts)) == 1 and all(len(p) < 3 and p.isalpha() for p in parts)


def _is_number(text: str, begin: int, word: str, start: int) -> bool:
    """Whether a number counts something: an item of a list, or a day of a month."""
    if not word.replace(".", "").isdigit():
        return False
    if _opens_line(text, begin, start):
        return True
    before = _word_before(text, begin, start).lower()
    if len(word) > 2 or before not in _BEFORE_ORDINAL:
        return False
    return not text[max(start, begin - 5) : begin].lower().startswith("i am")


def _opens_line(text: str, begin: int, start: int) -> bool:
    """Whether only indentation and markers stand between the start of the line and `begin`."""
    least = max(start, begin - _WORD_LENGTH)
    newline = text.rfind("\n", least, begin)
    if newline < 0 and least > start:
        return False
    return not text[max(newline + 1, least) : begin].strip(_LINE_LEADS)


def _ends_letter(text: str, begin: int, start: int) -> bool:
    """Whether a single letter and its dot stand before `begin`, as in the second half of `d. h.`."""
    before = text[max(start, begin - _WORD_LENGTH) : begin].rstrip(" \t\u00a0\u202f")
    return before[-1:] == "." and before[-2:-1].isalpha() and not before[-3:-2].isalnum()


def _word_start(text: str, at: int, start: int) -> int:
    least = max(start, at - _WORD_LENGTH)
    while at > least and (text[at - 1].isalnum() or text[at - 1] == "." or category(text[at - 1])[0] == "M"):
        at -= 1
    return at


def _word_before(text: str, begin: int, start: int) -> str:
    end = begin
    while end > max(start, begin - _WORD_LENGTH) and text[end - 1] in SPACES:
        end -= 1
    return text[_word_start(text, end, start) : end]
