"""A formula in a line of Unicode says what the formula says, or nothing is said."""

from __future__ import annotations

import cmath
from random import Random
from time import process_time

import pytest

from formula_trees import Reader, grow
from streamcord._text.math.latex_parser import MAX_DEPTH, is_command, to_unicode


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("E = mc^2", "E = mc²"),
        (r"\ce{2H2 + SO4^{2-}} = x", "2H₂ + SO₄²⁻ = x"),
        ("10~000", "10 000"),
        (r"\sin x", "sin x"),
        (r"\sin(x)", "sin(x)"),
        (r"\sin\theta", "sin θ"),
        (r"2\sin x", "2 sin x"),
        (r"\sin^2\theta + \cos^2\theta = 1", "sin² θ + cos² θ = 1"),
        (r"\sin\frac{x}{2}", "sin(x/2)"),
        (r"\log_2 8 = 3", "log₂ 8 = 3"),
        (r"O(n\log n)", "O(n log n)"),
        (r"90^\circ", "90°"),
        (r"^\circ", "°"),
        (r"^{\circ}", "°"),
        (r"\mathrm{H_2O}", "H₂O"),
        (r"\mathrm{SO_4^{2-}}", "SO₄²⁻"),
        (r"25^{\circ}\text{C}", "25°C"),
        (r"25\,^\circ\mathrm{C}", "25 °C"),
        (r"^{14}\text{C}", "¹⁴C"),
        (r"_6^{12}C", "₆¹²C"),
        ("^2", "²"),
        ("_2", "₂"),
        (r"\mathrm{m/s^2}", "m/s²"),
        (r"9.81\,\mathrm{kg\cdot m/s^{2}}", "9.81 kg · m/s²"),
        (r"\text{unit\_cost} = 5\text{\%}", "unit_cost = 5%"),
        (r"\textbf{Answer} = \boldsymbol{\beta} + \bm{x}", "Answer = 𝛃 + 𝐱"),
        (r"P(A\mid B)", "P(A | B)"),
        ("x_{1,2}, T_{1/2}", "x₁,₂, T₁/₂"),
        ("x^* + y", "x^∗ + y"),
        (r"\frac{\Delta s}{\Delta t}", "Δs/Δt"),
        (r"e^{i\pi}+1=0", "e^(iπ)+1=0"),
        (r"x^\alpha+1", "x^α + 1"),
        (r"\lim_{x\to 0}-x", "lim (x→0) -x"),
        (r"f \circ g", "f ∘ g"),
        (r"5\%", "5%"),
        (r"\boxed{42}", "42"),
        (r"\exp{-at}, \max{a, b}, \sin{(x+y)}, \sin{2x}", "exp(-at), max(a, b), sin(x+y), sin 2x"),
        (r"{cm}^{-1} {ab}^2", "cm⁻¹ (ab)²"),
        (r"\overline{AB} \underline x", "A̅B̅ x̲"),
        (r"E = mc^2 \tag{1}", "E = mc² (1)"),
        (r"x \in \mathbb{Z}", "x ∈ ℤ"),
        (r"x\in\mathbb Z", "x ∈ ℤ"),
        (r"\mathcal{L}, \mathfrak{g}, \mathbf{x1}", "ℒ, 𝔤, 𝐱𝟏"),
        (r"\|x\|_2 + ||y||", "‖x‖₂ + ‖y‖"),
        (r"\lvert x \rvert < \epsilon", "| x | < ϵ"),
        (r"\left( \frac{a}{b} \right)^n", "(a/b)ⁿ"),
        (r"\left. x \right|", "x |"),
        (r"\{1, 2, 3\}", "{1, 2, 3}"),
        (r"\langle u, v \rangle", "⟨u, v⟩"),
        (r"\vec{v} \cdot \hat n", "v⃗ · n̂"),
        (r"5\,\text{kg}", "5 kg"),
        (r"5\text{kg}", "5kg"),
        (r"x \text{ if } y", "x if y"),
        (r"x\text{if}y", "x if y"),
        (r"\text{ }x", "x"),
        (r"a\text{ }b", "a b"),
        (r"\operatorname{rank}(A)", "rank(A)"),
        (r"\operatorname{rank} A", "rank A"),
        (r"\mathrm{d}x", "dx"),
        (r"\mathrm{CO}_2", "CO₂"),
        (r"a\leq b", "a ≤ b"),
        (r"a \not= b \not\in C", "a ≠ b ∉ C"),
        (r"2\times3", "2 × 3"),
        (r"\pm 1", "±1"),
        (r"x = -y", "x = -y"),
        (r"a \equiv b \pmod{n}", "a ≡ b (mod n)"),
        (r"a \bmod 2", "a mod 2"),
        (r"a * b * c", "a ∗ b ∗ c"),
        (r"1{,}000", "1,000"),
        (r"1\,000", "1 000"),
        (r"a\!b \quad c", "ab c"),
        (r"\displaystyle\sum_{i=1}^{n} x_i", "∑ᵢ₌₁ⁿ xᵢ"),
        (r"\sum_{k=0}^\infty \frac{x^k}{k!}", "∑ₖ₌₀^∞ xᵏ/k!"),
        (r"\int_0^1 f(x)\,dx", "∫₀¹ f(x) dx"),
        (r"\lim_{x \to 0} \frac{\sin x}{x} = 1", "lim (x→0) (sin x)/x = 1"),
        (r"e^{i\pi} + 1 = 0", "e^(iπ) + 1 = 0"),
        (r"x^\pi y", "x^π y"),
        (r"x^{2}_{1}", "x₁²"),
        (r"x'_1 + f''(x)", "x'₁ + f''(x)"),
        (r"\sqrt[3]{x} + 2\sqrt{2}", "∛x + 2√2"),
        (r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}", "x = (-b ± √(b² - 4ac))/(2a)"),
        (r"\frac{dy}{dx} = \frac{\partial^2 f}{\partial x^2}", "dy/dx = ∂²f/∂x²"),
        (r"v_{\text{max}} = 5", "v_max = 5"),
        (r"n!", "n!"),
        (r"x~y", "x y"),
        ("größe = 5", "größe = 5"),
    ],
)
def test_what_a_reader_can_read(source: str, expected: str) -> None:
    assert to_unicode(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"2\frac{1}{2}", "2 1/2"),
        (r"x = 2 \frac12", "x = 2 1/2"),
        (r"2\frac{3}{2}", "2(3/2)"),
        (r"1.5\frac{1}{2}", "1.5(1/2)"),
        (r"2^3\frac{1}{2}", "2³(1/2)"),
        (r"x2\frac{1}{2}", "x2(1/2)"),
        (r"\frac{1}{2}\frac{3}{4}", "(1/2)(3/4)"),
        (r"\frac{1}{2}3", "(1/2)3"),
        (r"\frac{x}{y}^2", "(x/y)²"),
        (r"1/\frac{1}{2}", "1/(1/2)"),
        (r"x \div \frac{1}{2}", "x ÷ (1/2)"),
        (r"\sqrt{2}3", "√(2)3"),
        (r"\sqrt23", "√(2)3"),
        (r"\sqrt{12}", "√12"),
        (r"\sqrt{2}^2", "(√2)²"),
        (r"{ab}^2", "(ab)²"),
        (r"{x^2}^3", "(x²)³"),
        (r"\frac{1}{2}\text{ cup}", "1/2 cup"),
        (r"\frac{1}{2} mv^2", "(1/2) mv²"),
    ],
)
def test_a_number_is_never_shown_as_another(source: str, expected: str) -> None:
    assert to_unicode(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "", "{}", "   ", r"\unknown", r"\begin{cases}", r"a & b", r"a \\ b", r"\binom{n}{k}", "{a", "a}",
        r"\ce{Ca2+}", r"\ce x", "x^", "x_", "x^10", "e^-2", "x_12", "x^2.5", "a {}^2", "a(^2)", "^{2x_1Q}",
        "x^{}", "x^2^3", r"x_1_2", r"\frac{1}", r"\frac{}{2}", r"\frac", r"\sqrt{}", r"\sqrt[5]{x}",
        r"\sqrt[3", "2 3", "{2}{3}", r"\text{5}3", r"\text{a$b}", r"\text x", r"2\frac{1}{2}x", r"1,2\frac13",
        r"\sqrt2.5", r"\frac12.5", r"x_{i,j}", r"\alpha_{AB,C}", r"+^2", r"\text{a b}^2", r"\vec{AB}",
        r"\mathbb{12}", r"\not\alpha", r"a @ b", r"\sum_{x \in S} x", r"x_^2",
        r"\int_{-\infty}^{\infty} x", "`a`",
        r"^\alpha", r"\mathrm{H_2O",
        r"x^\text{ }", "{" * (MAX_DEPTH + 2) + "}" * (MAX_DEPTH + 2), "\\", "x^ ", r"\text",
    ],
)  # fmt: skip
def test_what_nobody_could_read_is_not_said(source: str) -> None:
    assert to_unicode(source) is None


@pytest.mark.parametrize("seed", range(300))
def test_a_formula_is_worth_the_same_to_its_reader(seed: int) -> None:
    """Whatever taste the reader has; what is not said is not wrong."""
    tree = grow(Random(seed), 4)
    line = to_unicode(tree.latex)
    if line is not None:
        for tight in (False, True):
            assert cmath.isclose(Reader(line, tight=tight).value(), tree.value, rel_tol=1e-6), (
                tree.latex,
                line,
            )


def test_most_formulas_are_said() -> None:
    lines = [to_unicode(grow(Random(seed), 3).latex) for seed in range(300)]

    assert sum(line is not None for line in lines) > 240


def test_commands_of_formulas_are_known() -> None:
    assert is_command("frac")
    assert is_command("alpha")
    assert is_command(",")
    assert not is_command("w")


def test_a_long_formula_costs_as_much_per_character_as_a_short_one() -> None:
    def seconds(times: int) -> float:
        source = r"\frac{a_1}{b} + \sqrt{x^2} \cdot " * times + "1"
        began = process_time()
        assert to_unicode(source)
        return process_time() - began

    short = min(seconds(count) for count in (30, 31, 32))
    assert min(seconds(count) for count in (300, 301, 302)) < 25 * short
