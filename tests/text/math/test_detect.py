"""Where formulas end, and what only looks like one."""

from __future__ import annotations

import pytest

from streamcord._settings import Settings
from streamcord._text.markdown.delimiter_stack import SpanKind
from streamcord._text.markdown.scanner import scan
from streamcord._text.math.detect import MAX_FORMULA_CHARS, find_formula_end, formula_inside, is_display
from streamcord._text.tokens import NEED_MORE, NOT_FOUND


def formulas(text: str) -> list[str]:
    return [text[span.start : span.end] for span in scan(text, Settings()) if span.mark == SpanKind.FORMULA]


@pytest.mark.parametrize(
    "formula",
    [
        r"\(x\)", r"\(a+b\)", r"\(\alpha\)", r"\(speed = way / time\)", r"\(f(x), g(y)\)",
        "\\[\nE = mc^2\n\\]", r"\[ a - b \]", r"\[x^2\]", r"\[\foo{x}\]", "\\[a\n=\nb\\]",
        "$x$", "$5$", "$1.5$", "$ABC$", "$x^2$", "$a+b$", r"$\alpha$", "$2x + 3 = 7$", "$f'(x)$",
        "$a_1, a_2$",
        r"$x \text{ if and only if } y$", r"$5 \$ + x$", "$x_{n+1}$", "$A_B$", "$(a, b)$",
        "$$E = mc^2$$", "$$\nx^2\n$$", "$$x$$", "$$speed = way/time$$",
        "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}", r"\begin{a}\begin{a}x\end{a}\end{a}",
        r"\begin{cases*}1\end{cases*}", r"\[a = b \\] + c\]",
        r"\(2n\)", r"\(-5\)", r"\(n!\)", r"\(|x|\)", r"\(\|x\|\)", r"\(\{1,2\}\)", r"\(1:2\)", "$3x$",
        "$n!$", r"$^\circ$", r"\( n \)", r"\( 2n \)", r"\( f(x) \)", r"\( AB \)", r"\(1\,000\)", r"$10\,000$",
        r"\( ABC \)", r"\[a + b\]", r"\[f(x)+1\]", r"$\ket{\psi}$", r"$ x = \boxed{-1}$", "$ x = 5$", "${cm}^2$",
        "$||v||$", r"\(||x||\)", "$x_{max}$", r"$n \choose k$", r"${n \choose k}$", r"\boxed{42}",
        r"\boxed{\frac{1}{2}}", r"\boxed{a\}b}",
    ],
)  # fmt: skip
def test_a_formula_is_one_span(formula: str) -> None:
    assert formulas(formula) == [formula]
    assert formulas(f"So {formula}, and") == [formula]
    assert formulas(f"({formula})") == [formula]


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 and $10", "$5-$10", "$5/month or $50/year", "I have $20, you have $30.", "US$5 and A$6",
        "5$ or 10$",
        "It is $10. Want it? It was $12. Ok", "$5 + $6 = $11", "($5) or ($6)", "$100k-$200k",
        "Make $$$ fast $$$",
        "echo $HOME and $PATH", "$HOME:$PATH", "$(date) and $(whoami)", "${a}${b}", "$a . $b; $c=$d;",
        "$foo$",
        "$(a $0)/$(b)", "$my_var and $other_var", "for f in $FILES; do echo $f; done", r"^\d+$|^\w+$",
        "a $ b $ c",
        "$$ and $$$ and $$", "pid $$ in $$", "$$ mid, $$ high", "x $", "$", "$$", "$$$$", "$x$5", "$x$y",
        "$x $",
        "a$x$", r"\[x\] done", r"see \[1\]", r"array\[0\]", r"\[a-z\]", r"\[sic\]", r"\(see below\)",
        r"\(foo\)",
        r":\( sad :\)", r"grep \(foo\|bar\)", "\\(a\n+b\\)", "\\[a\n\n=b\\]", "$$a\n\n=b$$", r"\(", r"\[",
        r"\[ \]",
        r"\begin", r"\begin{", r"\begin{a}", r"\beg{a}x\end{a}", r"\begin{a}x\end{b}",
        "\\begin{a}\n\nx\\end{a}", r"\(`x`\)", "$`x`$", r"\({x\)",
        r"C:\begin\foo", r"\(\n\)", "$\u200b+x$", r"$\foo$", "$größer als$",
        "$$" + "x " * MAX_FORMULA_CHARS + "= y$$",
        "$$1=2$$$", "$a b c$", "$n$the", "$nm$th", "$5$th", "20$x$", "$a:$ b", "$5/$ b", r"\( 2n\)",
        "$ 5 = $ 5", "${a}_${b}$", r"\[a/b\]", r"\boxed{", r"\boxed{ }", "\\boxed{a\nb}", r"\boxed{`a`}", r"\boxed{a",
        r"\boxed{" + "a" * 400 + "}", r"\boxed{||secret||b}",
    ],
)  # fmt: skip
def test_everything_else_is_text(text: str) -> None:
    assert formulas(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "$||x|| = 1$", "$$||x_{max} - y|| = 1$$", r"$$sim = \frac{a}{||a|| ||b||}$$", "$x || y = 1$",
        "\\begin{cases} 1 & \\text{if } ||x|| > 1 \\\\ 0 & \\text{otherwise}\\end{cases}",
        "\\begin{a} x = 1 || y = 2 \\end{a}", r"$\|x\|| = 1$",
    ],
)  # fmt: skip
def test_bars_in_a_formula_are_those_of_a_norm_or_stand_between_terms(text: str) -> None:
    assert formulas(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "$||no||$", r"\(||ab||\)",
        "$$x = ||secret||$$", "$$x = ||secret$$||", r"\[a_1 ||да= b\]||", r"\(a ||\] \)", r"$\alpha ||no$",
        "\\begin{a}\n||secret||\\end{a}", r"\begin{a} x || secret \end{a}",
    ],
)  # fmt: skip
def test_what_bars_may_hide_is_no_formula(text: str) -> None:
    assert formulas(text) == []


