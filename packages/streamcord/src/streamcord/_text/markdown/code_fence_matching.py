"""What a fence means, judged by its neighbours.

An opening fence is followed at once by code. A closing fence is followed by a blank line, by prose, by another fence
or by the end. Models break every rule of Markdown about the rest: they indent fences at random, put words after
them, forget them, and write documents with blocks of their own into blocks. Each rule below is one function; if none
decides, a fence closes: prose that is shown as code up to the end of the answer is the worst result.

All functions may raise `NeedMore`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple

from ..language.punctuation import COLONS
from ..tokens import LINE_REACH
from .code_fence_lines import (
    LinesAhead,
    NeedMore,
    are_plain_words,
    find_language,
    has_code_signs,
    indent_of,
    is_announcement,
    is_comment,
    is_prose,
    is_sentence,
    last_line,
)

NESTED = 64
"""Blocks that may be open at once; deeper ones are content."""
PAIR_LINES = 30
"""Lines within which an indented fence must have its partner."""

_DOCUMENTS = frozenset({"markdown", "md", "mdx"})
_PLAIN = frozenset({"text", "txt", "plaintext"})  # they hold anything
_DIFFS = frozenset({"diff", "patch", "udiff"})
_DIFF_SIGNS = tuple(" +-@")  # how a line of a diff begins
_RUN = re.compile(r"`{3,}|~{3,}")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TICKS_OR_NEWLINE = re.compile(r"`+|\n")
_WORD = re.compile(r"[^\W_]")
_MARKS = re.compile(r"[.,:!?。，、：！？)）*]{1,3}[ \t]*")  # of the sentence that contains a block
_MARKS_AND_WORDS = re.compile(r"[.,:;!?)]{1,3}[ \t]+(?=[^\W\d_])|[。，、：；！？）]{1,3}(?=[^\W\d_])")
_NO_CODE = re.compile(r"[ \t]*(?://+!?|/?\*+|#+|--+|;+|%+|<!--+|[+>|•-])?[ \t]*\Z")
_CONTINUES = frozenset("(=,[{+")
_HEAD = re.compile(r"[ \t]*(?:#{1,6}[ ]+\S|\*\*[^*\n]+\*\*[ \t]*\Z)")  # a heading, or a line that is bold
_APOSTROPHE = re.compile(r"(?:(?<=[^\W_]{2})|(?<=\bI))'(?=[^\W\d_])")  # but not that of f'x'


class Kind(IntEnum):
    """The content of a block."""

    DIFF = -1  # code whose unchanged lines are indented by a space
    CODE = 0  # of a named language
    BARE = 1  # not named
    PLAIN = 2  # text, which may hold blocks of its own
    DOCUMENT = 3  # Markdown, which has blocks of its own

    @property
    def is_code(self) -> bool:
        """Whether the block has a language in which no fences are expected."""
        return self <= Kind.CODE


class Block(NamedTuple):
    """An open block: the sign and length of its fence, how deep that is indented, and what it holds."""

    mark: str
    ticks: int
    indent: int
    kind: Kind

    @property
    def deliberate(self) -> bool:
        """Whether the fence was chosen so that fences inside do not close it."""
        return self.ticks > 3 or self.mark == "~"


@dataclass(frozen=True, slots=True)
class FenceLine:
    """A line of a block that begins with a fence."""

    # The block that the fence would open.
    block: Block
    # What is after the fence on its line, with the space before it.
    info: str
    # The line right above; None for the line with the opening fence.
    above: str | None
    ahead: LinesAhead
    # Whether the last line above that is not blank ends with a colon.
    announced: bool = False
    # Whether the lines above, from a blank line on, are prose.
    below_prose: bool = False


class Verdict(NamedTuple):
    """The blocks that are open after a fence (none: the outermost has ended), and how the last one ended."""

    nest: tuple[Block, ...]
    # Whether its closing fence is missing: it ends before this line.
    ends_before: bool = False
    # Whether the words after the closing fence belong to it.
    ends_line: bool = False


def kind_of(language: str) -> Kind:
    """Return what a block of this language holds."""
    if not language:
        return Kind.BARE
    name = language.lower()
    if name in _DIFFS:
        return Kind.DIFF
    return Kind.DOCUMENT if name in _DOCUMENTS else Kind.PLAIN if name in _PLAIN else Kind.CODE


# --- Fences inside a block ---------------------------------------------------------------------------


def judge_fence(line: FenceLine, nest: tuple[Block, ...]) -> Verdict:  # noqa: PLR0911
    """Return what a fence at the start of a line does to the open blocks."""
    inner, block = nest[-1], line.block
    content = Verdict(nest)
    if block.mark != inner.mark:
        opens = inner.kind is Kind.DOCUMENT and not inner.deliberate and _has_content(line)
        return _open(nest, block) if opens else content
    if "```" in line.info:
        return content
    if block.ticks < inner.ticks:
        return _judge_shorter(line, nest)
    while len(nest) > 1 and inner.ticks < nest[-2].ticks <= block.ticks:
        nest, inner = nest[:-1], nest[-2]  # it closes the block around the shorter one
    if inner.kind is Kind.DIFF and block.indent > inner.indent and _is_unchanged_line(line):
        return content
    if block.indent > inner.indent and _has_partner(line):
        return _open(nest, block)
    if not line.info.strip():
        return _judge_bare(line, nest)
    if line.info.startswith("||") and block.indent <= inner.indent:
        return Verdict(nest[:-1])  # the spoiler around the block ends, too
    if language := find_language(line.info):
        return _judge_named(line, nest, block._replace(kind=kind_of(language)))
    return Verdict(nest[:-1]) if _closes_before_words(line, inner) else content


def _judge_bare(line: FenceLine, nest: tuple[Block, ...]) -> Verdict:
    """Read a fence without words: it opens a block in a document, or after code that was not closed; or it closes."""
    if _opens_inner_block(line, nest[-1]):
        return _open(nest, line.block)
    if line.below_prose and len(nest) == 1 and _opens_next_block(line, nest[-1]):
        return Verdict((line.block,), ends_before=True)
    return Verdict(nest[:-1])


def _judge_named(line: FenceLine, nest: tuple[Block, ...], block: Block) -> Verdict:
    """Read a fence with a language: it opens a block, in this one or after it."""
    inner = nest[-1]
    if _may_hold_blocks(line, inner):
        return _open((*nest[:-1], inner._replace(kind=Kind.DOCUMENT)), block)
    if inner.deliberate:
        return Verdict(nest)
    if _is_word_of_prose(line):
        return Verdict(nest[:-1])
    if _repeats_language(line, inner, block):
        return Verdict(nest[:-1], ends_line=True)
    if _closing_was_forgotten(line, inner):
        return Verdict((*nest[:-1], block), ends_before=True)
    return Verdict(nest)


def _judge_shorter(line: FenceLine, nest: tuple[Block, ...]) -> Verdict:
    """Read a fence that is shorter than the opening one, which was made long so that such fences are content.

    Only in code, where no one expects fences, may it be a closing fence: if a blank line or the end follows.
    """
    if not nest[-1].kind.is_code or line.block.indent > nest[-1].indent:
        return Verdict(nest)
    below = line.ahead.line()
    if line.info.strip() or (below is not None and below.strip()):
        return _open(nest, line.block._replace(kind=Kind.CODE))
    return Verdict(nest[:-1])


def _open(nest: tuple[Block, ...], block: Block) -> Verdict:
    return Verdict((*nest, block) if len(nest) < NESTED else nest)


def _has_content(line: FenceLine) -> bool:
    """Return whether a fence of the other sign opens a block: it has a language, or content below it."""
    if line.info.strip():
        return bool(find_language(line.info))
    below = line.ahead.line()
    return below is not None and bool(below.strip())


def _has_partner(line: FenceLine) -> bool:
    """Rule 6: return whether a fence that is indented deeper opens a block that a fence of that depth closes.

    The next line is indented as deep, and the next fence of that depth within 30 lines has no words.
    """
    below = line.ahead.line()
    if below is None or not below.strip() or indent_of(below) < line.block.indent:
        return False
    for number in range(PAIR_LINES):
        text = line.ahead.line(number)
        if text is None:
            return False
        found = _FENCE.match(text)
        if found and indent_of(text) == line.block.indent and found[1][0] == line.block.mark:
            return _is_bare(text)
    return False


def _opens_inner_block(line: FenceLine, inner: Block) -> bool:
    """Rule 2: return whether a bare fence opens a block of a document.

    The line before it is blank, ends with a colon or is the opening line, and the next line is code. One line of prose
    may be a short output if a colon announced it and the next fence follows at once. Below a heading, the next fence
    must be bare, too. In plain text only a colon announces a block, and closing fences of both must follow.
    """
    if inner.kind not in (Kind.DOCUMENT, Kind.PLAIN) or inner.deliberate:
        return False
    if inner.kind is Kind.PLAIN:
        return line.announced and _is_code_below(line, inner) and _fences_below(line)[:2] == [True, True]
    heads = (
        line.above is not None and _HEAD.match(line.above) is not None and _fences_below(line)[:1] == [True]
    )
    if line.above is not None and line.above.strip() and not (line.announced or heads):
        return False
    return _is_code_below(line, inner, announced=line.announced)


def _opens_next_block(line: FenceLine, inner: Block) -> bool:
    """Return whether a bare fence opens a block because the one above it was not closed.

    A line that ends with a colon is above, code is right below, and a closing fence follows.
    """
    return line.announced and _is_code_below(line, inner) and _fences_below(line)[:1] == [True]


def _is_code_below(line: FenceLine, inner: Block, *, announced: bool = False) -> bool:
    """Return whether the next line is code: neither blank nor prose, nor a fence, nor outside of the list item."""
    below = line.ahead.line()
    if below is None or not below.strip() or _FENCE.match(below) or indent_of(below) < inner.indent:
        return False
    after = line.ahead.line(1)
    if is_prose(below, after):
        return announced and after is not None and _is_bare(after)
    return True


def _fences_below(line: FenceLine) -> list[bool]:
    """Return the fences within the next 30 lines: whether each has no words."""
    found = []
    for number in range(PAIR_LINES):
        text = line.ahead.line(number)
        if text is None:
            break
        if _FENCE.match(text):
            found.append(_is_bare(text))
    return found


def _is_unchanged_line(line: FenceLine) -> bool:
    """Return whether a fence that is indented in a diff is a line of the file: other lines of the diff follow."""
    if line.info.strip():
        return find_language(line.info) != ""
    below = line.ahead.line()
    return below is not None and below.startswith(_DIFF_SIGNS)


def _may_hold_blocks(line: FenceLine, inner: Block) -> bool:
    """Rule 3: return whether a named fence opens a block inside this one.

    Documents and plain text have blocks. A block without a language is a document only if a named fence is its first
    line, or if two closing fences in a row follow, one for each block.
    """
    if inner.kind is not Kind.BARE:
        return not inner.kind.is_code
    return line.block.indent <= inner.indent and (line.above is None or _is_closed_twice(line))


def _is_closed_twice(line: FenceLine) -> bool:
    """Return whether the next fence within 30 lines closes, and the line below it is a closing fence as well."""
    for number in range(PAIR_LINES):
        text = line.ahead.line(number)
        if text is None:
            return False
        if _FENCE.match(text):
            below = line.ahead.line(number + 1)
            return _is_bare(text) and below is not None and _is_bare(below)
    return False


def _is_bare(line: str) -> bool:
    """Return whether a line is a fence without words."""
    return _RUN.fullmatch(line.strip()) is not None


def _closing_was_forgotten(line: FenceLine, inner: Block) -> bool:
    """Rule 3: return whether a named fence begins a new block because the open one was not closed.

    A block without a language has no other reason to contain one. In code a fence may be text, but not after a
    blank line or an announcement.
    """
    if inner.kind is Kind.BARE:
        return True
    if line.above is None or not line.above.strip():
        return line.above is not None
    return is_announcement(line.above) and is_prose(line.above) and not is_comment(line.above)


def _is_word_of_prose(line: FenceLine) -> bool:
    """Return whether the single word after a fence is prose: it begins with a capital, and a blank line follows."""
    word = line.info.strip()
    below = line.ahead.line()
    return (
        word[0].isupper() and word.isalpha() and not word.isupper() and (below is None or not below.strip())
    )


def _repeats_language(line: FenceLine, inner: Block, block: Block) -> bool:
    """Return whether a fence with a language closes code: code is right above it, and prose below it or the end.

    Some models repeat the language on the closing fence.
    """
    if not (inner.kind.is_code and block.kind.is_code) or not line.above or not line.above.strip():
        return False
    if " " in line.info.strip() or line.announced:
        return False
    below, after = line.ahead.words(), line.ahead.words(1)
    if below is None or (_FENCE.match(below) and not (line.ahead.line() or "").strip()):
        return True
    return is_prose(below, after) and not is_comment(below)


def _closes_before_words(line: FenceLine, inner: Block) -> bool:
    """Rule 5: return whether a fence with words after it closes: after a space, or before a sentence.

    The words may contain inline code.
    """
    words = line.info.strip()
    if line.block.indent > inner.indent and not is_sentence(words):
        return False
    if _MARKS.fullmatch(words):
        return True
    if line.info[0].isspace() or _MARKS_AND_WORDS.match(words):
        return inner.kind is not Kind.DOCUMENT or " " in words
    plain = inner.kind <= Kind.BARE and are_plain_words(words)
    return plain or is_prose(line.info)


def closes_at_line_end(before: str, ticks: int, inner: Block, ahead: LinesAhead) -> bool:
    """Rule 7: return whether backticks at the end of a code line close the block.

    They are as many as the opening ones, code is before them, and the next line is no closing fence. In a comment, and
    after a quote that is not closed, they need more: no colon before them, and a blank line or prose below.
    """
    if (
        ticks != inner.ticks
        or inner.mark != "`"
        or _NO_CODE.match(before)
        or before.rstrip()[-1] in _CONTINUES
    ):
        return False
    below = ahead.line()
    if _RUN.search(before) or (below is not None and _is_bare(below) and below.strip()[0] == "`"):
        return False
    if inner.kind.is_code and below is not None and has_code_signs(below) and _is_closed_below(ahead):
        return False
    if inner.kind.is_code and is_comment(before):
        return before.rstrip()[-1] not in COLONS and _leaves_code(below, ahead)
    plain = _APOSTROPHE.sub("", before)
    return not any(plain.count(quote) % 2 for quote in "\"'`") or _leaves_code(ahead.words(), ahead)


def _is_closed_below(ahead: LinesAhead) -> bool:
    """Return whether the next fence within 30 lines is a closing one: without words, and no code below it."""
    for number in range(PAIR_LINES):
        text = ahead.line(number)
        if text is None:
            return False
        if _FENCE.match(text):
            below = ahead.line(number + 1)
            return _is_bare(text) and (below is None or not below.strip() or is_prose(below))
    return False


def _leaves_code(below: str | None, ahead: LinesAhead) -> bool:
    """Return whether a line below code is no code: it is blank, or prose but no comment."""
    return below is None or not below.strip() or (is_prose(below, ahead.line(1)) and not is_comment(below))


# --- Fences outside of blocks ------------------------------------------------------------------------


class Opening(Enum):
    """What a fence outside of blocks is."""

    BLOCK = "it opens a block"
    INLINE = "inline code of three backticks, or backticks that are text"
    STRAY = "the end of a block that was never opened"


def judge_opening(text: str, line: int, start: int, stop: int, *, final: bool) -> Opening:
    """Return what backticks from `start` to `stop` are, where the content of a line begins."""
    same = _find_same_run(text, start, stop, final=final)
    end = _line_end(text, start, max(same, stop), final=final)
    if same:
        return Opening.INLINE if _WORD.search(text, same, end) else Opening.BLOCK
    if text[stop:end].strip() or text[line:start].strip(" \t"):
        return Opening.BLOCK
    return Opening.STRAY if _is_left_over(text, line, LinesAhead(text, end, final=final)) else Opening.BLOCK


def judge_opening_after_words(text: str, line: int, start: int, stop: int, *, final: bool) -> Opening:
    """Rule 1: return what backticks after words are.

    `` ```x``` `` in a sentence is inline code. A run at the end of the line opens a block after a colon, and one with a
    language where code follows. Everything else is text.
    """
    before = text[max(line, start - LINE_REACH) : start].rstrip(" \t*_")
    announced = before[-1:] in COLONS
    same = _find_same_run(text, start, stop, final=final)
    end = _line_end(text, start, max(same, stop), final=final)
    if same:
        return Opening.BLOCK if announced and not _WORD.search(text, same, end) else Opening.INLINE
    info = text[stop:end]
    if info.strip() and (info[0].isspace() or not find_language(info)):
        return Opening.INLINE
    ahead = LinesAhead(text, end, final=final)
    below = ahead.line()
    if below is None or not below.strip():
        return Opening.INLINE
    if announced:
        return Opening.BLOCK
    named = bool(info.strip())
    code = not kind_of(info.strip()).is_code or is_comment(below) or not is_prose(below)
    return Opening.BLOCK if named and code else Opening.INLINE


def _is_left_over(text: str, line: int, ahead: LinesAhead) -> bool:
    """Rule 4: return whether a bare fence outside of blocks is a closing fence without an opening one.

    A blank line and prose follow it, or another fence, or the end; and the words before it do not announce a block.
    Prose right below it may be the text of a block: then the next fence closes that.
    """
    if is_announcement(last_line(text, line)):
        return False
    below = ahead.line()
    if below is not None and below.strip():
        # A line with `# ` may be a comment of a script.
        is_words = is_prose(below) and not below.lstrip().startswith("# ")
        return is_words and not _has_closing_fence(ahead)
    words = ahead.words()
    return words is None or words.lstrip().startswith("```") or is_prose(words, ahead.words(1))


def _has_closing_fence(ahead: LinesAhead) -> bool:
    """Return whether one of the next fences could close a block; if none is in sight, it may still come.

    A block with a language that follows has its own closing fence, so there must be a second one right below that.
    """
    number, named = 0, False
    while (text := ahead.line(number)) is not None:
        number += 1
        if "```" not in text:
            continue
        if named:
            below = ahead.line(number)
            return below is not None and _is_bare(below)
        named = _FENCE.match(text) is not None and bool(find_language(text.strip().lstrip("`")))
        if not named:
            return True
    return not ahead.ended


def _find_same_run(text: str, start: int, stop: int, *, final: bool) -> int:
    """Return the end of the next run of as many backticks on the line, or 0."""
    until = start + LINE_REACH
    for found in _TICKS_OR_NEWLINE.finditer(text, stop, until):
        if found[0] == "\n":
            return 0
        if found.end() == len(text) < until and not final:
            raise NeedMore(len(text) + 1)
        if found.end() - found.start() == stop - start:
            return found.end()
    return 0


def _line_end(text: str, start: int, at: int, *, final: bool) -> int:
    """Return the end of the line, or of what is read of a line that is too long."""
    until = start + LINE_REACH
    newline = text.find("\n", at, until)
    if newline < 0 and len(text) < until and not final:
        raise NeedMore(until)
    return newline if newline >= 0 else min(len(text), until)
