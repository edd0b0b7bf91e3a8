"""The verdict on a single dot: the word before it and what stands behind it tell whether a sentence ends."""

from __future__ import annotations

from unicodedata import category

from .abbreviations import STARTERS, is_abbreviation
from .counting import is_counting, is_roman, opens_line
from .inline import TEXT as NO_END
from .inline import WAIT
from .sentence_marks import SPACES

__all__ = ["judge_dot"]

_WORD_LENGTH = 32
# `Plan B. Then`: nouns that a letter tells apart, so that it is no initial.
_LETTERED = frozenset(
    """
    plan option type typ vitamin grade group gruppe team class klasse hepatitis answer antwort variant
    variante tier appendix anhang opción tipo vitamina grupo equipo classe clase plano opção gruppo squadra
    вариант план витамин тип группа класс witamina grupa klasa wariant plik planı tipi grubu sınıf seçenek
    """.split()  # noqa: SIM905
)


def judge_dot(text: str, at: int, start: int, cut: int, *, final: bool) -> int:
    """Where to cut behind a dot and its spaces, or `NO_END`, or `WAIT`."""
    begin = _word_start(text, at, start)
    word = text[begin:at].lstrip(".")
    if not word or at - begin >= _WORD_LENGTH:
        return cut
    if word.replace(".", "").isdigit():
        return _verdict(is_counting(text, begin, word, start, cut, final=final), cut)
    before = _word_before(text, begin, start)
    short = is_abbreviation(word, before, text, cut, final=final)
    if short is None:
        return WAIT
    if short or is_roman(text, begin, word, start, cut):
        return NO_END
    if len(word) == 1:
        return _judge_letter(text, begin, start, cut, word, before, final=final)
    return _judge_double(text, begin, start, cut, final=final) if _is_double(word) else cut


def _verdict(no_end: bool | None, cut: int) -> int:
    return WAIT if no_end is None else NO_END if no_end else cut


def _judge_letter(  # noqa: PLR0911
    text: str, begin: int, start: int, cut: int, letter: str, before: str, *, final: bool
) -> int:
    """The verdict on a dot behind one letter: an initial, a list's letter, half of `z. B.`, or an end."""
    if letter.isupper():
        if letter == "I":
            return cut if before.isalpha() and before.islower() else NO_END
        return cut if before.lower() in _LETTERED else NO_END
    if "\u0620" <= letter <= "\u064a":
        return NO_END  # an Arabic title is one letter
    if not letter.islower():
        return cut
    after = text[cut : cut + 2]
    if opens_line(text, begin, start) or _ends_letter(text, begin, start) or after[:1].islower():
        return _verdict(_goes_on_behind_letters(text, begin, start, cut, final=final), cut)
    if after[:1].isdigit():
        return cut if letter in "xyz" else NO_END
    if len(after) == 1 and after.isalpha() and not final:
        return WAIT  # a dot behind the next letter would tell
    return NO_END if after[:1].isalpha() and after[1:] == "." else cut


def _goes_on_behind_letters(text: str, begin: int, start: int, cut: int, *, final: bool) -> bool | None:
    """`d. h. Das` goes on; `и т. д. Он` does not, since a list has ended and a sentence begins."""
    if not text[max(start, begin - 4) : begin + 1].endswith(("т. д", "т. п")):
        return True
    started = STARTERS.start(text, cut, final=final)
    return None if started is None else not started


def _is_double(word: str) -> bool:
    return len(word) == 2 and word[0] == word[1] and word.isupper()


def _judge_double(text: str, begin: int, start: int, cut: int, *, final: bool) -> int:
    """`EE. UU.` and the like: plurals of initials, which come in pairs."""
    before = text[max(start, begin - 4) : begin].rstrip()
    if before[-1:] == "." and _is_double(before[-3:-1]):
        started = STARTERS.start(text, cut, final=final) if text[cut : cut + 1].isupper() else False
        return _verdict(None if started is None else not started, cut)
    after = text[cut : cut + 3]
    if len(after) < 3 and not final and after == after[:1] * len(after) and after.isupper():
        return WAIT
    return NO_END if after[2:] == "." and _is_double(after[:2]) else cut


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
