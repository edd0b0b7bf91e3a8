"""The invariant Intent: what its pages hold, that CommonMark agrees where it can, and that the invariant holds."""

from __future__ import annotations

from random import Random

import pytest
from markdown_it import MarkdownIt

from conservation import conserve
from intents import Author, Page, misread
from invariants import run
from streamcord._events import Degree
from streamcord._settings import Settings
from streamcord._text.markdown.code_fences import Fence, read_fence
from streamcord._text.pipeline import Pipeline


def page(seed: int) -> Page:
    return Author(Random(seed)).write()


def read_common(text: str) -> list[bool]:
    """For each line, whether CommonMark reads it as code of a fence."""
    code = [False] * text.count("\n")
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence" and token.map:
            lines = token.content.count("\n")
            code[token.map[0] + 1 : token.map[0] + 1 + lines] = [True] * lines
    return code


@pytest.mark.parametrize("seed", range(150))
def test_code_is_sent_as_code_and_prose_as_prose(seed: int) -> None:
    written = page(seed)
    for degree in range(4):
        chosen = Settings(
            degree=Degree(degree), message_length=(1950, 300, 60)[seed % 3], humanize=False, message_cap=0
        )
        for slices in ([written.text], list(written.text)):
            account = conserve(written.text, run(chosen, slices))
            assert account.violations == []
            assert misread(written, account) == []


def test_common_mark_reads_the_pages_that_it_can_read_as_they_were_meant() -> None:
    read = 0
    for seed in range(600):
        written = page(seed)
        if not written.common:
            continue
        read += 1
        lines, at = written.text.split("\n")[:-1], 0
        for line, code in zip(lines, read_common(written.text), strict=True):
            labels = set(written.labels[at : at + len(line)]) - {" "}
            assert labels <= {"c" if code else "p"}, (seed, line, written.text)
            at += len(line) + 1
    assert read > 150


def test_pages_have_blocks_of_every_kind_in_each_other() -> None:
    kinds = set().union(*(page(seed).kinds for seed in range(300)))
    assert {"code ```", "code ````", "code ~~~", "bare ```", "document ```", "document ~~~"} <= kinds
    assert {"code ``` inside", "document ``` inside", "bare inside"} <= kinds


def test_the_invariant_sees_what_was_taken_for_something_else() -> None:
    written = Page()
    written.write("a\n\n", "p")
    written.write("```py\n", " ")
    written.write("x\n", "c")
    written.write("```\n", " ")
    account = conserve(written.text, run(Settings(), [written.text]))
    assert misread(written, account) == []
    written.labels = written.labels.translate({ord("c"): "p", ord("p"): "c"})
    assert [fault.split(":")[0] for fault in misread(written, account)] == [
        "code shown otherwise", "prose shown otherwise",
    ]  # fmt: skip


NESTS = {
    "ten deep": "".join(f"```md\n{n}\n" for n in range(10)) + "```\n" * 10,
    "ten deep in all signs": "".join(f"{'`' * (n + 3)}md\n{'~' * (n + 3)}py\n" for n in range(10)),
    "never closed": "```md\n" * 300,
    "named and never closed": "```\n```js\n" * 200,
    "alternate lengths": "```md\n````md\n`````md\n````\n```\n" * 60,
    "bare and bare": "```\n" * 401,
    "half closed": "```md\nx\n```\ny\n" * 100,
    "at the ends of lines": "x```\n" * 200,
    "before words": "```py\n``` a\n" * 100,
    "tildes": "~~~\na\n~~~~py\n" * 100,
}


@pytest.mark.parametrize("text", NESTS.values(), ids=NESTS.keys())
@pytest.mark.parametrize("degree", range(4))
def test_nests_of_fences_lose_nothing_in_any_slices(text: str, degree: int) -> None:
    chosen = Settings(degree=Degree(degree), message_cap=0, message_length=(60, 1950)[degree % 2])
    whole = run(chosen, [text])
    assert run(chosen, list(text)) == whole
    assert conserve(text, whole).violations == []


@pytest.mark.parametrize("unit", ["```md\n", "```\n```js\n", "x ``` y ", "```md\n````md\n```\n", "~~~\na\n"])
def test_a_flood_of_fences_is_read_in_few_steps(unit: str) -> None:
    """Each character is given to the reader of a block a bounded number of times."""
    text = "```md\n" + unit * (60_000 // len(unit))
    fence, at, read = Fence(0, 3, nested=True), 3, 0
    for size in range(1000, len(text), 1000):
        before = at
        fence, end, at = read_fence(text[:size], fence, at, final=False)
        read += size - before
        if end > 0:
            return
    assert read < 2 * len(text) + 1000 * 100


@pytest.mark.parametrize("text", NESTS.values(), ids=NESTS.keys())
def test_what_follows_an_endless_nest_is_still_cut(text: str) -> None:
    """Code that no one closes leaves in parts of `code_overflow`, it does not wait for the end."""
    pipeline = Pipeline(Settings(message_cap=0))
    assert pipeline.feed("```md\n" + text + "words and words\n" * 2000)
