"""A single dot: behind letters, numbers, pairs of initials and words."""

from __future__ import annotations

import pytest

from streamcord._text.language.periods import classify_period, is_counting, is_roman
from streamcord._text.tokens import NEED_MORE, NOT_FOUND


def judge(marked: str, *, final: bool = True, start: int = 0) -> int:
    """The verdict on the dot that stands where the bar is, with a space after it."""
    head, _, tail = marked.partition("|")
    cut = len(head) + 2
    verdict = classify_period(f"{head}. {tail}", len(head), start, cut, final=final)
    return 1 if verdict == cut else verdict


@pytest.mark.parametrize(
    "marked",
    [
        "Dr|Who", "am 3|Mai", "J|Smith", "In World War I|Poland", "EE|UU.", "EE. UU|es", "д|5", "say z|B.",
        "am Hbf|in Köln", "Müller u|Meier", "Whg|3 ist", "14 n|Chr.", "um 5 p. m|en casa",
        "M|Will", "is: A|The cat", "First: a|Wash", "First: a. Wash it. b|Dry",
        "A. No B|The dog", "Dipl.-Psych|Huber", "I. Intro II|Methods",
        "so d. h|Das", "t|E.U.", "'t|E.U.",
        "a|First", "solve for x|then", "д. أ", "د|أحمد", "II|Methods", "и т. д|и всё",
        "가|첫째", "Канд|техн.", "Он секр|отдела", "حديث د|أحمد",
    ],
)  # fmt: skip
def test_a_dot_that_ends_nothing(marked: str) -> None:
    assert judge(marked if "|" in marked else marked + "|x") == NOT_FOUND


@pytest.mark.parametrize(
    "marked",
    [
        "word|Next", "|Next", ".|Next", "a" * 40 + "|Next", "In 1999|Then", "So did I|Then",
        "World War I|Then", "Plan B|Then",
        "AA|Then", "press Ctrl+C|Then", "I love R&B|So", "Hmm|ok", "fine|ok", "Hbf|In", "数字|ok",
        "EE. UU|Ella no", "for x|5", "for x|Then", "30 °C|Then", "at 273 K|Then", "18 ч|А. П.", "See vol. II|Then",
        "Pkw|Die", "10 km|5 sind", "la n|Casa", "a las 5 p. m|Trae", "I got a B|Then", "I got a B|",
        "ein Dr.-Kurs|Dann", "search ~o|Si",
        "我|Then", "и т. д|Он", "say z|Be", "It isn't|E.U. invariant", "It isn’t|E.U. invariant", "(x+1)²|Then",
        "아|그렇구나", "user_u|وأخيرا",
        "나는 가|첫째", "он секр|отдела", "Он\nон секр|отдела", "и т. д|Пушкин", "Нет|Потом",
        "Он ушёл домой|он",
    ],
)  # fmt: skip
def test_a_dot_that_ends_a_sentence(marked: str) -> None:
    assert judge(marked) == 1


def test_what_may_still_change_is_waited_for() -> None:
    assert judge("say z|B", final=False) == NEED_MORE
    assert judge("EE|U", final=False) == NEED_MORE
    assert judge("EE|UU", final=False) == NEED_MORE
    assert judge("EE|UV", final=False) == 1
    assert judge("EE. UU|E", final=False) == NEED_MORE
    assert judge("U.S|T", final=False) == NEED_MORE
    assert judge("heute 3|J", final=False) == NEED_MORE
    assert judge("14 n|Ch", final=False) == NEED_MORE
    assert judge("1. Wait for 10 min|2", final=False) == NEED_MORE
    assert judge("so I got a B|T", final=False) == NEED_MORE


def test_nothing_before_the_start_is_looked_at() -> None:
    assert judge("EE. UU|es", start=4) == 1


def judge_number(marked: str, *, final: bool = True, start: int = 0) -> bool | None:
    """The verdict on the number before the bar, whose dot and space stand where the bar is."""
    head, _, tail = marked.partition("|")
    begin = len(head.rstrip("0123456789."))
    return is_counting(f"{head}. {tail}", begin, head[begin:], start, len(head) + 2, final=final)


