"""Pieces of formulas in one line: where brackets and spaces must stand."""

from __future__ import annotations

import pytest

from streamcord._text.math.unicode_layout import (
    Piece,
    PieceKind,
    Unreadable,
    fraction,
    lower,
    raise_up,
    root,
    shift,
    to_line,
)

A, B, TWO, THREE = (
    Piece(PieceKind.LETTER, "a"),
    Piece(PieceKind.LETTER, "b"),
    Piece(PieceKind.NUMBER, "2"),
    Piece(PieceKind.NUMBER, "3"),
)
PLUS, SLASH = Piece(PieceKind.BINARY, "+"), Piece(PieceKind.BINARY, "/")
OPEN, CLOSE, BAR = Piece(PieceKind.OPEN, "("), Piece(PieceKind.CLOSE, ")"), Piece(PieceKind.BAR, "|")
EQUALS = Piece(PieceKind.RELATION, "=", wide=True)
SIN, SUM = Piece(PieceKind.FUNCTION, "sin"), Piece(PieceKind.BIG, "∑")
LIM = Piece(PieceKind.FUNCTION, "lim")
TO, DOT = Piece(PieceKind.RELATION, "→", wide=True), Piece(PieceKind.POINT, ".")
CUPS, SPACED = Piece(PieceKind.WORD, "cups"), Piece(PieceKind.WORD, "two cups")
HALF = fraction([TWO], [THREE])


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
        ([Piece(PieceKind.NUMBER, "1.5"), HALF], "1.5(2/3)"),
        ([A, Piece(PieceKind.WORD, "cups", space=True)], "a cups"),
        ([HALF, HALF], "(2/3)(2/3)"),
        ([SLASH, HALF], "/(2/3)"),
        ([HALF, SLASH], "(2/3)/"),
        ([HALF, Piece(PieceKind.POINT, "!")], "(2/3)!"),
        ([BAR, A, BAR], "|a|"),
        ([root([TWO]), A], "√(2)a"),
        ([root([TWO]), Piece(PieceKind.LETTER, "a", space=True)], "√2 a"),
        ([A, DOT, TWO], "a.2"),
        ([DOT, TWO], ".2"),
        ([raise_up(A, [Piece(PieceKind.LETTER, "π")]), PLUS, TWO], "a^π + 2"),
        ([raise_up(A, [A, PLUS, Piece(PieceKind.LETTER, "π")]), PLUS, TWO], "a^(a+π)+2"),
        ([], ""),
    ],
)
def test_neighbours_decide_about_spaces_and_brackets(pieces: list[Piece], line: str) -> None:
    assert to_line(pieces) == line


@pytest.mark.parametrize(
    "pieces",
    [
        [TWO, THREE],
        [TWO, HALF, A],
        [Piece(PieceKind.NUMBER, "1,2"), HALF],
        [root([TWO]), DOT, THREE],
        [HALF, DOT, THREE],
        [raise_up(A, [Piece(PieceKind.LETTER, "π")]), DOT, THREE],
        [Piece(PieceKind.WORD, "x2"), THREE],
    ],
)
def test_a_line_that_reads_as_another_number_is_none(pieces: list[Piece]) -> None:
    with pytest.raises(Unreadable):
        to_line(pieces)


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
        ([A, Piece(PieceKind.POINT, "!")], [B, Piece(PieceKind.POINT, "!")], "a!/b!"),
        ([SPACED], [CUPS], "(two cups)/cups"),
        ([Piece(PieceKind.LETTER, "d"), A], [Piece(PieceKind.LETTER, "d"), B], "da/db"),
        ([Piece(PieceKind.LETTER, "d"), A], [Piece(PieceKind.LETTER, "d"), TWO], "da/(d2)"),
        ([A, B], [A, B], "ab/(ab)"),
    ],
)
def test_a_fraction_has_the_brackets_that_it_needs(above: list[Piece], below: list[Piece], line: str) -> None:
    assert to_line([fraction(above, below)]) == line


def test_a_fraction_of_numbers_may_be_less_than_one() -> None:
    assert fraction([TWO], [THREE]).proper
    assert not fraction([THREE], [TWO]).proper
    assert not fraction([Piece(PieceKind.NUMBER, "1" * 5000)], [THREE]).proper


@pytest.mark.parametrize(
    ("base", "raised", "lowered", "line"),
    [
        ([A], [TWO], [], "a²"),
        ([A], [], [TWO], "a₂"),
        ([A], [THREE], [TWO], "a₂³"),
        ([A, B], [TWO], [], "(ab)²"),
        ([HALF], [TWO], [], "(2/3)²"),
        ([A], [Piece(PieceKind.BINARY, "∘")], [], "a°"),
        ([A], [Piece(PieceKind.LETTER, "π")], [], "a^π"),
        ([A], [Piece(PieceKind.LETTER, "π"), A], [], "a^(πa)"),
        ([A], [shift([Piece(PieceKind.LETTER, "π")], [TWO], [])], [], "a^(π²)"),
        ([A], [], [CUPS], "a_cups"),
        ([LIM], [], [A, TO, TWO], "lim (a→2)"),
    ],
)
def test_what_is_raised_and_lowered(
    base: list[Piece], raised: list[Piece], lowered: list[Piece], line: str
) -> None:
    assert to_line([shift(base, raised, lowered)]) == line


def test_behind_a_sum_and_a_limit_stands_what_they_are_about() -> None:
    limit = lower(LIM, [A, TO, TWO])
    total = Piece(PieceKind.BIG, "∑ᵢ", ends_open=True)

    assert to_line([limit, HALF]) == "lim (a→2) 2/3"
    assert to_line([total, HALF]) == "∑ᵢ 2/3"
    assert to_line([SUM, HALF]) == "∑(2/3)"


@pytest.mark.parametrize(
    ("base", "raised", "lowered"),
    [
        ([], [TWO], []),
        ([PLUS], [TWO], []),
        ([SPACED], [TWO], []),
        ([A], [Piece(PieceKind.WORD, "")], []),
        ([A], [], [Piece(PieceKind.WORD, "")]),
        ([A], [], [A, DOT, B]),
        ([A], [], [Piece(PieceKind.LETTER, "π")]),
        ([CLOSE], [], [Piece(PieceKind.LETTER, "c")]),
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
        fraction([A], [])
