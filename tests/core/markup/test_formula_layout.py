"""Pieces of formulas in one line: where brackets and spaces must stand."""

from __future__ import annotations

import pytest

from streamcord._core.markup.formula_layout import (
    Kind,
    Piece,
    Unreadable,
    divide,
    lower,
    raise_up,
    root,
    set_line,
    shift,
)

A, B, TWO, THREE = (
    Piece(Kind.LETTER, "a"),
    Piece(Kind.LETTER, "b"),
    Piece(Kind.NUMBER, "2"),
    Piece(Kind.NUMBER, "3"),
)
PLUS, SLASH = Piece(Kind.BINARY, "+"), Piece(Kind.BINARY, "/")
OPEN, CLOSE, BAR = Piece(Kind.OPEN, "("), Piece(Kind.CLOSE, ")"), Piece(Kind.BAR, "|")
EQUALS = Piece(Kind.RELATION, "=", wide=True)
SIN, SUM = Piece(Kind.FUNCTION, "sin"), Piece(Kind.BIG, "∑")
LIM = Piece(Kind.FUNCTION, "lim")
TO, DOT = Piece(Kind.RELATION, "→", wide=True), Piece(Kind.POINT, ".")
CUPS, SPACED = Piece(Kind.WORD, "cups"), Piece(Kind.WORD, "two cups")
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
        ([Piece(Kind.NUMBER, "1.5"), HALF], "1.5(2/3)"),
        ([A, Piece(Kind.WORD, "cups", space=True)], "a cups"),
        ([HALF, HALF], "(2/3)(2/3)"),
        ([SLASH, HALF], "/(2/3)"),
        ([HALF, SLASH], "(2/3)/"),
        ([HALF, Piece(Kind.POINT, "!")], "(2/3)!"),
        ([BAR, A, BAR], "|a|"),
        ([root([TWO]), A], "√(2)a"),
        ([root([TWO]), Piece(Kind.LETTER, "a", space=True)], "√2 a"),
        ([A, DOT, TWO], "a.2"),
        ([DOT, TWO], ".2"),
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
        [Piece(Kind.NUMBER, "1,2"), HALF],
        [root([TWO]), DOT, THREE],
        [HALF, DOT, THREE],
        [raise_up(A, [Piece(Kind.LETTER, "π")]), DOT, THREE],
        [Piece(Kind.WORD, "x2"), THREE],
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
        ([A, Piece(Kind.POINT, "!")], [B, Piece(Kind.POINT, "!")], "a!/b!"),
        ([SPACED], [CUPS], "(two cups)/cups"),
        ([Piece(Kind.LETTER, "d"), A], [Piece(Kind.LETTER, "d"), B], "da/db"),
        ([Piece(Kind.LETTER, "d"), A], [Piece(Kind.LETTER, "d"), TWO], "da/(d2)"),
        ([A, B], [A, B], "ab/(ab)"),
    ],
)
def test_a_fraction_has_the_brackets_that_it_needs(above: list[Piece], below: list[Piece], line: str) -> None:
    assert set_line([divide(above, below)]) == line


def test_a_fraction_of_numbers_may_be_less_than_one() -> None:
    assert divide([TWO], [THREE]).proper
    assert not divide([THREE], [TWO]).proper
    assert not divide([Piece(Kind.NUMBER, "1" * 5000)], [THREE]).proper


@pytest.mark.parametrize(
    ("base", "raised", "lowered", "line"),
    [
        ([A], [TWO], [], "a²"),
        ([A], [], [TWO], "a₂"),
        ([A], [THREE], [TWO], "a₂³"),
        ([A, B], [TWO], [], "(ab)²"),
        ([HALF], [TWO], [], "(2/3)²"),
        ([A], [Piece(Kind.BINARY, "∘")], [], "a°"),
        ([A], [Piece(Kind.LETTER, "π")], [], "a^π"),
        ([A], [Piece(Kind.LETTER, "π"), A], [], "a^(πa)"),
        ([A], [shift([Piece(Kind.LETTER, "π")], [TWO], [])], [], "a^(π²)"),
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
    total = Piece(Kind.BIG, "∑ᵢ", ends_open=True)

    assert set_line([limit, HALF]) == "lim (a→2) 2/3"
    assert set_line([total, HALF]) == "∑ᵢ 2/3"
    assert set_line([SUM, HALF]) == "∑(2/3)"


@pytest.mark.parametrize(
    ("base", "raised", "lowered"),
    [
        ([], [TWO], []),
        ([PLUS], [TWO], []),
        ([SPACED], [TWO], []),
        ([A], [Piece(Kind.WORD, "")], []),
        ([A], [], [Piece(Kind.WORD, "")]),
        ([A], [], [A, DOT, B]),
        ([A], [], [Piece(Kind.LETTER, "π")]),
        ([CLOSE], [], [Piece(Kind.LETTER, "c")]),
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