@pytest.mark.parametrize(
    "marked",
    [
        "1|First",
        "text\n  12|Twelfth",
        "> **4|Fourth",
        "Steps: 1|Open",
        "Open. 1|Open it",
        "He played 1|e4 e5",
        "She took 12|Nxf7",
        "Then 5|O-O and",
        "1. Open. 2|Click",
        "Now! **1. a** **2|b",
        "Eins, 1|Zwei",
        "好。1|好",
        "Step 1|Open",
        "So. Step 2|Close",
        '"Hm!" *Schritt 3|Los',
        "Im 19|Jahrhundert",
        "am 12|und",
        "Am 3.6|auch",
        "Er ist in der 3|und 4. Klasse",
        "Was? In 3|und",
        "To był 2|raz",
        "Was ist 2|wahl",
        "am 1|Morgen",
        "am 1|So. im Mai",
        "Am 1. 5. und 2|6. ist",
        "mein 3|Versuch",
        "Geburtstag 3|Juni",
        "Osmanlı 19|yüzyılda",
        "Heute 3|5",
        "zum 100|Mal",
        "I. Savaş bitti 20|yüzyılda",
        "끝은 1918|11. 11. 오전",
        "끝은 1918. 11|11. 오전",
        "끝은 1918. 11. 11|오전",
    ],
)
def test_a_number_that_counts_is_no_end(marked: str) -> None:
    assert judge_number(marked) is True


@pytest.mark.parametrize(
    "marked",
    [
        "It was 1999|Then",
        "He is no. 1|She is",
        "Siehe S. 1|Dann",
        "I got 12|Nice",
        "It has 5|e45 is",
        "I am 20|And",
        "I have 12|and you",
        "How old? 20|And",
        "Es kamen 20|Danach",
        "the step 1|Open",
        "The Step 1|Open",
        "a Step 1|Open",
        "Version 2.0|It",
        "Heute ist der 1|Dann",
        "Es ist von 9 bis 5|Gebr",
        "Er kam am 7.7.1988|und",
        "bis 30.6|Danke",
        "1. Öffne. 2. Ändere Zeile 5|3. Los",
        "Was it in 3|then",
        "so. 3.5|then",
        "It is 2000. 1999|Then",
        "Nimm 100|5 sind",
        "끝은 1999|3시에",
        "끝은 11|오전",
        "Nimm 5|»Ja«",
        "A rather long line with many words in it 5|Then",
    ],
)
def test_a_number_that_ends_a_sentence_does(marked: str) -> None:
    assert judge_number(marked) is False


def test_a_noun_behind_an_ordinal_is_waited_for_only_while_it_may_come() -> None:
    assert judge_number("Heute 3|J", final=False) is None
    assert judge_number("Heute 3|Ju", final=False) is None
    assert judge_number("Heute 3|Jug", final=False) is False
    assert judge_number("He had 3|Nx", final=False) is None
    assert judge_number("He had 3|Nice", final=False) is False


def test_what_follows_an_ordinal_or_a_number_is_waited_for() -> None:
    assert judge_number("am 1|D", final=False) is None
    assert judge_number("am 1|Dx", final=False) is True
    assert judge_number("2. Nimm 5|3", final=False) is None
    assert judge_number("2. Nimm 5|3. ", final=False) is False


def test_a_date_behind_a_year_is_waited_for_only_while_it_may_come() -> None:
    assert [judge_number("끝은 1918|11. 1"[:size], final=False) for size in (9, 10, 11, 12)] == [None] * 4
    assert judge_number("끝은 1918|11. 1", final=False) is True
    assert judge_number("끝은 1918|11월", final=False) is False


def test_nothing_before_the_start_is_looked_at_for_a_number() -> None:
    assert judge_number("im 3|Haus") is True
    assert judge_number("im 3|Haus", start=3) is True  # it opens the text that is seen
    assert judge_number("im x 3|Haus", start=3) is False


@pytest.mark.parametrize(
    ("marked", "counts"),
    [
        ("II|Methods", True),
        ("ii|methods", True),
        ("Open. III|Close", True),
        ("I. Intro II|Methods", True),
        ("der II|Weltkrieg", True),
        ("Ludwig XIV|war", True),
        ("World War II|It", False),
        ("the mix|is", False),
        ("I|Intro", False),
        ("IIII|Intro", False),
        ("word|Next", False),
    ],
)
def test_roman_numbers_count_in_outlines_and_behind_kings(marked: str, counts: bool) -> None:
    head, _, tail = marked.partition("|")
    word = head.split(" ")[-1]
    text = f"{head}. {tail}"
    assert is_roman(text, len(head) - len(word), word, 0, len(head) + 2) is counts
