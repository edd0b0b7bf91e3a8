"""Words that shorten others: by their kind, and by what stands around them."""

from __future__ import annotations

import pytest

from streamcord._text.language.abbreviations import (
    WordSet,
    continues_after_clock_time,
    continues_after_exclaimed_name,
    find_plain_end,
    is_abbreviation,
    is_initial,
    is_known_abbreviation,
    is_measure,
    is_never_abbreviated,
    is_numeral,
    sentence_starters,
    word_after_space,
)


def judge(marked: str, *, final: bool = True) -> bool | None:
    """The verdict on the word before the bar, whose dot and space stand where the bar is."""
    head, _, tail = marked.partition("|")
    *rest, word = head.split(" ")
    text = f"{head}. {tail}"
    return is_abbreviation(word, rest[-1] if rest else "", text, len(head) + 2, final=final)


SHORT = """
    Dr|Who; vs|Bean; etc|and; usw|und; etc|; Inc|announced; p.m|EST; U.S|Senate; 1999 г|он; г|Москва; Gen|Lee
    gen|5; St|Louis; ca|1900; Ca|5; Mon|morning; Wed|5; no|5; max|length; Dr. med|Müller; Dr hab|Nowak
    Hauptstr|5; Main St|near; al|and; z.B|Äpfel; Std|Fahrt; ex|5
    le bd|Voltaire; p. ex|Paul; Dª|Ana; P.S|I; PS|I; 12 ff|und; 5 bd|Voltaire; 50 av|J.-C.
    5 p.m|on; 5 p.m|Eastern; 5 p.m|EST; MR|SMITH; Ed|Miller; Cap|Haddock; cap|5; Ft|Worth; 5 in|long
    Tel|(030); tel|+49; Mar|5; de mar|a; art|L. 121; art|R123; D.Lgs|196; in Feb|nice; 5 Min|Fahrt
    s|XX; vol|II and; cap|V; de seg|a; a sex|das; 1917 r|to; XX w|to; pt|od; нояб|1918; ود|منى
    m. in|Anna; см|Рис; o godz|15; им|А. С.; İng|cat; Hz|Ali; Jan|5; rozdz|II; ст|158
"""
ENDS = """
    word|Next; etc|And; usw|«So»; Inc|The; p.m|Then; U.S|¿Qué; 1999 г|Он; gen|Then; CA|Smith; Mon|We; mon|ami
    no|That; ex|She; med|Then; Hauptstr|Dann; Main St|It; hauptstr|dann; Std|Dann; word|; vitamin.C|x; a.bcd|x
    no|I; no|Xenia; vol|Later; of sex|then; a sex|Then; 1917 r|Potem; XX w|Potem
    5 p.m|Bring; 5 p.m|«; the SIG|It; Ed|He; ed|Then; was in|long; 10 in|Then; tel|Then; le mar|Then
    in Feb|We; 5th Ave|It; 5 min|Puis; av.J.-C|C'est; art|Later; art|L’avare; a.bcd|X
    150 PS|Das; ps|i; PS|; ff|Dann
    Jan|Potem; 5 см|Он; тыс. руб|Он; 5 godz|Potem; х гг|Потом; н.э|Цезарь; им|Пусть; рис|Он; 50 Hz|Sonra
"""


def rows(page: str) -> list[str]:
    return [row.strip() for line in page.splitlines() for row in line.split(";") if row.strip()]


@pytest.mark.parametrize("marked", rows(SHORT))
def test_a_dot_that_shortens_a_word_is_no_end(marked: str) -> None:
    assert judge(marked) is True


@pytest.mark.parametrize("marked", rows(ENDS))
def test_a_dot_behind_an_ordinary_word_may_be_one(marked: str) -> None:
    assert judge(marked) is False


def test_what_begins_a_sentence_is_waited_for_only_while_it_may_come() -> None:
    assert judge("U.S|", final=False) is None
    assert judge("U.S|Th", final=False) is None
    assert judge("U.S|The", final=False) is None  # Then, There
    assert judge("U.S|The ", final=False) is False
    assert judge("U.S|S", final=False) is None
    assert judge("U.S|Sena", final=False) is True


def test_behind_a_time_a_word_is_waited_for_to_its_end() -> None:
    assert continues_after_clock_time("5 p. m. Ea", 8, final=False) is None
    assert continues_after_clock_time("5 p. m. Ea", 8, final=True) is False
    assert continues_after_clock_time("5 p. m. " + "E" * 20, 8, final=False) is True
    assert judge("art|L", final=False) is None
    assert judge("art|L. ", final=False) is None