@pytest.mark.parametrize(
    "text",
    [r"\(x = y", "\\[\nx", "\\[x\n", "$$x", "$$x$", "$$x = y$$", "$x", "$x$", "$x + ab", r"$\text{for al",
     r"\begin{a}x", r"\b", r"\boxed", r"\boxed{4", r"\beg", r"\begin{ali", "\\", "$", "$$"],
)  # fmt: skip
def test_what_may_yet_become_a_formula_waits_and_is_judged_at_the_end(text: str) -> None:
    assert find_formula_end(text, 0, final=False) == NEED_MORE
    assert find_formula_end(text, 0, final=True) in (NOT_FOUND, len(text))


def test_a_formula_may_touch_letters_of_a_script_without_spaces() -> None:
    assert formulas("设$x=5$，则$y$为$10$，$x$と$y$の和") == ["$x=5$", "$y$", "$10$", "$x$", "$y$"]
    assert formulas("从$5到$10，花了$5。") == []


def test_what_is_raised_or_lowered_may_touch_its_word() -> None:
    assert formulas("CO$_2$, cm$^2$, Ca$^{2+}$ and x$_i$y") == ["$_2$", "$^2$", "$^{2+}$", "$_i$"]
    assert formulas("a$_GET and b$_x, c$^{\\foo}$, d$_{é}$") == []
    assert [find_formula_end("a$^{2}$"[:size], 1, final=False) for size in range(2, 8)] == [NEED_MORE] * 5 + [
        7
    ]
    assert find_formula_end("a$^{2", 1, final=True) == NOT_FOUND


def test_a_formula_may_touch_what_it_measures_or_counts() -> None:
    assert formulas(r"20$^\circ$C, $5^\circ$C and 3$\times$4") == [r"$^\circ$", r"$5^\circ$", r"$\times$"]
    assert formulas("the $n$th and $k$-th, $n$th") == ["$n$", "$k$", "$n$"]
    assert [find_formula_end("$n$th."[:size], 0, final=False) for size in range(4, 7)] == [
        NEED_MORE,
        NEED_MORE,
        3,
    ]
    assert find_formula_end("$n$th", 0, final=True) == 3
    assert find_formula_end("$n$x", 0, final=False) == NOT_FOUND


@pytest.mark.parametrize("opener", [r"\(", r"\[", "$$", r"\begin{a}", "$"])
def test_nothing_waits_for_longer_than_its_reach(opener: str) -> None:
    text = opener + "1+" * MAX_FORMULA_CHARS
    assert find_formula_end(text, 0, final=False) == NOT_FOUND


@pytest.mark.parametrize("text", ["\\[x =\ny\\]", "$$x =\ny$$", "\\begin{a}\nx\\end{a}"])
def test_in_a_row_of_a_table_nothing_runs_over_its_end(text: str) -> None:
    assert find_formula_end(text, 0, final=True) == len(text)
    assert find_formula_end(text, 0, final=True, one_line=True) == NOT_FOUND


def test_formulas_have_an_inside_and_may_be_displayed() -> None:
    assert formula_inside("\\begin{equation*}\nF = ma\n\\end{equation*}") == "\nF = ma\n"
    assert [formula_inside(one) for one in (r"\(x\)", r"\[x\]", "$x$", "$$x$$", r"\begin{a}\end{a}")] == [
        "x", "x", "x", "x", r"\begin{a}\end{a}",
    ]  # fmt: skip
    assert (formula_inside(r"\boxed{x}"), is_display(r"\boxed{x}")) == (r"\boxed{x}", False)
    assert [is_display(one) for one in (r"\(x\)", r"\[x\]", "$x$", "$$x$$", r"\begin{a}\end{a}")] == [
        False, True, False, True, True,
    ]  # fmt: skip


def test_a_bare_command_at_the_end_waits_for_what_follows() -> None:
    assert find_formula_end(r"\dot{p}", 0, final=False) == NEED_MORE
    assert find_formula_end(r"\dot{p}", 0, final=True) == len(r"\dot{p}")
