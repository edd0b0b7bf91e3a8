"""Pieces of formulas in one line: where brackets and spaces must stand."""

from __future__ import annotations

import pytest

from streamcord._text.math.unicode_layout import (
    Piece,
    Sort,
    Unreadable,
    divide,
    lower,
    raise_up,
    root,
    set_line,
    shift,
)

A, B, TWO, THREE = (
    Piece(Sort.LETTER, "a"),
    Piece(Sort.LETTER, "b"),
    Piece(Sort.NUMBER, "2"),
    Piece(Sort.NUMBER, "3"),
)
PLUS, SLASH = Piece(Sort.BINARY, "+"), Piece(Sort.BINARY, "/")
OPEN, CLOSE, BAR = Piece(Sort.OPEN, "("), Piece(Sort.CLOSE, ")"), Piece(Sort.BAR, "|")
EQUALS = Piece(Sort.RELATION, "=", wide=True)
SIN, SUM = Piece(Sort.FUNCTION, "sin"), Piece(Sort.BIG, "∑")
LIM = Piece(Sort.FUNCTION, "lim")
TO, DOT = Piece(Sort.RELATION, "→", wide=True), Piece(Sort.POINT, ".")
CUPS, SPACED = Piece(Sort.WORD, "cups"), Piece(Sort.WORD, "two cups")
HALF = divide([TWO], [THREE])


@pytest.mark.parametrize(
    ("pieces", "line"),
    [
        ([A, B], "ab"),
        ([A, EQUALS, B], "a = b"),
        ([OPEN, A, PLUS, B, CLOSE], "(a+b)"),
        ([TWO, SIN, A], "2 sin a"),
        ([SIN, OPEN, A, CLOSE], "sin(a)"),
        ([PLUS, SIN, A], "+sin a"),
        ([SIN, PLUS, A], "sin+a"),
        ([SIN, HALF], "sin(2/3)"),
        ([A, CUPS], "a cups"),
        ([TWO, CUPS], "2cups"),
        ([HALF, CUPS], "2/3 cups"),
        ([CUPS, HALF], "cups2/3"),
        ([TWO, HALF], "2 2/3"),
        ([Piece(Sort.NUMBER, "1.5"), HALF], "1.5(2/3)"),
        ([A, Piece(Sort.WORD, "cups", space=True)], "a cups"),
        ([HALF, HALF], "(2/3)(2/3)"),
        ([SLASH, HALF], "/(2/3)"),
        ([HALF, SLASH], "(2/3)/"),
        ([HALF, Piece(Sort.POINT, "!")], "(2/3)!"),
        ([BAR, A, BAR], "|a|"),
        ([root([TWO]), A], "√(2)a"),
        ([root([TWO]), Piece(Sort.LETTER, "a", space=True)], "√2 a"),
        ([A, DOT, TWO], "a.2"),
        ([DOT, TWO], ".2"),
        ([raise_up(A, [Piece(Sort.LETTER, "π")]), PLUS, TWO], "a^π + 2"),
        ([raise_up(A, [A, PLUS, Piece(Sort.LETTER, "π")]), PLUS, TWO], "a^(a+π)+2"),
        ([], ""),
    ],
)
def test_neighbours_decide_about_spaces_and_brackets(pieces: list[Piece], line: str) -> None:
    assert set_line(pieces) == line


@pytest.mark.parametrize(
    "pieces",
    [
        [TWO, THREE],
        [TWO, HALF, A],
        [Piece(Sort.NUMBER, "1,2"), HALF],
        [root([TWO]), DOT, THREE],
        [HALF, DOT, THREE],
        [raise_up(A, [Piece(Sort.LETTER, "π")]), DOT, THREE],
        [Piece(Sort.WORD, "x2"), THREE],
    ],
)
def test_a_line_that_reads_as_another_number_is_none(pieces: list[Piece]) -> None:
    with pytest.raises(Unreadable):
        set_line(pieces)


