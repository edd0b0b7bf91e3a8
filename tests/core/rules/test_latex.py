"""Formulas that Unicode can say."""

from __future__ import annotations

import pytest

from streamcord._core.rules.latex import find_formula, to_unicode


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\(\pi r^2\)", "π r²"),
        (r"\[E = mc^2\]", "E = mc²"),
        (r"$x_1 \leq 2^{10}$", "x₁ ≤ 2¹⁰"),
        (r"$\frac{1}{2}$", "1/2"),
        (r"$\frac{a+b}{2}$", "(a+b)/2"),
        (r"$\sqrt{2}$", "√2"),
        (r"$\sqrt{x+1}$", "√(x+1)"),
        (r"$5\,\text{kg}$", "5 kg"),
        (r"$x$", None),
        (r"$5 and $", None),
        (r"$x^Q$", None),
        (r"$\unknown$", None),
        (r"$x^{\alpha}$", None),
        (r"\(a { b\)", None),
    ],
)
def test_a_simple_formula_is_said_in_unicode(text: str, expected: str | None) -> None:
    found = find_formula(text)
    assert (to_unicode(found) if found else None) == expected


@pytest.mark.parametrize("text", ["costs $5", "US$5 and US$6", "$$x$$", "$ x $", "a\\n(b)"])
def test_other_dollars_are_no_formula(text: str) -> None:
    assert find_formula(text) is None
