"""Code blocks: where they close, and what code the end of a text is in."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.code_fence_lines import LINE_CHARS
from streamcord._text.markdown.code_fence_matching import NESTED, PAIR_LINES, Block, Kind
from streamcord._text.markdown.code_fence_strings import STRING_REACH, pass_strings, string_continues
from streamcord._text.markdown.code_fences import (
    FENCED,
    INDENT,
    INFO_REACH,
    LOOK_BACK,
    Fence,
    find_fence_end,
    open_code,
    read_fence,
)
from streamcord._text.markdown.line_kinds import LONGEST_RUN, WHITE_HOLD
from streamcord._text.tokens import LINE_REACH, NEED_MORE, NOT_FOUND

# A bar is where the block ends.
BLOCKS = [
    "```py\nx\n```¦ y",
    "```x```¦",
    "```\nx ```¦` y",
    "```\n~~~\n",
    "```\n``\n",
    "````md\n```js\nx\n```\n````¦\ny",
    "````\nx ```` y\n  ````¦ z",
    "````\nx\n`````¦ y",
    "`````\nx\n````\ny\n`````¦",
    "````\nx\n```\n",
    "````\n" + " " * INDENT + "````¦",
    "````\n" + " " * INDENT + " ````",
    "`" * LONGEST_RUN + "\nx\n" + "`" * LONGEST_RUN + "¦\n",
]


def end_of(text: str, at: int | None = None, *, final: bool = True) -> tuple[int, int]:
    ticks = len(text) - len(text.lstrip("`"))
    return find_fence_end(text, Fence(0, ticks), ticks if at is None else at, final=final)


@pytest.mark.parametrize("marked", BLOCKS)
def test_a_block_ends_at_its_bar(marked: str) -> None:
    text = marked.replace("¦", "")
    assert end_of(text)[0] == (marked.index("¦") if "¦" in marked else NOT_FOUND)


@pytest.mark.parametrize("marked", BLOCKS)
def test_a_block_ends_there_however_the_text_arrives(marked: str) -> None:
    text = marked.replace("¦", "")
    ticks = len(text) - len(text.lstrip("`"))
    at, end = ticks, NOT_FOUND
    for size in range(ticks, len(text) + 1):
        end, at = end_of(text[:ticks] + text[ticks:size], at, final=size == len(text))
        if end > 0:
            break
    assert end == (marked.index("¦") if "¦" in marked else NOT_FOUND)


def test_a_long_run_that_may_still_grow_is_waited_for() -> None:
    assert end_of("````\nx\n````", final=False) == (NEED_MORE, 6)
    assert end_of("````\nx\n````", final=True) == (11, 6)


def test_the_search_goes_on_close_to_the_end_of_what_was_seen() -> None:
    assert end_of("```\n" + "x" * 1000, final=False)[1] >= 1000
    assert end_of("````\n" + "x" * 1000, final=False)[1] >= 1000 - INDENT - LONGEST_RUN


# The same for blocks that are read as they were meant.
MEANT = {
    "a line of its own closes": "```py\nx\n```¦\ny",
    "white space behind it does not matter": "```py\nx\n```¦ \t\ny",
    "so does the end": "```py\nx\n```¦",
    "a longer run closes as well": "```py\nx\n`````¦\ny",
    "but no endless one": "```py\nx\n" + "`" * (LONGEST_RUN + 1) + "\n```¦",
    "a block may end on its first line": "```x```¦ y",
    "with as many as it began": "````x ``` y````¦ z",
    "or not at all": "```py\nx\n``\n",
    "its first line may have no end": "```" + "x" * 50,
    "nor a run on it": "````x ```",
    "backticks in a line are code": '```py\nx = "```" + y\n```¦\n',
    "in a pair at its end, too": "```py\nuse ```x```\n```¦\n",
    "at its end they close": "```py\nx = 1```¦\ny",
    "behind a space, too": "```py\nx = 1 ```¦  \ny",
    "behind a bracket, too": "```js\n}```¦",
    "but not in a comment": "```rs\n/// ```\n/// x\n/// Use: ```\n```¦\n",
    "nor in one without words": "```\n /* ```\n * ```\n */\n```¦\n",
    "nor behind a quote that opens": "```py\ns = '```\nx'\n```¦\n",
    "nor if they are too few": "````py\nx```\n````¦",
    "nor in a block of tildes": "~~~py\nx```\nx~~~\n~~~¦",
    "in a long line as well": "```py\n" + "x " * LOOK_BACK + "```¦\n",
    "a fence that is indented deeper is code": "```py\n    ```\n    x\n    ```\n```¦\n",
    "a deeper one without a partner closes": "  ```py\n   ```¦\n  ```\n",
    "one that is less deep closes": "  ```py\n  x\n```¦\n",
    "a tab is four spaces": "    ```py\n\t```¦\n",
    "a fence with words is code": "```py\n```js\nx\n```¦\n```\n",
    "unless a space stands before them": "```py\nx\n```¦ done\n",
    "the bars of a spoiler close": "```py\nx\n```¦||\ny",
    "but not deeper ones": "```py\nx\n  ```||\n```¦\n",
    "or several do": "```md\nx\n```¦ That is all\n",
    "but no pair of backticks": "```py\n``` x ```\n```¦\n",
    "nor words without end": "```py\n```" + "x" * INFO_REACH + "\n```¦\n",
    "other signs are code": "```py\n~~~\n~~~js\n```¦\n",
    "white space behind a fence ends": "```py\n```¦" + " " * WHITE_HOLD + "x",
    "a document has blocks with words": "```md\n```sh\nx\n```\n\n```¦\n\ny",
    "in any case": "```Markdown\n```SH\nx\n```\n\n```¦\n\ny",
    "and documents": "```md\na\n```md\nb\n```sh\nc\n```\n```\n```¦\n\ny",
    "and bare ones below a blank line": "```md\na\n\n```\nx --help\n```\nb\n```¦\n\ny",
    "or below a colon": "```md\nRun:\n```\nx --help\n```\n```¦\n\ny",
    "of one line of prose, too": "```md\nIt says:\n```\nThat is it.\n```\n```¦\n\ny",
    "but not of more": "```md\nIt says:\n```¦\nThat is it.\nAnd more.\n```",
    "or at its beginning": "```md\n```\nx --help\n```\n```¦\n\ny",
    "in other places they close": "```md\nRun this\n```¦\nx --help\n```",
    "a command may end with a stop": "```md\nRun:\n```\npip install .\n```\n```¦\n\ny",
    "a heading above code is a comment": "```md\nRun:\n```\n# all of it\nmake -j\n```\n```¦\n\ny",
    "above prose it is none": "```md\nRun:\n\n```¦\n# All of it\n\nIt is easy.\n```",
    "before another fence they close": "```md\na\n\n```¦\n```js\nx\n```",
    "before prose they close": "```md\n# A\n```¦\nThat is it.\n",
    "in other languages, too": "```md\n# A\n```¦\nそれだけです。\n",
    "prose is long, too": "```md\n# A\n```¦\n" + "Word and " * INFO_REACH,
    "or has a capital and three words": "```md\n# A\n```¦\nThat's the idea\n",
    "a statement has signs": "```md\n\n```\nSelect x = (y)\n```\n```¦\n",
    "the next line may be all there is": "```md\na\n```¦\nDone.",
    "before a blank line they close": "```md\na\n\n```¦\n \ny",
    "before a line that is less deep, too": "  ```md\n  a\n\n  ```¦\n- b",
    "before blanks without end, too": "```md\na\n\n```¦\n" + " " * LINE_CHARS + "y",
    "a bare block has one with words on its first line": "```\n```py\nb\n```\n```¦\n\nc",
    "and is a document then": "```\n```py\nb\n```\n\n```\nc\n```\n```¦\n\nd",
    "or further down if two fences close": "```\na\n```py\nb\n```\n```¦\nc",
    "else it has ended before": "```\na\n¦```py\nb\n```\nc",
    "also after a blank line": "```\na\n\n¦```py\nb\n```\nc\n```",
    "if there is no other fence": "```\na\n\n¦```py\nb",
    "or none in sight": "```\na\n\n¦```py\n" + "b\n" * PAIR_LINES + "```\n```\n",
    "code, too, has ended before a blank line and a language": "```py\na\n\n¦```js\nb\n```\nc",
    "or below words": "```py\na\n**In JavaScript:**\n¦```js\nb\n```\nc",
    "a line of code is no such words": "```py\ndef f():\n```js\nb\n```¦\nc",
    "plain text has blocks": "```text\na\n```py\nb\n```\n\nd\n```¦\n\nd",
    "else a bare fence closes it": "```\na\n```¦\nb\n```\n",
    "a deeper one does not make it one": "```\na\n    ```py\n    b\n    ```\n```¦\nc",
    "a deeper bare one is code": "```md\n- a\n  ```\n  b\n  ```\n```¦\n",
    "a document has blocks of tildes": "```md\n~~~py\n```\n~~~\n```¦\n",
    "bare ones, too": "```md\na\n~~~\n```\n~~~\n```¦\n",
    "but not before a blank line": "```md\na\n~~~\n\n```¦\n",
    "a longer fence has none": "````md\n```js\nx\n```\n~~~\n````¦\nafter",
    "but longer ones": "````md\n````js\nx\n````\n````¦\nafter",
    "so has a block of tildes": "~~~md\n```js\n~~~¦\nafter",
    "tildes do not close backticks": "```\na\n~~~\n```¦\n",
    "nests are closed from the inside": "```md\na\n```md\nb\n```\n```¦\n\nc",
    "a line of two backticks closes nothing": "```md\na\n```md\nb\n```\n``\n",
    "a document that has none is closed from the inside": "```md\na\n```py\nb\n\n```js\nc\n```\n\n```¦\n\ny",
    "words with inline code close": "```ts\nx\n```¦ Here, `A` is one.\n",
    "words that touch it are a sentence": '```cmd\nx\n```¦Replace "C:" with the letter of your drive.\ny\n```',
    "or a list item": "```cmd\nx\n```¦1. Next\ny\n```",
    "other words are code": "```cmd\nx\n```x = y + 1\ny\n```¦",
    "a word with a capital above a blank line is prose": "```py\nx\n```¦Explanation\n\ny\n```",
    "above code it is none": "```py\nx\n```Explanation\ny\n```¦\n",
    "deeper words are code": "```py\nx\n  ``` a\n```¦\n",
    "a deeper sentence is none": "```py\nx\n  ```¦ That is it.\n```\n",
    "a fence with a language may be indented": "```py\nx\n  ```js\n  y\n  ```\n```¦\n",
    "its partner is as deep": "```py\nx\n  ```¦\n  y\n    ```\n  ```js\n```\n",
    "its partner is in sight": "```py\nx\n  ```¦\n" + "  y\n" * PAIR_LINES + "  ```\n```",
    "and must be there": "```py\nx\n  ```¦\n  y\n",
    "closed quotes close": "```py\nx = 'a'```¦\n\ny",
    "an apostrophe is no quote": "```text\ndon't```¦\ny",
    "behind an open quote prose must follow": "```lisp\n(f '(a))```¦\nThat is it.\n",
    "a comment closes before a blank line": "```py\n# Output: 1```¦\n\ny",
    "or before prose": "```py\n# Output: 1```¦\nThat is it.\n",
    "not before another comment": "```py\n# Output: 1```\n# That is it.\n```¦\n",
    "not before its closing fence": "```\nfour are ````\n```¦\ny",
    "nor is it longer": "```\nfour are ````\ny\n```¦\ny",
    "a sentence may follow on the line": "```py\nx()```¦ That calls it.\n",
    "if it begins with a capital": "```py\nx()``` and more\n```¦\n",
    "what continues is not closed": "```js\nf(```\nx)\n```¦\n",
    "a longer fence has shorter ones": "````py\n```\nx\n```\n````¦\n",
    "but ends before a blank line": "````py\nx\n```¦\n\nThat is it.",
    "its shorter ones may be indented": "````py\n  ```\n\n````¦\n",
    "tildes without a language in a document": "```md\n~~~ 1 + 1\n```¦\n",
    "too many are code": "```md\n" * (NESTED + 1) + "x\n" + "```\n" * (NESTED - 1) + "```¦\n\n",
    "bare ones as well": "```md\n" * NESTED + "\n```\nx\n" + "```\n" * (NESTED - 1) + "```¦\n\n",
}


def opened(text: str) -> Fence:
    start = len(text) - len(text.lstrip(" "))
    ticks = len(text) - start - len(text[start:].lstrip(text[start]))
    return Fence(start, ticks, nested=True, mark=text[start], indent=start)


@pytest.mark.parametrize("marked", MEANT.values(), ids=MEANT.keys())
def test_a_block_ends_where_it_was_meant_to(marked: str) -> None:
    text, fence = marked.replace("¦", ""), opened(marked)
    end = marked.index("¦") if "¦" in marked else NOT_FOUND
    assert read_fence(text, fence, fence.start + fence.ticks, final=True)[1] == end


@pytest.mark.parametrize("marked", MEANT.values(), ids=MEANT.keys())
def test_it_ends_there_however_the_text_arrives(marked: str) -> None:
    text, fence = marked.replace("¦", ""), opened(marked)
    at, end = fence.start + fence.ticks, NOT_FOUND
    for size in range(at, len(text) + 1):
        fence, end, at = read_fence(text[:size], fence, at, final=size == len(text))
        if end > 0:
            break
    assert end == (marked.index("¦") if "¦" in marked else NOT_FOUND)


def test_a_block_that_is_not_meant_ends_at_the_next_backticks() -> None:
    assert read_fence('```\nx = "```"', Fence(0, 3), 3, final=True)[1] == 12


def test_a_first_line_that_goes_on_too_long_names_code() -> None:
    text = "```md " + "x" * LINE_REACH + "\n"
    fence, _, at = read_fence(text, opened(text), 3, final=False)
    assert fence.nest == (Block("`", 3, 0, Kind.CODE),)
    assert fence.shift(2000).line == fence.line - 2000
    assert at == len(text)


def test_many_runs_on_one_line_are_looked_at_once() -> None:
    text = "```py\n" + "x ```" * 20_000
    fence, end, at = read_fence(text, opened(text), 3, final=False)
    assert (end, fence.line, fence.runs) == (NEED_MORE, 6, 19_999)
    assert at == len(text) - 3


# A bar is where the code opened that the end of the text is in, and its run of backticks (or FENCED).
OPEN = {
    "plain": 0,
    "a ¦`b": 1,
    "a `b` c": 0,
    "a `b` ¦`c": 1,
    "¦``a ` b": 2,
    "a ¦```b": 3,
    "a `b\nc": 0,
    "a `b\n¦`c": 1,
    r"\`a": 0,
    r"\\¦`a": 1,
    "¦```": FENCED,
    "x\n¦```py": FENCED,
    "x\n  ¦````": FENCED,
    "x\n - ¦```": 3,
    "`" * (LONGEST_RUN + 1): 0,
    "¦`" + "`" * (LONGEST_RUN - 1): FENCED,
}


@pytest.mark.parametrize(("marked", "run"), OPEN.items())
def test_the_end_of_a_text_may_stand_in_code(marked: str, run: int) -> None:
    assert open_code(marked.replace("¦", ""), 0, line_start=True) == (marked.find("¦"), run)


def test_backticks_in_mid_line_open_no_block() -> None:
    assert open_code("```", 0, line_start=False) == (0, 3)
    assert open_code("x\n```", 0, line_start=False) == (2, FENCED)
    assert open_code("` ` `", 3, line_start=False) == (4, 1)


@pytest.mark.parametrize(
    ("lines", "closer"),
    [
        ("x = 1\n", ""),
        ('x = """\n', '"""'),
        ('"""A page."""\n', ""),
        ("a = '''b\n\"\"\"\n", "'''"),
        ('"""a"""\n"""b\n', '"""'),
        ("cat <<EOF > x\n", "EOF"),
        ("cat <<-'END_OF'\na\n", "END_OF"),
        ("cat <<EOF\na\nEOF\n", ""),
        ("cat <<EOF\n\tEOF\n", ""),
        ("cat <<EOF\nxEOF\nEOF x\n", "EOF"),
        ("cout << ENDL << x;\n", "ENDL"),
        ("cout << endl;\nx <<= 2\n", ""),
    ],
)
def test_which_string_is_open_behind_lines(lines: str, closer: str) -> None:
    assert pass_strings(lines, 0, len(lines), "") == closer


def test_a_string_goes_on_over_lines() -> None:
    assert pass_strings("a\n", 0, 2, "EOF") == "EOF"
    assert pass_strings("a\nEOF\n", 0, 6, "EOF") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('\nx\n```\n"""\n', True),
        ('\n```js\nx\n```\n"""', True),
        ('\nprose\n```python\n"""', False),
        ("\nprose\n", False),
        ("x" * STRING_REACH + '"""', False),
    ],
)
def test_a_string_is_believed_if_its_end_is_in_sight(text: str, expected: bool) -> None:
    assert string_continues(text, 0, '"""', final=True) is expected


def test_a_string_waits_for_its_end() -> None:
    assert string_continues("\nEOF", 0, "EOF", final=False) is None
    assert string_continues("\nEOF", 0, "EOF", final=True) is True
    assert string_continues("\nEOF\n", 0, "EOF", final=False) is True
    assert string_continues("\n" + "x" * STRING_REACH, 0, "EOF", final=False) is False
