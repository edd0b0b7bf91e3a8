"""Decide whether a single period ends a sentence, by the words around it.

A period ends sentences, marks abbreviations, and follows numbers: list items, days, ordinals, chapters. English
sentences end with numbers, while German, Polish, Turkish and others write ordinals with a period. The text before
the number decides, or a noun after it that only follows ordinals.
"""

from __future__ import annotations

import re
from functools import cache

from ..tokens import NEED_MORE, NOT_FOUND
from ..word_lists import load_words
from .abbreviations import (
    WordSet,
    continues_after_clock_time,
    is_abbreviation,
    is_initial,
    is_measure,
    is_numeral,
    precedes_number,
    sentence_starters,
)
from .punctuation import (
    COLONS,
    COMMAS,
    ENDS,
    MAX_WORD_CHARS,
    SEMICOLONS,
    SPACES,
    class_of,
    opens_line,
    plain_word_before,
    word_before,
    word_start,
)

_LOOK_BACK_CHARS = 600
_MAX_TRUNCATED_CHARS = 5
_WORD_JOINERS = frozenset("'’_")
_TIES = frozenset("+&/")
_AND_LETTERS = frozenset("uo")  # `Müller u. Meier`
_VOWELS = frozenset("aeiouyäöüáéíóúýàèìòùâêîôûãõåæøœıąęěůаеёиоуыэюяіїє")
_INTERJECTIONS = frozenset("hm hmm mm mmm mhm pst psst sh shh brr grr tsk pfft nth zzz".split())  # noqa: SIM905
_CLOCK = re.compile(r"\d\s?[ap]\.\s?\Z")
_KOREAN_LETTERS = frozenset(
    "가나다라마바사차카타파ㄱㄴㄷㄹㅁㅂㅅㅇㅈ"
)  # of lists; `아.` and `하.` are interjections
_LAST_LETTERS = ("т. д", "т. п", "н. э", "n. e", "o. k", "v. m", "u. ä", "o. ä")
_SMALL_LETTERS = frozenset("abcdefghij")  # of lists
_DEGREES = frozenset("°º")  # `30 °C.`
_LANGUAGE_SAMPLE_CHARS = 120
_ROMAN = re.compile(r"(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_NUMBERS = "I II III IV V VI VII VIII IX X".split()  # noqa: SIM905
_PREVIOUS_ROMAN = dict(zip(_ROMAN_NUMBERS[1:], _ROMAN_NUMBERS, strict=False))  # which number is before it
_WORD = re.compile(r"\w++(?!\.)")  # but not `I.`, which counts
_MOVE = re.compile(r"(?:[KQRBNSTLDC]?[a-h]?[1-8]?x?[a-h][1-8]|[O0]-[O0])(?![^\W_])")  # of chess: `1. e4`
_PARTIAL_MOVE = re.compile(r"(?:[KQRBNSTLDC]?[a-h]?[1-8]?x?(?:[a-h][1-8]?)?|[O0](?:-[O0]?)?)\Z")
# `1918. 11. 11.` is a date: its first dot, and its last.
_DATE = re.compile(r"\d{1,2}\. ?\d")
_ITEM = re.compile(r"(\d{1,3}|[b-j])[.)](?=[ \t])")
# The first item of a list within a line: at its start, or after a mark.
_FIRST_ITEM = re.compile(rf"(?:\A|[{class_of(ENDS, COLONS, COMMAS, SEMICOLONS)}(]) ?[*_]{{0,3}}1[.)] ")
_PARTIAL_ITEM = re.compile(r"(?:\d{1,3}|[b-j])[.)]?\Z")
_PART_OF_DATE = re.compile(r"\d(?:\d?(?:\. ?)?)?")
_DATE_BEFORE = re.compile(r"\d{4}\. ?\d{1,2}\. ?")
_RANGE = re.compile(r"\d (?:bis|und|oder) \Z")  # `von 9 bis 5`
_ENGLISH_WORDS = frozenset("the are were you she they your have and of with only".split())  # noqa: SIM905
# These exist in other languages too, so they do not count next to foreign letters or words.
_MAYBE_ENGLISH = frozenset("is was i he it we my has had in to for at".split())  # noqa: SIM905
_FOREIGN = re.compile(
    r"(?i)[^\W\d_a-z]|(?<!\w)(?:der|die|das|den|dem|des|und|ist|ich|nicht|mit|sind|ve|og)(?!\w)"
)


@cache
def _words_after_ordinal() -> WordSet:
    return WordSet(load_words("words_after_ordinals"))


def classify_period(text: str, at: int, start: int, cut: int, *, final: bool) -> int:
    """Return where to cut after a period and its spaces, `NOT_FOUND` or `NEED_MORE`."""
    begin = word_start(text, at, start)
    word = text[begin:at].lstrip(".")
    # A word that is too long to examine is no abbreviation.
    if not word or at - begin >= MAX_WORD_CHARS or _is_measure(text, begin, start, word, cut):
        return cut
    if word.replace(".", "").isdigit():
        return _cut_or_wait(is_counting(text, begin, word, start, cut, final=final), cut)
    before = word_before(text, begin, start)
    if (
        before[-1:].isdigit()
        and (item := _next_item_follows(text, begin, start, cut, final=final)) is not False
    ):
        return NEED_MORE if item is None else cut  # `Wait 10 min. 3. Serve`
    short = is_abbreviation(word, before, text, cut, final=final)
    if short is None:
        return NEED_MORE
    return NOT_FOUND if short else _classify_word(text, begin, start, cut, word, before, final=final)


def _classify_word(  # noqa: PLR0911
    text: str, begin: int, start: int, cut: int, word: str, before: str, *, final: bool
) -> int:
    """Classify a period after a word that is no known abbreviation."""
    if is_measure(word) or text[begin - 1 : begin] in _DEGREES or is_numeral(word, before):
        return cut
    if is_roman(text, begin, word, start, cut):
        return NOT_FOUND
    if len(word) == 1:
        if begin - start > 1 and text[begin - 1] in _WORD_JOINERS and text[begin - 2].isalpha():
            return cut  # `isn't. A. Smith`, `user_u. Then`
        return _classify_letter(text, begin, start, cut, word, before, final=final)
    if _is_double(word):
        return _classify_double(text, begin, start, cut, final=final)
    if text[max(start, begin - 2) : begin] == ".-":
        return _cut_or_wait(is_initial(text, cut, final=final), cut)  # `Dipl.-Psych. Huber`
    if _is_shortened(word, before, text[cut : cut + 1]):
        return NOT_FOUND
    return (
        NOT_FOUND if text[cut : cut + 1].islower() and _is_truncated_word(text, begin, word, start) else cut
    )


def _is_shortened(word: str, before: str, after: str) -> bool:
    """Return whether an unlisted word is an abbreviation, judged by the text after it."""
    if not _has_no_vowel(word):
        return False
    return after.islower() or (after.isdigit() and not word.isupper() and not before[-1:].isdigit())


def _has_no_vowel(word: str) -> bool:
    """Return whether a word cannot be pronounced, like `Hbf`: it is an abbreviation."""
    small = word.lower()
    return (
        word.isalpha() and small != word.upper() and _VOWELS.isdisjoint(small) and small not in _INTERJECTIONS
    )


def _is_truncated_word(text: str, begin: int, word: str, start: int) -> bool:
    """Return whether a short Cyrillic word ends with a consonant (`техн.`) in capitalized text."""
    if (
        len(word) > _MAX_TRUNCATED_CHARS
        or not "б" <= word[-1] <= "щ"
        or word[-1] in _VOWELS
        or word[-1] == "й"
    ):
        return False
    lower_bound = max(start, begin - _LOOK_BACK_CHARS)
    line = max(lower_bound, text.rfind("\n", lower_bound, begin) + 1)
    return next(filter(str.isalpha, text[line : begin + 1]), "").isupper()


def _cut_or_wait(continues: bool | None, cut: int) -> int:
    """Return the cut, or the sentinel for a sentence that continues or is undecided."""
    return NEED_MORE if continues is None else NOT_FOUND if continues else cut


def _classify_letter(  # noqa: PLR0911
    text: str, begin: int, start: int, cut: int, letter: str, before: str, *, final: bool
) -> int:
    """Classify a period after one letter: an initial, a list item, half of `z. B.`, or an end."""
    if letter.isupper():
        return _classify_capital(text, begin, start, cut, letter, before, final=final)
    if "\u0620" <= letter <= "\u064a":
        return NOT_FOUND  # an Arabic title is one letter
    if not letter.islower():
        return NOT_FOUND if letter in _KOREAN_LETTERS and opens_line(text, begin, start) else cut
    if letter in _SMALL_LETTERS and _is_small_list_letter(text, begin, start, letter):
        return NOT_FOUND
    after = text[cut : cut + 2]
    if letter == "m" and _CLOCK.search(text, max(start, begin - 5), begin):
        return _cut_or_wait(continues_after_clock_time(text, cut, final=final), cut)
    if opens_line(text, begin, start) or _ends_letter(text, begin, start) or after[:1].islower():
        return _cut_or_wait(_continues_after_letters(text, begin, start, cut), cut)
    if after[:1].isdigit():
        return cut if letter in "xyz" else NOT_FOUND
    if letter in _AND_LETTERS and text[begin - 1] in SPACES:  # but not `search ~o. Si`
        return NOT_FOUND
    if letter == "n" and after[:1] == "C":
        rest = text[cut : cut + 3]  # `n. Chr.`
        return NOT_FOUND if rest == "Chr" else NEED_MORE if "Chr".startswith(rest) and not final else cut
    if len(after) == 1 and after.isalpha() and not final:
        return NEED_MORE  # a period after the next letter would decide
    return NOT_FOUND if after[:1].isalpha() and after[1:] == "." else cut


def _classify_capital(
    text: str, begin: int, start: int, cut: int, letter: str, before: str, *, final: bool
) -> int:
    """Classify a period after one capital: an initial, unless a sentence begins after it."""
    if letter == "I" and before.isalpha() and before.islower():
        return cut
    lead = text[max(start, begin - 2) : begin]
    is_part = lead == " -" or lead[-1:] in _TIES  # `ls -P. Then`, `Ctrl+C. Then`, but `Jean-P. Dupont`
    if is_part or before.lower() in load_words("lettered_nouns"):
        return cut
    if cut == len(text) and (before.islower() or before.isupper()):
        return cut  # `I got a B.`, `SO DO I.`, and nothing more
    if before[-1:].isdigit() and letter in load_words("units"):
        return cut  # `at 273 K. Then`
    if (letter == "M" and not before[-1:].isdigit()) or _is_list_letter(text, begin, start, letter):
        return NOT_FOUND  # but `$5 M. Then`
    return _cut_or_wait(is_initial(text, cut, final=final), cut)


def _is_list_letter(text: str, begin: int, start: int, letter: str) -> bool:
    """Return whether a capital is a list item: it opens the line or follows its predecessor."""
    if opens_line(text, begin, start):
        return True
    if letter == "A":
        return text[max(start, begin - 2) : begin] in {": ", "; "}
    return f" {chr(ord(letter) - 1)}. " in f" {text[max(start, begin - _LOOK_BACK_CHARS) : begin]}"


def _is_small_list_letter(text: str, begin: int, start: int, letter: str) -> bool:
    """Return whether a small letter is a list item: `First: a. Wash it. b. Dry it`."""
    mark = text[max(start, begin - 2) : begin]
    if letter == "a" or mark[1:] != " ":
        return mark == ": "
    seen = f" {chr(ord(letter) - 1)}. " in text[max(start, begin - _LOOK_BACK_CHARS) : begin]
    return seen and (mark[0] in ENDS or mark[0] in COMMAS or mark[0] in SEMICOLONS)


def _continues_after_letters(text: str, begin: int, start: int, cut: int) -> bool:
    """Return whether the sentence continues: after `d. h. Das` it does, after `и т. д. Он` not."""
    if not text[max(start, begin - 4) : begin + 1].endswith(_LAST_LETTERS):
        return True
    return not text[cut : cut + 1].isupper()


def _is_measure(text: str, begin: int, start: int, word: str, cut: int) -> bool:
    """Return whether a word after a slash ends a sentence: `60 км/ч. Затем`."""
    after_slash = text[max(start, begin - 1) : begin] == "/"
    return after_slash and word.islower() and text[cut : cut + 1].isupper()


def _is_double(word: str) -> bool:
    return len(word) == 2 and word[0] == word[1] and word.isupper()


def _classify_double(text: str, begin: int, start: int, cut: int, *, final: bool) -> int:
    """Classify a period after a doubled capital, as in `EE. UU.`: plurals of initials come in pairs."""
    before = text[max(start, begin - 4) : begin].rstrip()
    if before[-1:] == "." and _is_double(before[-3:-1]):
        started = (
            sentence_starters().match_at(text, cut, final=final) if text[cut : cut + 1].isupper() else False
        )
        return _cut_or_wait(None if started is None else not started, cut)
    after = text[cut : cut + 3]
    if len(after) < 3 and not final and after == after[:1] * len(after) and after.isupper():
        return NEED_MORE
    return NOT_FOUND if after[2:] == "." and _is_double(after[:2]) else cut


def _ends_letter(text: str, begin: int, start: int) -> bool:
    """Return whether a single letter and its period are before `begin`: the second half of `d. h.`."""
    before = text[max(start, begin - MAX_WORD_CHARS) : begin].rstrip(" \t\u00a0\u202f")
    return before[-1:] == "." and before[-2:-1].isalpha() and not before[-3:-2].isalnum()


# --- Numbers and ordinals -------------------------------------------------------------------------------


def is_counting(  # noqa: PLR0911
    text: str, begin: int, word: str, start: int, cut: int, *, final: bool
) -> bool | None:
    """Return whether a number is an ordinal or numbers what follows; None if more text is needed."""
    if opens_line(text, begin, start) or _continues_numbering(text, begin, word, start):
        return True
    if _continues_enumeration(text, begin, word, start):
        return True
    before = plain_word_before(text, begin, start)
    if _is_numbered(text, begin, before, start):
        return True
    if len(word.partition(".")[0]) > 3:
        return _begins_date(text, cut, final=final) if len(word) == 4 else False
    after = text[cut : cut + 1]
    if "." in word and (after.isupper() or word.count(".") > 1):
        return False  # a day, `am 7.7.1988. Dann`
    led = before.lower() in load_words("words_before_ordinals") and not _RANGE.search(
        text, max(start, begin - 8), begin
    )
    if led and not _is_english(text, begin, start):
        return _precedes_noun(text, cut, final=final)
    if "." in word:
        return False
    if after.isdigit():
        item = _next_item_follows(text, begin, start, cut, final=final)
        return None if item is None else not item and len(word) < 3
    if _MOVE.match(text, cut):
        return True
    if not final and _PARTIAL_MOVE.match(text, cut):
        return None
    if (after.islower() and not _is_english(text, begin, start)) or _ends_date(text, begin, start, after):
        return True
    return _words_after_ordinal().match_at(text, cut, final=final) if after.isalpha() else False


def _next_item_follows(text: str, begin: int, start: int, cut: int, *, final: bool) -> bool | None:
    """Return whether the number of the next list item within the line is at `cut`."""
    item = _ITEM.match(text, cut)
    if item is None:
        return None if not final and _PARTIAL_ITEM.match(text, cut) else False
    before = int(item[1]) - 1 if item[1].isdecimal() else chr(ord(item[1]) - 1)
    last = rf"(?:\A|\n|[^\d\s][{class_of(ENDS, COLONS, COMMAS, SEMICOLONS)})]) *{before}[.)] "
    return re.search(last, text[max(start, begin - _LOOK_BACK_CHARS) : begin]) is not None


def _precedes_noun(text: str, cut: int, *, final: bool) -> bool | None:
    """Return whether the text after an ordinal is no word that begins sentences."""
    if not text[cut : cut + 1].isupper():
        return True
    started = sentence_starters().match_at(text, cut, final=final)
    if not started:
        return None if started is None else True
    end = _WORD.match(text, cut)
    return end is None or end[0] == "Morgen"


def _begins_date(text: str, cut: int, *, final: bool) -> bool | None:
    """Return whether a month and a day follow a year."""
    if _DATE.match(text, cut):
        return True
    part = _PART_OF_DATE.match(text, cut)
    return None if part and part.end() == len(text) and not final else False


def _ends_date(text: str, begin: int, start: int, after: str) -> bool:
    """Return whether a year and a month are before a day, and Hangul after it, as Korean writes dates."""
    return "가" <= after <= "힣" and any(
        begin - start >= size and _DATE_BEFORE.fullmatch(text, begin - size, begin) for size in range(7, 11)
    )


def is_roman(text: str, begin: int, word: str, start: int, cut: int) -> bool:
    """Return whether a roman number of several letters counts: `II. Methods`, `Ludwig XIV. war`."""
    if len(word) < 2 or _ROMAN.fullmatch(word.upper()) is None:
        return False
    if opens_line(text, begin, start):
        return True
    if not word.isupper():
        return False
    before = plain_word_before(text, begin, start)
    after_end = text[max(start, begin - 2) : begin].rstrip()[-1:] in ENDS
    if (
        _PREVIOUS_ROMAN.get(word) is not None
        and f" {_PREVIOUS_ROMAN[word]}. " in f" {text[max(start, begin - _LOOK_BACK_CHARS) : begin]}"
    ):
        return True
    return after_end or before.lower() in load_words("words_before_ordinals") or text[cut : cut + 1].islower()


def _continues_numbering(text: str, begin: int, word: str, start: int) -> bool:
    """Return whether a number is the first item of a list within a line, or follows its predecessor."""
    at = begin
    while at > start and (text[at - 1] in SPACES or text[at - 1] in "*_("):
        at -= 1
    mark = text[at - 1 : at]
    if not word.isdecimal() or len(word) > 3:
        return False
    if mark == "." and precedes_number(text[word_start(text, at - 1, start) : at - 1]):
        return False  # `He is no. 1. She is`
    number = int(word)
    if mark in ENDS or (at < begin and mark in COLONS | SEMICOLONS | COMMAS):
        return number <= 1 or f" {number - 1}. " in f" {text[max(start, begin - _LOOK_BACK_CHARS) : begin]}"
    return False


def _continues_enumeration(text: str, begin: int, word: str, start: int) -> bool:
    """Return whether a number continues a list of phrases within a line: `States: 1. Solid 2. Liquid`."""
    if not word.isdecimal() or len(word) > 2 or int(word) < 2 or text[begin - 1 : begin] not in SPACES:
        return False
    lower_bound = max(start, begin - _LOOK_BACK_CHARS)
    line = text[max(lower_bound, text.rfind("\n", lower_bound, begin) + 1) : begin]
    first = _FIRST_ITEM.search(line)
    # `He's no. 1. She's no. 2.`
    if first is None or precedes_number(line[word_start(line, first.start(), 0) : first.start()]):
        return False
    return re.search(rf"(?<!\S){int(word) - 1}[.)] ", line) is not None


def _is_numbered(text: str, begin: int, before: str, start: int) -> bool:
    """Return whether a sentence begins with a word such as `Step`, and this is its number."""
    if before.lower() not in load_words("numbered_nouns") or before[:1].islower():
        return False
    at = text.rindex(before, start, begin)
    return opens_line(text, at, start) or text[max(start, at - 6) : at].rstrip(" *_\"'(")[-1:] in ENDS


def _is_english(text: str, begin: int, start: int) -> bool:
    """Return whether the text before is English, judged by its function words."""
    lower_bound = max(start, begin - _LANGUAGE_SAMPLE_CHARS)
    words = {word.lower() for word in _WORD.findall(text, lower_bound, begin)}
    if not _ENGLISH_WORDS.isdisjoint(words):
        return True
    return not _MAYBE_ENGLISH.isdisjoint(words) and _FOREIGN.search(text, lower_bound, begin) is None
