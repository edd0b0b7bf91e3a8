"""Decide whether a period after a word marks an abbreviation or ends a sentence.

Some abbreviations never end a sentence, others only before certain words. The kinds are the sections of
`data/abbreviations.txt`. Functions that return `bool | None` return None if the answer depends on text that has
not arrived yet; with `final` they always decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from ..word_lists import load_sections, load_words


class WordSet:
    """A set of words that can be matched against text that is still arriving."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        # Every prefix of a word: text that ends with one of them may still become the word.
        self._beginnings = frozenset(word[:size] for word in self._words for size in range(1, len(word) + 1))
        # One more than the longest word: the next character shows that the word has ended.
        self.max_chars: Final = max(map(len, self._words)) + 1

    def __contains__(self, word: str) -> bool:
        return word in self._words

    def match_at(self, text: str, at: int, *, final: bool) -> bool | None:
        """Return whether one of the words is here, and no longer word; None if more text is needed."""
        end, last = at, min(len(text), at + self.max_chars)
        while end < last and text[end].isalpha():
            end += 1
        word = text[at:end]
        if end == len(text) and not final and end < at + self.max_chars:
            return None if word in self._beginnings or not word else False
        return word in self._words


_OPENING_MARKS = frozenset('¿¡«“„"「')
_WORDS_BEFORE_DAYS = frozenset("de a e às na até ou toda du au le al da dal il y et el los".split())  # noqa: SIM905
_KINDS_BEFORE_NUMBERS = frozenset({"number", "small", "title"})
_ROMAN = re.compile("[IVXL]{1,8}")
_ARTICLE = re.compile(r"[LR]\.? ?\d")  # of a French code: `art. L. 121`
_PARTIAL_ARTICLE = re.compile(r"[LR](?:\.? ?)?\Z")
_LOOK_BACK_CHARS = 32
_MAX_WORD_CHARS = 16
_WORD = re.compile(rf"\w{{1,{_MAX_WORD_CHARS}}}")
_PHONE = frozenset("(+")
_WORDS_AFTER_NAMES = frozenset({"St", "Ave", "Co", "Mt"})  # `Main St.`, but `St. Louis`
_MINUTES = frozenset({"min", "max", "sek", "std"})  # `5 min. Puis`, but `5 Min. Fahrt`
_CLOCK = frozenset({"a.m", "p.m"})
# `at 5 p.m. Eastern`: words that belong to the time before them.
_WORDS_AFTER_CLOCK_TIME = frozenset(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Eastern Central Mountain Pacific Greenwich
    January February March April May June July August September October November December
    """.split()  # noqa: SIM905
)
# `J. Lo`, `M. Le Pen`: words that begin sentences, and names too.
_NAMES = frozenset("Ma Lo So Do An Si Le La Les El Los Las Da Di Der Den Das Des Will See No Na".split())  # noqa: SIM905
_ELISION = re.compile("[CJS]['’]|Qu['’]")  # `av. J.-C. C'est`
_EXCLAIMED_NAMES = frozenset({"Yahoo", "Kahoot", "Joomla", "Yum", "Wham"})  # `Yahoo! Mail`
_WORDS_BEFORE_MIND = frozenset("in never my your her his don't mind of".split())  # noqa: SIM905
_TWO_PART_ABBREVIATIONS = frozenset(
    {("p.", "ex"), ("m.", "in"), ("c.", "civ"), ("c.", "pén"), ("c.", "trav")}
)  # `p. ex.`, `m. in.`, `C. civ.`
_QUANTITIES = frozenset("кв млн тыс млрд тис mln tys mld х е".split())  # noqa: SIM905 - `5 тыс. руб.`, `1990-х гг.`
_WORDS_AFTER_TITLES = frozenset(
    {
        "med",
        "phil",
        "jur",
        "rer",
        "nat",
        "habil",
        "hab",
        "pol",
        "theol",
        "mult",
        "vet",
        "dent",
        "oec",
        "em",
        "apl",
    }
)  # `Dr. med.`


@cache
def _kinds() -> dict[str, str]:
    """Return the kind of each listed abbreviation, in lower case."""
    sections = load_sections("abbreviations")
    return {word: kind for kind, words in reversed(sections.items()) for word in words}


@cache
def sentence_starters() -> WordSet:
    """Return the words that begin a sentence far more often than they follow an abbreviation."""
    return WordSet(load_words("sentence_starters"))


def is_known_abbreviation(word: str) -> bool:
    """Return whether a word, in any case, may be an abbreviation."""
    return _lower(word) in _kinds()


def _lower(word: str) -> str:
    """Return a word in lower case. Python lowers `İ` to two characters, which no list has."""
    return word.lower().replace("i̇", "i")


def is_never_abbreviated(word: str) -> bool:
    """Return whether a lowercase word is never an abbreviation or a number, in any context."""
    if len(word) < 4 or not (word.isalpha() and word.islower()) or word in _kinds():
        return False
    return word not in _WORDS_AFTER_TITLES and word.strip("ivxlcdm") != ""


# A mark, a space and a capital that begins no emoticon: the end of most sentences.
_BEFORE_SENTENCE = re.compile(r"[.!?] (?=[ACE-MPRSWYZ]|[A-Z][a-ce-ux-z]|([A-Z])[vw](?!(?i:\1))[a-z])")


def find_plain_end(text: str, at: int, start: int) -> int:
    """Return the cut before such a capital if the word before the mark is no abbreviation, else 0."""
    sentence = _BEFORE_SENTENCE.match(text, at)
    if sentence is None:
        return 0
    word = word_after_space(text, at, start)
    ends = is_never_abbreviated(word) if sentence[0] == ". " else word.isalpha() and word.islower()
    return sentence.end() if ends else 0


def word_after_space(text: str, at: int, start: int) -> str:
    """Return the word before a mark, if a space is near before it."""
    _, space, word = text[max(start, at - _LOOK_BACK_CHARS) : at].rpartition(" ")
    return word if space else ""


def is_measure(word: str) -> bool:
    """Return whether a word is a unit that follows a number."""
    return _kinds().get(word.lower()) == "measure"


def is_numeral(word: str, before: str) -> bool:
    """Return whether a word is the roman number of the abbreviation before it, as in `vol. II`."""
    leads = before.endswith(".") and precedes_number(before[:-1])
    return leads and word != "L" and _ROMAN.fullmatch(word) is not None


def precedes_number(word: str) -> bool:
    """Return whether a number follows a word and its dot: `no. 1`, `p. 1`, not `Ok. 1. Breathe`."""
    return _kinds().get(word.lower()) in _KINDS_BEFORE_NUMBERS and word not in {"Ok", "OK"}


def is_abbreviation(word: str, before: str, text: str, cut: int, *, final: bool) -> bool | None:
    """Return whether the dot after a word is that of an abbreviation; None if more text is needed.

    Args:
        word: The word before the dot.
        before: The word before it.
        text: The text so far.
        cut: Where the next sentence would begin.
        final: Whether no more text follows.

    """
    kind = _kinds().get(_lower(word)) or _guess_kind(word, before)
    if (before.lower(), word) in _TWO_PART_ABBREVIATIONS:
        return True
    if word.lower() in _CLOCK and before[-1:].isdigit():
        return continues_after_clock_time(text, cut, final=final)
    # Abbreviations such as `etc.` may also end a sentence; the next word decides.
    if _may_end_sentence(word, kind, before, text[cut : cut + 1]):
        return _continues_unless_started(text, cut, final=final)
    if kind in _KINDS_BEFORE_NUMBERS and text[cut : cut + 1] in "IVXLR":
        return _precedes_roman_number(text, cut, final=final)
    shortens = _SHORTENS_BY_KIND.get(kind)
    return shortens(word, before, text[cut : cut + 1]) if shortens else kind == "always"


def _may_end_sentence(word: str, kind: str, before: str, after: str) -> bool:
    """Return whether a sentence may end with an abbreviation if a common starter follows."""
    if kind == "starter":
        return not (word in _MINUTES and _is_number(before) and after.isupper())
    if kind == "always":
        return word.isalpha() and word.isupper() and len(word) > 1  # `the SIG. It`, but `MR. SMITH`
    if kind == "title" or word == "Ft":
        return word.istitle()
    return word in _WORDS_AFTER_NAMES and (before[:1].isupper() or before[:1].isdigit())


def continues_after_clock_time(text: str, cut: int, *, final: bool) -> bool | None:
    """Return whether a sentence continues after `5 p.m.`: a small letter, a zone or a day follows."""
    after = text[cut : cut + 1]
    if not after.isupper():
        return after not in _OPENING_MARKS
    word = _WORD.match(text, cut)[0]  # type: ignore[index]
    if cut + len(word) == len(text) and not final and len(word) < _MAX_WORD_CHARS:
        return None
    return word in _WORDS_AFTER_CLOCK_TIME or (word.isupper() and len(word) > 1)


def is_initial(text: str, cut: int, *, final: bool) -> bool | None:
    """Return whether a name continues after a capital letter and its dot."""
    if _ELISION.match(text, cut):
        return False
    started = sentence_starters().match_at(text, cut, final=final)
    if not started:
        return None if started is None else True
    word = _WORD.match(text, cut)[0]  # type: ignore[index]
    return word in _NAMES or text[cut + len(word) : cut + len(word) + 1] == "."


def continues_after_exclaimed_name(word: str, text: str, cut: int, *, final: bool) -> bool | None:
    """Return whether a name with an exclamation mark continues: `Yahoo! Mail`."""
    if word not in _EXCLAIMED_NAMES:
        return False
    started = sentence_starters().match_at(text, cut, final=final)
    return None if started is None else not started


def _guess_kind(word: str, before: str) -> str:
    """Return the kind of a word that is in no list."""
    if word in _WORDS_AFTER_TITLES and (before.endswith(".") or before.lower() == "dr"):
        return "always"
    street = word[:1].isupper() and word.endswith(("str", "pl"))
    return "starter" if street or _is_dotted(word) else ""


_SHORTENS_BY_KIND: dict[str, Callable[[str, str, str], bool]] = {
    "closing": lambda word, before, after: (
        not (after.isupper() or after in _OPENING_MARKS) or (word == "пр" and before != "и")  # `на пр. Мира`
    ),
    "measure": lambda _word, before, after: not (after.isupper() and _is_amount(before)),
    "capital": lambda word, _before, after: word[0].isupper() or after.isdigit(),
    "title": lambda _word, _before, after: after.isdigit() or after.islower(),
    "lower": lambda word, _before, _after: not word.isupper(),
    "day": lambda word, _before, after: word.istitle() and (after.islower() or after.isdigit()),
    "led day": lambda word, before, after: (
        (word.istitle() or before.lower() in _WORDS_BEFORE_DAYS) and (after.islower() or after.isdigit())
    ),
    "number": lambda word, before, after: (
        after.isdigit()
        and not (word == "mind" and before.lower() in _WORDS_BEFORE_MIND)  # but `mind. 2 Tage`
    ),
    "no number": lambda word, before, after: word.isupper() and not _is_number(before) and after.isalpha(),
    "small": lambda _word, _before, after: after.isdigit() or after.islower(),
    "starter": lambda _word, _before, _after: False,
    "unit": lambda word, before, after: (
        _is_number(before) and (after.islower() or after.isdigit() or (word.istitle() and after.isupper()))
    ),
    "phone": lambda _word, _before, after: after.isdigit() or after in _PHONE,
}


def _is_number(word: str) -> bool:
    return word[-1:].isdigit() or _ROMAN.fullmatch(word) is not None


def _is_amount(word: str) -> bool:
    return _is_number(word) or word.rstrip(".") in _QUANTITIES


def _precedes_roman_number(text: str, cut: int, *, final: bool) -> bool | None:
    """Return whether a roman number follows, as in `s. XX`; `I` or `L` alone is a word or a name."""
    if _ARTICLE.match(text, cut):
        return True
    if not final and _PARTIAL_ARTICLE.match(text, cut):
        return None
    number = _ROMAN.match(text, cut)
    end = number.end() if number else cut
    if end == len(text) and not final:
        return None
    return end > cut and text[cut:end] not in {"I", "L"} and not text[end : end + 1].isalpha()


def _is_dotted(word: str) -> bool:
    """Return whether a word is short parts with dots between them: `U.S`, `z.B`, `Ph.D`."""
    parts = word.split(".")
    if len(parts) < 2 or min(map(len, parts)) > 1 or not all(map(str.isalpha, parts)):
        return False
    return all(len(part) < 3 or (len(part) == 3 and part.istitle()) for part in parts)  # `D.Lgs`


def _continues_unless_started(text: str, cut: int, *, final: bool) -> bool | None:
    """Return whether the sentence continues: no starter, question or quotation follows."""
    if text[cut : cut + 1] in _OPENING_MARKS or _ELISION.match(text, cut):
        return False
    started = sentence_starters().match_at(text, cut, final=final)
    initial = text[cut + 1 : cut + 2] == "."  # `им. А. С. Пушкина`
    return None if started is None else initial or not started