def test_a_name_goes_on_behind_an_initial_or_a_cry_unless_a_sentence_begins() -> None:
    assert is_initial("J. Smith", 3, final=True) is True
    assert is_initial("J. Le Carré", 3, final=True) is True
    assert is_initial("A. I. Smith", 3, final=True) is True
    assert is_initial("a B. Then", 5, final=True) is False
    assert is_initial("J.-C. C'est", 6, final=True) is False
    assert is_initial("a B. Th", 5, final=False) is None
    assert continues_after_exclaimed_name("Yahoo", "Yahoo! Mail", 7, final=True) is True
    assert continues_after_exclaimed_name("Yahoo", "Yahoo! It is", 7, final=True) is False
    assert continues_after_exclaimed_name("Yahoo", "Yahoo! I", 7, final=False) is None
    assert continues_after_exclaimed_name("Stop", "Stop! Mail", 6, final=True) is False


def test_words_are_known_in_any_case() -> None:
    assert is_known_abbreviation("Dr")
    assert is_known_abbreviation("ETC")
    assert not is_known_abbreviation("word")
    assert "The" in sentence_starters()


def test_a_roman_number_is_waited_for_to_its_end() -> None:
    assert judge("vol|X", final=False) is None
    assert judge("vol|XII", final=False) is None
    assert judge("vol|XII,", final=False) is True
    assert judge("vol|Xe", final=False) is False


def test_measures_and_numerals_are_known_by_what_stands_before_them() -> None:
    assert is_measure("Г")
    assert not is_measure("Dr")
    assert is_numeral("IV", "vol.")
    assert not is_numeral("IV", "vol")
    assert not is_numeral("IV", "Dr.")
    assert not is_numeral("Then", "vol.")


WORDS = WordSet(("Mai", "Maiden", "Juni"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", None),
        ("M", None),
        ("Mai", None),
        ("Mai ", True),
        ("Maid", None),
        ("Maids", False),
        ("Maiden.", True),
        ("x", False),
        ("mai ", False),
        (" Mai", False),
        ("Maidens and more", False),
    ],
)
def test_a_word_is_known_at_the_first_letter_that_leaves_no_doubt(text: str, found: bool | None) -> None:
    assert WORDS.match_at("im " + text, 3, final=False) is found


def test_the_end_of_the_text_ends_the_word() -> None:
    assert WORDS.match_at("Mai", 0, final=True) is True
    assert WORDS.match_at("Ma", 0, final=True) is False
    assert WORDS.match_at("", 0, final=True) is False


def test_a_word_is_looked_up_as_it_is_written() -> None:
    assert "Mai" in WORDS
    assert "mai" not in WORDS


@pytest.mark.parametrize("word", ["house", "größe", "стены"])
def test_a_word_of_small_letters_is_shortened_by_no_dot(word: str) -> None:
    assert is_never_abbreviated(word)


@pytest.mark.parametrize("word", ["", "the", "House", "approx", "phil", "viii", "a-bcd", "U.S", "12th"])
def test_no_other_word_is_plain(word: str) -> None:
    assert not is_never_abbreviated(word)


@pytest.mark.parametrize(
    ("text", "mark", "next_word"),
    [
        ("the river. Then", ".", "Then"),
        ("is it? To", "?", "To"),
        ("go on! Over", "!", "Over"),
    ],
)
def test_a_mark_between_a_plain_word_and_a_capital_is_an_end(text: str, mark: str, next_word: str) -> None:
    assert find_plain_end(text, text.index(mark), 0) == text.index(next_word)


@pytest.mark.parametrize(
    "text",
    [
        "see vol. The",
        "the NASA! Then",
        "a b? then",
        "so it. A",
        "I cry! TwT",
        "I laugh! Xd",
        "go on.. The",
        "Go! On",
    ],
)
def test_other_ends_take_a_longer_look(text: str) -> None:
    assert find_plain_end(text, next(at for at, char in enumerate(text) if char in ".!?"), 0) == 0


def test_the_word_before_a_mark_stands_behind_a_space_in_sight() -> None:
    assert word_after_space("so it is.", 8, 0) == "is"
    assert word_after_space("so it is.", 8, 6) == ""
    assert word_after_space("a " + "b" * 40 + ".", 42, 0) == ""
