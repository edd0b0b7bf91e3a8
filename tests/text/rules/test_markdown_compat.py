"""What Discord cannot show becomes what it can."""

from __future__ import annotations

import pytest

from streamcord._settings import Settings
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.markdown_compat import DIVIDER, convert_markdown, escape_operators
from streamcord._text.traced_text import Edit, TracedText


def change(text: str, edits: list[Edit]) -> str:
    return TracedText.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


def adapted(text: str, *, line_start: bool = True) -> str:
    return change(text, convert_markdown(ParsedText(text, Settings()), line_start=line_start))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#### Four", "**Four**"),
        ("##### Five ##", "**Five**"),
        ("#### **x** y", "**x** y"),
        ("###### *x* ##", "*x*"),
        ("a\n---\nb", f"a\n{DIVIDER}\nb"),
        ("* * *", DIVIDER),
        ("___", DIVIDER),
        ("![cat](https://a.b/c.png)", "[cat](https://a.b/c.png)"),
        ("![](https://a.b/c.png)", "https://a.b/c.png"),
        ("![](<https://a.b/c.png>)", "https://a.b/c.png"),
        ("a<br>b <BR /> c", "a\nb\nc"),
        ("| a\nb<br>c", "| a\nb\nc"),
        (r"so \(x^2\) ends", "so x² ends"),
        ("- [ ] a\n* [x] b\n1. [X] c", "- ☐ a\n* ☑ b\n1. ☑ c"),
        (r"so \(x^2\) and $y_1$ end", "so x² and y₁ end"),
        ("#### $x^2$", "**x²**"),
        ("#### $x^2$ $y$ ##", "**x² y**"),
        ("$$a <br> b = c$$", "a <br> b = c"),
        ("$> 5$ it is", ">5 it is"),
        ("$$E = mc^2$$", "E = mc²"),
        (r"a \(\binom{n}{k}\) b", r"a `\(\binom{n}{k}\)` b"),
        ("\\begin{a}\nx\n\\end{a}\nok", "```tex\n\\begin{a}\nx\n\\end{a}\n```\nok"),
        ("+ a\n  + b\n`\n+ c` 1 + 2", "- a\n  - b\n`\n- c` 1 + 2"),
        (r"so ||it \[a = & b\] is||", r"so ||it `\[a = & b\]` is||"),
        ("||\\[a = &\nb\\]||", "||`\\[a = & b\\]`||"),
        (r"so \[a = & b\]  is", "so \n```tex\n\\[a = & b\\]\n```\nis"),
        ("> \\[\n> x^2\n> \\]", "> x²"),
        (r"> \[a = & b\]", r"> `\[a = & b\]`"),
        ("- $x^2$\n- $y^2$", "- x²\n- y²"),
        ("H<sub>2</sub>O, x<sup>n+1</sup>", "H₂O, xⁿ⁺¹"),
        ("> [!WARNING]\n> x\n\n> [!x]", "> **Warning**\n> x\n\n> [!x]"),
        ("> a\n>\n> b\n>", "> a\n> \n> b\n>"),
    ],
)
def test_it_becomes_what_discord_shows(text: str, expected: str) -> None:
    assert adapted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "x<sub>q</sub> y<sup>2</sub> `z<sub>2</sub>`",
        "```\n>\n> a\n```",
        "a >\nb",
        "```\n> [!TIP]\n```",
        "### three",
        "####no",
        "--- a",
        "a [x](https://a.b) !",
        "![](x)",
        "[link](https://a.b/c)",
        "- [y] a",
        "| a<br>b |",
        "`#### x <br> ![a](https://a.b) $x^2$`",
        "```\n#### a\n---\n- [ ] b\n<br>\n```",
        "it costs $5 or $6",
        "https://a.b/$x_1$/",
        "> \\[a =\n> & b\\]",
        "\\begin{a}`\\end{a}",
        "**a\n---\nb**",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert adapted(text) == text


@pytest.mark.parametrize("text", ["#### a", "---", "- [ ] a", "+ a"])
def test_a_text_that_goes_on_with_a_line_does_not_start_one(text: str) -> None:
    assert adapted(text, line_start=False) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a || b", r"a \|\| b"),
        ("a || b || c", r"a \|\| b \|\| c"),
        ("it was ||Bob|| or ||Eve||", "it was ||Bob|| or ||Eve||"),
        ("`a || b` or c || d", r"`a || b` or c \|\| d"),
        ("```\na || b\n```", "```\na || b\n```"),
        ("a||b", r"a\|\|b"),
        ("plain", "plain"),
    ],
)
def test_operators_are_escaped(text: str, expected: str) -> None:
    edits = escape_operators(ParsedText(text, Settings()))
    assert TracedText.from_spans(text, ((0, len(text)),)).replace("operator", edits).text == expected
