"""Formulas as trees: printed as LaTeX, and read back from a line of Unicode by someone who knows no LaTeX.

The reader has only what a person has: the usual precedence of signs. Whether something that is written close
together binds tighter than a slash is a matter of taste, so both tastes are tried, and must read the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

VALUES = {"a": 1.7, "b": 2.3, "c": 3.1, "x": 0.7, "y": 5.3, "π": 3.14159}
LATEX = {"π": r"\pi "}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜˣʸ", "0123456789+-=()abcxy")
_TOKEN = re.compile(r"\d+ \d+/\d+(?![\d.,])|\d+|[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜˣʸ]+|\s+|.")


@dataclass(frozen=True)
class Tree:
    """A formula: how LaTeX writes it, what it is worth, and whether it is a sum, a product or one thing."""

    latex: str
    value: complex
    kind: str


def grow(random: Random, depth: int) -> Tree:
    """A formula at random."""
    if depth == 0 or random.random() < 0.1:
        return _leaf(random)
    make = random.choice((_sum, _product, _close, _fraction, _power, _root, _mixed, _bracket))
    return make(random, depth - 1)


def _leaf(random: Random) -> Tree:
    if random.random() < 0.5:
        number = random.randint(1, 30)
        return Tree(str(number), number, "number")
    name = random.choice([*VALUES])
    return Tree(LATEX.get(name, name), VALUES[name], "letter")


def _atom(tree: Tree) -> str:
    """A tree where one thing must stand."""
    return tree.latex if tree.kind in ("number", "letter", "bracket") else rf"\left({tree.latex}\right)"


def _factor(tree: Tree) -> str:
    return tree.latex if tree.kind not in ("sum", "mixed") else f"({tree.latex})"


def _sum(random: Random, depth: int) -> Tree:
    left, right = grow(random, depth), grow(random, depth)
    sign = random.choice("+-")
    space = random.choice(("", " "))
    shown = f"({right.latex})" if right.kind == "sum" else right.latex
    return Tree(
        f"{left.latex}{space}{sign}{space}{shown}",
        left.value + (right.value if sign == "+" else -right.value),
        "sum",
    )


def _product(random: Random, depth: int) -> Tree:
    left, right = grow(random, depth), grow(random, depth)
    sign = random.choice((r"\cdot ", r" \times ", r" \cdot "))
    return Tree(f"{_factor(left)}{sign}{_factor(right)}", left.value * right.value, "product")


def _close(random: Random, depth: int) -> Tree:
    """A product whose factors touch, as `2x`, `(a+b)(c)`, `\\frac{1}{2}x`."""
    left, right = grow(random, depth), grow(random, depth)
    first = (
        left.latex if left.kind in ("number", "letter", "fraction", "root", "power") else f"({left.latex})"
    )
    last = right.latex if right.kind in ("letter", "fraction", "root", "bracket") else f"({right.latex})"
    if left.kind == "number" and right.kind == "fraction":
        last = rf"\left({right.latex}\right)"  # else it would be a mixed number
    return Tree(f"{first}{last}", left.value * right.value, "product")


def _fraction(random: Random, depth: int) -> Tree:
    above, below = grow(random, depth), grow(random, depth)
    name = random.choice(("frac", "dfrac", "tfrac"))
    if not below.value:
        return above
    return Tree(rf"\{name}{{{above.latex}}}{{{below.latex}}}", above.value / below.value, "fraction")


def _power(random: Random, depth: int) -> Tree:
    base, exponent = grow(random, depth), grow(random, min(depth, 1))
    written = (
        base.latex if base.kind in ("number", "letter", "fraction", "root", "bracket") else f"({base.latex})"
    )
    if not base.value or abs(exponent.value) > 4 or abs(base.value) > 50:
        return base
    return Tree(f"{written}^{{{exponent.latex}}}", complex(base.value) ** exponent.value, "power")


def _root(random: Random, depth: int) -> Tree:
    inner = grow(random, depth)
    return Tree(rf"\sqrt{{{inner.latex}}}", complex(inner.value) ** 0.5, "root")


def _mixed(random: Random, _depth: int) -> Tree:
    whole, below = random.randint(1, 12), random.randint(2, 12)
    above = random.randint(1, below - 1)
    return Tree(rf"{whole}\frac{{{above}}}{{{below}}}", whole + above / below, "mixed")


def _bracket(random: Random, depth: int) -> Tree:
    inner = grow(random, depth)
    left, right = random.choice(((r"\left(", r"\right)"), ("(", ")"), ("[", "]")))
    return Tree(f"{left}{inner.latex}{right}", inner.value, "bracket")


class Reader:
    """Reads a line of Unicode as a person would; `tight` binds what touches closer than a slash does."""

    def __init__(self, line: str, *, tight: bool) -> None:
        self._tokens: list[str] = [token for token in _TOKEN.findall(line) if not token.isspace()]
        self._at = 0
        self._tight = tight

    def value(self) -> complex:
        found = self._sum()
        assert self._at == len(self._tokens), self._tokens[self._at :]
        return found

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sum(self) -> complex:
        total = -self._product() if self._peek() == "-" and self._take() else self._product()
        while self._peek() in ("+", "-"):
            total += self._product() if self._take() == "+" else -self._product()
        return total

    def _product(self) -> complex:
        total = self._touching()
        while self._peek() in ("·", "×", "/") or self._starts():
            if self._starts():
                total *= self._touching()
            elif self._take() == "/":
                total /= self._touching()
            else:
                total *= self._touching()
        return total

    def _touching(self) -> complex:
        total = self._power()
        while self._tight and self._starts():
            total *= self._power()
        return total

    def _starts(self) -> bool:
        token = self._peek()
        return bool(token) and (token[0].isalnum() or token in "([√") and token[0] not in "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜˣʸ"

    def _power(self) -> complex:
        if self._peek() == "√":
            self._take()
            under = self._one()
            assert self._peek() != "^"
            assert self._peek()[:1].translate(_RAISED) == self._peek()[:1]
            return complex(under) ** 0.5
        base = self._one()
        token = self._peek()
        if token == "^":
            self._take()
            return complex(base) ** self._one()
        if token and token.translate(_RAISED) != token:
            self._take()
            return complex(base) ** Reader(token.translate(_RAISED), tight=self._tight).value()
        return base

    def _one(self) -> complex:
        token = self._take()
        if token in "([":
            inner = self._sum()
            assert self._take() in ")]"
            return inner
        if " " in token:
            whole, _, part = token.partition(" ")
            above, _, below = part.partition("/")
            return int(whole) + int(above) / int(below)
        return int(token) if token.isdecimal() else VALUES[token]