@pytest.mark.parametrize(
    ("above", "below", "line"),
    [
        ([A], [B], "a/b"),
        ([A, PLUS, B], [TWO], "(a+b)/2"),
        ([TWO, A], [TWO, B], "2a/(2b)"),
        ([OPEN, A, CLOSE], [OPEN, B, CLOSE], "(a)/(b)"),
        ([OPEN, A, CLOSE, OPEN, B, CLOSE], [B], "(a)(b)/b"),
        ([B], [OPEN, A, CLOSE, OPEN, B, CLOSE], "b/((a)(b))"),
        ([A], [OPEN, A, shift([CLOSE], [TWO], [])], "a/((a)²)"),
        ([OPEN, A], [B], "((a)/b"),
        ([SIN, A], [A], "(sin a)/a"),
        ([A, Piece(Sort.POINT, "!")], [B, Piece(Sort.POINT, "!")], "a!/b!"),
        ([SPACED], [CUPS], "(two cups)/cups"),
        ([Piece(Sort.LETTER, "d"), A], [Piece(Sort.LETTER, "d"), B], "da/db"),
        ([Piece(Sort.LETTER, "d"), A], [Piece(Sort.LETTER, "d"), TWO], "da/(d2)"),
        ([A, B], [A, B], "ab/(ab)"),
    ],
)
def test_a_fraction_has_the_brackets_that_it_needs(above: list[Piece], below: list[Piece], line: str) -> None:
    assert set_line([divide(above, below)]) == line


def test_a_fraction_of_numbers_may_be_less_than_one() -> None:
    assert divide([TWO], [THREE]).proper
    assert not divide([THREE], [TWO]).proper
    assert not divide([Piece(Sort.NUMBER, "1" * 5000)], [THREE]).proper


@pytest.mark.parametrize(
    ("base", "raised", "lowered", "line"),
    [
        ([A], [TWO], [], "a²"),
        ([A], [], [TWO], "a₂"),
        ([A], [THREE], [TWO], "a₂³"),
        ([A, B], [TWO], [], "(ab)²"),
        ([HALF], [TWO], [], "(2/3)²"),
        ([A], [Piece(Sort.BINARY, "∘")], [], "a°"),
        ([A], [Piece(Sort.LETTER, "π")], [], "a^π"),
        ([A], [Piece(Sort.LETTER, "π"), A], [], "a^(πa)"),
        ([A], [shift([Piece(Sort.LETTER, "π")], [TWO], [])], [], "a^(π²)"),
        ([A], [], [CUPS], "a_cups"),
        ([LIM], [], [A, TO, TWO], "lim (a→2)"),
    ],
)
def test_what_is_raised_and_lowered(
    base: list[Piece], raised: list[Piece], lowered: list[Piece], line: str
) -> None:
    assert set_line([shift(base, raised, lowered)]) == line


def test_behind_a_sum_and_a_limit_stands_what_they_are_about() -> None:
    limit = lower(LIM, [A, TO, TWO])
    total = Piece(Sort.BIG, "∑ᵢ", ends_open=True)

    assert set_line([limit, HALF]) == "lim (a→2) 2/3"
    assert set_line([total, HALF]) == "∑ᵢ 2/3"
    assert set_line([SUM, HALF]) == "∑(2/3)"


@pytest.mark.parametrize(
    ("base", "raised", "lowered"),
    [
        ([], [TWO], []),
        ([PLUS], [TWO], []),
        ([SPACED], [TWO], []),
        ([A], [Piece(Sort.WORD, "")], []),
        ([A], [], [Piece(Sort.WORD, "")]),
        ([A], [], [A, DOT, B]),
        ([A], [], [Piece(Sort.LETTER, "π")]),
        ([CLOSE], [], [Piece(Sort.LETTER, "c")]),
        ([A], [], [SPACED]),
    ],
)
def test_what_cannot_be_raised_or_lowered(
    base: list[Piece], raised: list[Piece], lowered: list[Piece]
) -> None:
    with pytest.raises(Unreadable):
        shift(base, raised, lowered)


def test_roots() -> None:
    assert root([A, PLUS, B]).text == "√(a+b)"
    assert root([root([A])], "3").text == "∛(√a)"
    assert root([shift([A], [TWO], [])]).text == "√(a²)"
    with pytest.raises(Unreadable):
        root([A], "7")
    with pytest.raises(Unreadable):
        root([])
    with pytest.raises(Unreadable):
        divide([A], [])
