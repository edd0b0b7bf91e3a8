"""Lay out the pieces of a formula in one line that has only one reading.

A fraction becomes a slash, so brackets show what belongs together: `2 1/2` is a mixed number, `(1/2)(3/4)` a
product. If no line would be clear, the functions raise `Unreadable`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

from .symbols import LOWERED, RAISED

if TYPE_CHECKING:
    from collections.abc import Sequence


class Unreadable(Exception):
    """There is no unambiguous line of text for the formula."""


class PieceKind(Enum):
    """The role of a piece next to its neighbours."""

    NUMBER = "digits"
    LETTER = "one letter or sign"
    WORD = "plain words"
    FUNCTION = "the name of a function"
    FRACTION = "two things around a slash"
    ROOT = "a root sign and its content"
    GROUP = "anything in brackets of its own"
    BIG = "a sum, a product, an integral"
    BINARY = "joins two things"
    RELATION = "relates two things"
    OPEN = "an opening bracket"
    CLOSE = "a closing bracket"
    BAR = "a bar, which opens or closes"
    POINT = "punctuation"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a formula: its text, and what its neighbours need to know."""

    kind: PieceKind
    text: str
    space: bool = False  # white space is before it
    wide: bool = False  # it has a space on both sides, whatever was written
    proper: bool = False  # a fraction of numbers that is less than one
    wrapped: str = ""  # shown instead where the text could be misread
    shifted: bool = False  # it has a superscript or subscript
    ends_open: bool = False  # the next piece needs a space before it


_OPERANDS = frozenset(
    {
        PieceKind.NUMBER,
        PieceKind.LETTER,
        PieceKind.FUNCTION,
        PieceKind.FRACTION,
        PieceKind.ROOT,
        PieceKind.GROUP,
        PieceKind.BIG,
        PieceKind.BAR,
    }
)
_BEFORE = _OPERANDS | {PieceKind.CLOSE, PieceKind.WORD}  # what may be multiplied by what follows
_AFTER = _OPERANDS | {PieceKind.OPEN}
_LOWERED_PAIRS = frozenset({"1,2", "1/2"})  # both roots of an equation, half of a time
_FACTORS = frozenset({PieceKind.NUMBER, PieceKind.LETTER, PieceKind.ROOT, PieceKind.GROUP})


def to_line(pieces: Sequence[Piece]) -> str:
    """Return the pieces as one line of text."""
    shown = ""
    for index, piece in enumerate(pieces):
        before = pieces[index - 1] if index else None
        after = pieces[index + 1] if index + 1 < len(pieces) else None
        if before and _needs_space(pieces, index, before, piece):
            shown = shown.rstrip(" ") + " "
        shown += _text(pieces, index, before, after)
    return shown.strip()


def _text(pieces: Sequence[Piece], index: int, before: Piece | None, after: Piece | None) -> str:
    """Return a piece's text, in brackets if a neighbour would change its meaning."""
    piece = pieces[index]
    if not piece.wrapped:
        return piece.text
    touched = after is not None and (after.kind in _AFTER or after.text in "/!")
    if piece.kind is PieceKind.ROOT:
        apart = after is None or (after.space and after.kind is not PieceKind.NUMBER)
        return piece.wrapped if touched and not apart else piece.text
    if _is_mixed(pieces, index):
        if touched:
            raise Unreadable
        return piece.text
    led = before is not None and (before.kind in _BEFORE - {PieceKind.WORD} or before.text in "/÷")
    if before and before.ends_open and (before.kind is PieceKind.BIG or before.text.startswith("lim (")):
        led = False
    return piece.wrapped if led or touched else piece.text


def _is_mixed(pieces: Sequence[Piece], index: int) -> bool:
    """Return whether a fraction is part of a mixed number: `2 1/2`.

    The whole number is not multiplied with anything, and the fraction is less than one.
    """
    before = pieces[index - 1] if index else None
    if not (pieces[index].proper and before and before.kind is PieceKind.NUMBER):
        return False
    if "," in before.text:
        raise Unreadable  # two numbers, or one with a comma
    if not before.text.isdecimal():
        return False
    first = pieces[index - 2] if index > 1 else None
    return not before.shifted and (first is None or first.kind not in _BEFORE)


