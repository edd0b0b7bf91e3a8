"""Code fences through the whole pipeline and in its parts: forgotten ends, long fences, strings, waiting lines."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.code_fence_lines import is_announcement, is_prose
from streamcord._text.markdown.code_fences import Fence, read_fence
from streamcord._text.tokens import NOT_FOUND
from whole_texts import messages_of

# A bar is where the block ends.
ENDS = {
    "a longer fence also closes the shorter block in it": "````py\n```\nx\n````¦\ny",
    "a long block of code contains named fences": "````py\n````js\nx\n````¦\ny",
    "a string may contain a fence": 'p = 1\n```py\np = """\n```js\nx\n```\n"""\n```¦\ny',
    "a string without an end contains none": '```py\np = """\n```¦\n\nThat is it.\n',
    "a blank line may be above the prose after an open quote": "```lisp\n(f '(a))```¦\n\nThat is it.\n",
    "a comment with code announces no block": "```py\na\n# x = 1\n```js\nb\n```¦\n\nc",
    "a line of prose may be long": "```md\nRun:\n```¦\n" + "Word and " * 60,
    "marks after a fence close it": "```py\nx\n```¦.\ny\n",
    "a fence is not looked for in more than thirty lines": (
        "```py\nf()\n\nThen run this:\n```¦\n" + "a = 1\n" * 40 + "```\n"
    ),
}


@pytest.mark.parametrize("marked", ENDS.values(), ids=ENDS.keys())
@pytest.mark.parametrize("step", [1, 10_000])
def test_a_block_ends_at_its_bar(marked: str, step: int) -> None:
    start = marked.index("`")
    ticks = len(marked[start:]) - len(marked[start:].lstrip("`"))
    text, end = marked.replace("¦", ""), NOT_FOUND
    fence, at = Fence(start, ticks, nested=True), start + ticks
    for size in [*range(at, len(text), step), len(text)]:
        fence, end, at = read_fence(text[:size], fence, at, final=size == len(text))
        if end > 0:
            break
    assert end == marked.index("¦")


def test_a_comment_of_code_announces_nothing() -> None:
    assert not is_announcement("# x = f(1):")
    assert is_announcement("# Usage")


def test_words_without_spaces_are_prose() -> None:
    assert is_prose("それだけです")


def test_a_block_whose_end_was_forgotten_ends_before_the_next_one() -> None:
    assert messages_of("```\na\n```py\nb\n```\nc") == ["```\na\n```", "```py\nb\n```", "c"]


DOCUMENT = "```markdown\n# Tea\n```sh\nboil\n```\n\nI hope it is good.\n\n"


def test_a_document_that_stays_open_ends_where_the_first_block_in_it_does() -> None:
    assert messages_of(DOCUMENT + "Goodbye!")[1:] == ["I hope it is good.", "Goodbye!"]
    # All at once, text before the document is cut while it is open.
    assert messages_of("So.\n\n" + DOCUMENT)[::2] == ["So.", "I hope it is good."]
    assert len(messages_of(DOCUMENT.split("\n\nI", maxsplit=1)[0])) == 1


def test_only_some_open_documents_of_an_answer_are_read_again() -> None:
    messages = messages_of(DOCUMENT * 6)
    assert messages.count("I hope it is good.") == 3


def test_backticks_between_words_are_text_or_inline_code() -> None:
    assert messages_of("Use ``` as it is\nin text.")[0].startswith("Use \\`")
    assert messages_of("Write ```b `c` d``` here.") == ["Write ``b `c` d`` here."]


def test_an_action_over_paragraphs_is_closed_in_each_message() -> None:
    assert messages_of("*She runs.\n\nShe hides.*") == ["*She runs.*", "*She hides.*"]
