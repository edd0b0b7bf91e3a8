"""A parser that we did not write finds no format changed by a cut; where it does, the reason is written down.

It reads a sample of the corpus, and all of it with `ORACLE=whole`; where there is none, it reads our own pages.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from npm_package import install, needs_node
from oracle.formats import LIMITS, Comparison, comparisons, differences, listed, read

HERE = Path(__file__).parent
CORPUS = HERE.parents[2] / "shared" / "corpus" / "answers.jsonl"
PAGES = [*sorted((HERE.parent / "pages").glob("*.txt")), HERE / "every_format.md"]
WHOLE = os.environ.get("ORACLE") == "whole"
EVERY = 4
MAX_COUNT = 5 / 400
pytestmark = needs_node


@pytest.fixture(scope="module")
def parser(pytestconfig: pytest.Config) -> Path:
    return install(HERE / "js", pytestconfig)


def _page(path: Path) -> tuple[str, str]:
    return path.name, path.read_text(encoding="utf-8")


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside this checkout")
def test_no_cut_and_no_rule_changes_a_format_in_an_answer(parser: Path) -> None:
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    known = listed()
    names = {name for name, _ in known}
    chosen = [row for at, row in enumerate(rows) if WHOLE or at % EVERY == 0 or row["id"] in names]

    found = differences((one for row in chosen for one in comparisons(row["id"], row["text"])), parser)

    assert [one for one in found if (one.name, one.kind) not in known] == []
    assert known.keys() - {(one.name, one.kind) for one in found} == set(), "these differ no longer"
    assert len(names) <= MAX_COUNT * len(rows)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_cut_changes_a_format_in_a_page(path: Path, parser: Path) -> None:
    asked = [one for one in comparisons(*_page(path)) if one.kind != "rules"]

    assert differences(asked, parser) == []


def test_the_page_has_every_format_and_a_blind_cut_breaks_it(parser: Path) -> None:
    name, text = _page(HERE / "every_format.md")
    (seen,) = read([text], parser).values()
    formats = {one.split()[0] for _, formats in seen for one in formats}

    assert formats == {
        *("bold", "italic", "underline", "strike", "spoiler", "code", "block", "quote", "heading", "subtext"),
        *("link", "user", "role", "channel", "emoji", "twemoji", "timestamp", "slashCommand", "everyone"),
    }
    naive = tuple(text[at : at + LIMITS[1]] for at in range(0, len(text), LIMITS[1]))
    assert differences([Comparison(name, "cut", "blindly", text, naive)], parser) != []


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        ("a **b c** d", ("a **b", "c** d")),
        ("a ||b c|| d", ("a ||b||", "c d")),
        ("```py\na\nb\n```", ("```py\na\n```", "```\nb\n```")),
        ("[a b](https://a.b/c)", ("[a](https://a.b/c)", "[b](https://a.b/d)")),
        ("> a\n> b", ("> a", "b")),
        ("# a b", ("# a", "b")),
        ("a b", ("a",)),
    ],
)
def test_what_a_wrong_cut_changes_is_seen(whole: str, parts: tuple[str, ...], parser: Path) -> None:
    assert len(differences([Comparison("", "cut", "wrongly", whole, parts)], parser)) == 1


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        ("a **b c** d", ("a **b**", "**c** d")),
        ("```py\na\nb\n```", ("```py\na\n```", "```py\nb\n```")),
        ("> a\n> b", ("> a", "> b")),
    ],
)
def test_what_is_closed_and_reopened_is_the_same(whole: str, parts: tuple[str, ...], parser: Path) -> None:
    assert differences([Comparison("", "cut", "rightly", whole, parts)], parser) == []


def test_a_rule_may_change_words_but_not_the_look_of_the_others(parser: Path) -> None:
    def changes(ruled: str) -> int:
        return len(differences([Comparison("", "rules", "", "**a** x^2 b", (ruled,))], parser))

    assert changes("**a** x² b") == 0
    assert changes("a x² b") == 1
    assert changes("**a** x² `b`") == 1