def _needs_space(pieces: Sequence[Piece], index: int, before: Piece, piece: Piece) -> bool:
    """Return whether a space separates two pieces."""
    if before.kind is PieceKind.OPEN or piece.kind in (PieceKind.CLOSE, PieceKind.POINT):
        return piece.text == ":" and piece.space  # `{x ∈ ℝ : x > 0}`
    if before.kind is PieceKind.POINT and piece.kind is PieceKind.NUMBER and not piece.space:
        _check_point(pieces[index - 2] if index > 1 else None, before)
    if before.wide or piece.wide or (before.ends_open and not _is_enclosed(before, piece)):
        return True
    first = pieces[index - 2] if index > 1 else None
    if before.kind is PieceKind.BINARY and first and _is_raised(first) and first.text[-1] != ")":
        return True  # `x^α + 1`
    kinds = before.kind, piece.kind
    if kinds == (PieceKind.NUMBER, PieceKind.NUMBER):
        raise Unreadable  # LaTeX shows one number
    if PieceKind.FUNCTION in kinds:
        return _function_needs_space(before, piece)
    if PieceKind.WORD in kinds:
        return _word_needs_space(before, piece)
    return piece.space or (piece.kind is PieceKind.FRACTION and _is_mixed(pieces, index))


def _is_enclosed(before: Piece, piece: Piece) -> bool:
    """Return whether a bracket ends a superscript, so that an operator may touch it."""
    return (
        _is_raised(before) and before.text[-1] == ")" and piece.kind in (PieceKind.BINARY, PieceKind.RELATION)
    )


def _is_raised(piece: Piece) -> bool:
    """Return whether a piece ends with a superscript after `^`, and is no sum or limit."""
    return piece.ends_open and piece.kind not in (PieceKind.BIG, PieceKind.FUNCTION)


def _check_point(first: Piece | None, point: Piece) -> None:
    """Raise `Unreadable` for `√2` before `.5`, which would read as the root of another number."""
    if (
        first
        and point.text in ".,"
        and (first.kind in (PieceKind.ROOT, PieceKind.FRACTION) or first.ends_open)
    ):
        raise Unreadable


def _function_needs_space(before: Piece, piece: Piece) -> bool:
    """Return whether a space is next to a function: `2 sin x`, but `sin(x)` and `-sin`."""
    if before.kind is not PieceKind.FUNCTION:
        return piece.space or before.kind in _BEFORE
    if piece.kind is PieceKind.FRACTION:
        return False
    return piece.kind not in (PieceKind.OPEN, PieceKind.BINARY, PieceKind.RELATION) or piece.space


def _word_needs_space(before: Piece, piece: Piece) -> bool:
    if piece.space:
        return True
    if before.text[-1].isdigit() and piece.text[0].isdigit():
        raise Unreadable
    letters = before.text[-1].isalpha() and piece.text[0].isalpha()
    return letters or before.kind is PieceKind.FRACTION


# --- Superscripts and subscripts ---------------------------------------------------------------------------


def shift(base: Sequence[Piece], raised: Sequence[Piece], lowered: Sequence[Piece]) -> Piece:
    """Return one piece with a superscript, a subscript, or both."""
    if not base:
        raise Unreadable
    piece = base[0]
    if len(base) > 1 or piece.shifted or piece.kind in (PieceKind.FRACTION, PieceKind.ROOT):
        piece = Piece(PieceKind.GROUP, f"({to_line(base)})", piece.space)
    if piece.kind in (PieceKind.BINARY, PieceKind.RELATION, PieceKind.OPEN, PieceKind.POINT):
        raise Unreadable
    if piece.kind is PieceKind.WORD and " " in piece.text:
        raise Unreadable
    if lowered:
        piece = lower(piece, lowered)
    if raised:
        piece = raise_up(piece, raised)
    return replace(piece, shifted=True, wide=False)


def raise_up(piece: Piece, raised: Sequence[Piece]) -> Piece:
    """Return a piece with a superscript: in Unicode if it has all letters, else after `^`."""
    text = to_line(raised)
    if not text:
        raise Unreadable
    tight = text.replace(" ", "")
    if tight == "∘" or (tight and "∘" not in tight and all(letter in RAISED for letter in tight)):
        return replace(piece, text=piece.text + "".join(RAISED[letter] for letter in tight))
    one = len(raised) == 1 and not raised[0].shifted
    alone = one and (raised[0].kind in (PieceKind.NUMBER, PieceKind.LETTER) or text == "∗")
    return replace(piece, text=piece.text + (f"^{text}" if alone else f"^({text})"), ends_open=True)


