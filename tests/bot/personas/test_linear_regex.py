"""Expressions of untrusted authors: they find what `re` finds, and never take long."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamcord_bot.personas.linear_regex import MAX_STATES, LinearRegex, RegexError, read_expression

ATOMS = st.sampled_from(["a", "b", "ab", ".", "[ab]", "[^a]", r"\w", r"\s", r"\b", r"\B", "^", "$", "", "é"])


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeats = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "*?", "+?"])
    return st.one_of(
        st.builds(lambda one, two: one + two, inner, inner),
        st.builds(lambda one, two: f"(?:{one}|{two})", inner, inner),
        st.builds(lambda one, times: f"({one}){times}", inner, repeats),
    )


PATTERNS = st.recursive(ATOMS, _larger, max_leaves=8)


@given(PATTERNS, st.text("ab é\nA", min_size=1, max_size=12), st.sampled_from(["", "i", "m", "s", "ims"]))
def test_it_finds_what_re_finds(pattern: str, text: str, flags: str) -> None:
    # Python's `$` is also before a last newline, JavaScript's is not.
    oracle = re.compile(
        pattern.replace("$", "$" if "m" in flags else r"\Z"), sum(getattr(re, f.upper()) for f in flags)
    )

    assert LinearRegex(pattern, flags).has(text) is bool(oracle.search(text))


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("/hone?y cake/i", "a HONEY cake", True),
        ("/hone?y cake/", "a HONEY cake", False),
        (r"/\bcats?\b/", "concatenate", False),
        (r"/\bcats?\b/", "two cats!", True),
        (r"/(?<first>dragon|wyrm)s?/g", "the wyrms", True),
        (r"/[\d\-\]]{2}/", "a-]", True),
        (r"/[a-c-]x/", "-x", True),
        (r"/\u6708|\x41/", "満月", True),
        (r"/a\/b/", "a/b", True),
        ("/[^]/", "\n", True),
        ("/[]/", "x", False),
        ("/x{0}$/", "abc", True),
    ],
)
def test_keys_are_javascript(key: str, text: str, *, found: bool) -> None:
    expression = read_expression(key)

    assert expression is not None
    assert expression.has(text) is found


@pytest.mark.parametrize("key", ["tower", "/", "//", "and/or", "/usr/bin/python3"])
def test_plain_keys_are_no_expressions(key: str) -> None:
    assert read_expression(key) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "(", ")", "a)", "[a", "*", "a**", r"a\1", "(?=a)", "(?<!a)b", r"\p{L}", "(?i)a", "[b-a]", "a{3,2}", "\\",
        "a" * 501, "(" * 60 + ")" * 60, "(a{100}){100}", "((a{1000}){1000}){1000}", "a{2000}", "(?P<x>a)",
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(pattern: str) -> None:
    with pytest.raises(RegexError):
        LinearRegex(pattern)


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|aa)+$", "(a|a?)+$", "(.*a){12}$", "(.*)*(.*)*(.*)*x", "(a?){100}a{100}$", "(a*)*b"],
)
def test_cost_grows_with_the_text_only(pattern: str) -> None:
    expression = LinearRegex(pattern)

    def cost(length: int) -> int:
        return sum(expression.search("a" * length + "!"))

    assert cost(800) <= 2.2 * cost(400) + 1000
    assert cost(800) <= 801 * (MAX_STATES + 1)


def test_repeating_nothing_a_billion_times_takes_no_time() -> None:
    assert LinearRegex("(" * 30 + "){1000}" * 30).has("")


def test_places_without_its_first_character_cost_nothing() -> None:
    assert sum(LinearRegex(r"\bdragons?\b").search("nothing here " * 1000)) == 0