def lower(piece: Piece, lowered: Sequence[Piece]) -> Piece:
    """Return a piece with a subscript: in Unicode if it has all letters, else one word after `_`."""
    text = to_line(lowered)
    tight = text.replace(" ", "")
    if not tight:
        raise Unreadable
    words = lowered[0].kind is PieceKind.WORD
    if not words and (all(letter in LOWERED for letter in tight) or tight in _LOWERED_PAIRS):
        return replace(piece, text=piece.text + "".join(LOWERED.get(letter, letter) for letter in tight))
    if piece.text == "lim" and "→" in tight:
        return replace(piece, text=f"lim ({tight})", ends_open=True)
    if len(lowered) > 1 or not text.isalnum() or not text.isascii() or not piece.text[-1].isalnum():
        raise Unreadable
    return replace(piece, text=f"{piece.text}_{text}", ends_open=True)


# --- Fractions and roots --------------------------------------------------------------------------


def fraction(above: Sequence[Piece], below: Sequence[Piece]) -> Piece:
    """Return a fraction as `above/below`."""
    if not above or not below:
        raise Unreadable
    if _are_differentials(above, below):
        text = f"{to_line(above)}/{to_line(below)}".replace(" ", "")
    else:
        text = f"{_enclose(above, product=True)}/{_enclose(below, product=False)}"
    numbers = [to_line(side) for side in (above, below)]
    proper = all(number.isascii() and number.isdecimal() for number in numbers)
    # Mixed numbers with longer parts are not readable, and comparing them would be slow.
    proper = proper and max(map(len, numbers)) < 10 and int(numbers[0]) < int(numbers[1])
    return Piece(PieceKind.FRACTION, text, proper=proper, wrapped=f"({text})")


def root(under: Sequence[Piece], degree: str = "") -> Piece:
    """Return a root sign before its content."""
    sign = {"": "√", "2": "√", "3": "∛", "4": "∜"}.get(degree)
    if sign is None or not under:
        raise Unreadable
    line = to_line(under)
    simple = _is_one(under) and under[0].kind is not PieceKind.ROOT and not under[0].shifted
    return Piece(PieceKind.ROOT, f"{sign}{line if simple else f'({line})'}", wrapped=f"{sign}({line})")


def _enclose(pieces: Sequence[Piece], *, product: bool) -> str:
    """Return a side of a fraction, in brackets unless it is one factor or, above the bar, a product."""
    line = to_line(pieces)
    spaced = any(piece.kind is PieceKind.WORD and " " in piece.text for piece in pieces)
    if _is_one(pieces) and not spaced and not pieces[0].ends_open:
        return line
    if product and _are_factors(pieces):
        return to_line(_tighten(pieces))
    return f"({line})"


def _tighten(pieces: Sequence[Piece]) -> list[Piece]:
    """Return factors without spaces between them, as LaTeX shows them."""
    depth, tight = 0, []
    for piece in pieces:
        tight.append(replace(piece, space=False) if depth == 0 else piece)
        depth += (piece.kind is PieceKind.OPEN) - (piece.kind is PieceKind.CLOSE)
    return tight


def _are_factors(pieces: Sequence[Piece]) -> bool:
    """Return whether all pieces are factors of a product: `2ab`, `f(x)`, `P(B|A)P(A)`."""
    depth = 0
    for piece in pieces:
        depth -= piece.kind is PieceKind.CLOSE
        factor = piece.kind in _FACTORS or piece.kind in (PieceKind.OPEN, PieceKind.CLOSE)
        number = piece.kind is PieceKind.NUMBER and piece is not pieces[0]  # `x 2` would be read as one name
        if depth == 0 and (not factor or number or piece.ends_open):
            return False
        depth += piece.kind is PieceKind.OPEN
    return depth == 0


def _is_one(pieces: Sequence[Piece]) -> bool:
    """Return whether it is one factor: a letter, a number, a word, or brackets from start to end."""
    if len(pieces) == 2 and pieces[1].text == "!":
        pieces = pieces[:1]
    if len(pieces) == 1:
        return pieces[0].kind in _FACTORS | {PieceKind.WORD}
    if pieces[0].kind is not PieceKind.OPEN or pieces[-1].kind is not PieceKind.CLOSE or pieces[-1].shifted:
        return False
    depth = 0
    for piece, _ in pairwise(pieces):
        depth += (piece.kind is PieceKind.OPEN) - (piece.kind is PieceKind.CLOSE)
        if depth == 0:
            return False
    return True


def _are_differentials(above: Sequence[Piece], below: Sequence[Piece]) -> bool:
    """Return whether a fraction is a derivative: `dy/dx`, `∂f/∂x`, `Δs/Δt`."""
    sign = below[0].text
    same = above[0].text.rstrip("²³ⁿ") == sign and len(above) <= 2 and len(below) == 2
    letters = all(piece.kind is PieceKind.LETTER and not piece.ends_open for piece in (*above, *below))
    return sign in ("d", "∂", "Δ") and same and letters
