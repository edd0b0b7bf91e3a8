"""The lines around a fence: what they are, and how far a fence may wait for them.

A fence is judged by its neighbours (`code_fence_matching.py`). The lines below it may not have arrived yet: a question
about them raises `NeedMore`, and is asked again when more of the text is there. No question looks further than
`AHEAD_CHARS`, whether or not more has arrived, so an answer never depends on the chunks of the stream.
"""

from __future__ import annotations

import re
from enum import Enum

from ..language.punctuation import COLONS, PLAIN_ENDS, SPACED_ENDS, class_of
from ..tokens import UNSPACED
from ..word_lists import load_words

LINE_CHARS = 200
"""Characters of a line that are read to judge it."""
AHEAD_CHARS = 3000
"""Characters below a fence that may be read to judge it."""
ABOVE_CHARS = 400
"""Characters above a fence that may be read to judge it."""

_LETTER = r"[^\W\d_]"
_CODE = re.compile(r"`[^`\n]*`")  # inline code, which is no sign that the line is code
_LINK = re.compile(r"!?\[([^\]\n]*)\](?:\([^)\n]*\)?|\[[^\]\n]*\])|<?https?://[^\s)>]+>?")
_INNER_END = re.compile(r"\w[.,:;!?] \w")
_CODE_SIGNS = re.compile(r"[={};<>|\\$]|\w\(|\)\(|\(\)|::|->|^\s*[#@]|\B--?\w|/\w+/")
_OPENERS = "\"'([*_~“‘«¿¡ "
_CAPITAL = re.compile(rf"{_LETTER}[^\W\d_]*(?:['’-]{_LETTER}+)*[,:.!?)]*(?= |\Z)")
_UPPER = re.compile(r"[^\W\d_a-z]{2,}(?!\w)")  # as `SELECT`
_ENDS_SENTENCE = re.compile(
    rf"(?:[{class_of(SPACED_ENDS, COLONS)}]|[{class_of(PLAIN_ENDS - SPACED_ENDS)}])[\"')\]*_”’»]*\Z"
)
_WIDE_END = re.compile(f"[{class_of(PLAIN_ENDS - SPACED_ENDS)}]")
_UNSPACED_WORDS = re.compile(f"[{UNSPACED}]{{4,}}")
_WORD = re.compile(
    rf"(?![a-z]+[A-Z])[\"'(\[*_“‘«]*{_LETTER}+(?:['’./-]{_LETTER}+)*['’]?[\"')\]*_”’»,.!?:;…]*\Z"
)
_MARKED = re.compile(
    r"\*\*\S|__[^_\n]+__(?:[\s:]|\Z)|#{2,6}[ ]|[-*+•][ ]+\S|\d{1,3}[.)][ ]+\S|!\[|>[ ]|[-*_](?:[ ]?[-*_]){2,}[ ]*\Z"
)
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])[ ]+")
_BOLD_ITEM = re.compile(rf"{_ITEM.pattern}(?:\*\*|__)[^*_\n]+(?:\*\*|__)")
_HEADING = re.compile(r"#{2,6}[ ]+[^\W\d_]*[A-ZÀ-Þ]")
_BOLD = re.compile(r"(?:\*\*|__)\S|#{1,6}[ ]")
_COMMENT = re.compile(r"[ \t]*(?://|/\*|#|\*(?!\*)|--|;|%|<!--)")
# `js {1,3} showLineNumbers title="a.js"`; other words may only be between attributes that are quoted.
_FLAG = (
    r"showLineNumbers|noLineNumbers|nonumber|linenos|numberLines|twoslash|switcher|npm2yarn|noInline|no_run|"
    r"should_panic|compile_fail|ignore|editable|copy|nocopy|wrap|live|static|readonly"
)
_QUOTED = r"[\w-]+=(?:\"[^\"\n]*\"|'[^'\n]*'|\{[^{}\n]*\})"
_INFO = re.compile(
    r"([A-Za-z0-9_+\-.#]{1,32})(?:,[\w-]+)*"
    rf"(?:[ \t]*\{{[^{{}}:;]*\}}|[ \t]+(?:{_QUOTED}|[\w-]+=\S+|(?:{_FLAG})(?![^ \t])))*[ \t]*"
)
_ATTRIBUTED = re.compile(
    r"([A-Za-z0-9_+\-.#]{1,32})(?:[ \t]+(?:[\w-]+|\{[^{}:;]*\}))*"
    rf"[ \t]+{_QUOTED}(?:[ \t]+(?:{_QUOTED}|[\w-]+))*[ \t]*"
)
_FILE = re.compile(r"[A-Za-z0-9_+\-.#/:@]{1,80}[ \t]*")
_NAMED_FILE = re.compile(
    r"([A-Za-z0-9_+\-#]{1,32})(?::[\w./-]+|\[[\w./ -]+\])(?:[ \t]*\{[^{}\n]*\})?"
)  # `python:app.py`
_ATTRIBUTES = re.compile(
    r"\{[ \t]*(?:[.#]sourceCode[ \t]+)?\.?([A-Za-z][A-Za-z0-9_+\-#]{0,31})(?:[ \t,][^{}\n]*)?\}"
)  # `{.python .x}`, `{.sourceCode .bash}`, `{r, echo}`
_DIRECTIVE = re.compile(r"\{(?:code|code-block|code-cell|sourcecode)\}[ \t]+([A-Za-z][A-Za-z0-9_+\-#]{0,31})")


class NeedMore(Exception):
    """A character that has not arrived could change the answer: a backtick or newline, or text up to a length."""

    def __init__(self, until: int) -> None:
        super().__init__(until)
        self.until = until


class LinesAhead:
    """The lines below a line, of which some may not have arrived.

    Args:
        text: The text so far.
        at: The end of the line: its newline, or the end of the text.
        final: Whether no more text follows.

    """

    def __init__(self, text: str, at: int, *, final: bool) -> None:
        self._text = text
        self._final = final
        self._at = at
        self._limit = at + AHEAD_CHARS
        self._starts: list[int] = []  # of the lines found so far

    def _find_next(self) -> None:
        """Find where the next line begins: at the limit, or at the end of the text, if none is in sight."""
        at = self._starts[-1] if self._starts else self._at
        newline = self._text.find("\n", at, self._limit)
        if newline < 0 and len(self._text) < self._limit and not self._final:
            raise NeedMore(self._limit)
        self._starts.append(newline + 1 if newline >= 0 else min(len(self._text), self._limit))

    def line(self, number: int = 0) -> str | None:
        """Return the first characters of a line, or None if the text or what may be read of it ends before it.

        Raises:
            NeedMore: it has not arrived.

        """
        while len(self._starts) <= number:
            self._find_next()
        start, text = self._starts[number], self._text
        if start >= self._limit or (start == len(text) and self._final):
            return None
        end = text.find("\n", start, start + LINE_CHARS)
        if end < 0 and len(text) < start + LINE_CHARS and not self._final:
            raise NeedMore(start + LINE_CHARS)
        return text[start : end if end >= 0 else start + LINE_CHARS]

    @property
    def ended(self) -> bool:
        """Whether the last line that was asked for is missing because the text ends, not because it is too far."""
        return bool(self._starts) and self._starts[-1] < self._limit

    def words(self, number: int = 0) -> str | None:
        """Return a line that is not blank: the first one, or a later one; None if the text ends before it."""
        at = 0
        while (line := self.line(at)) is not None and (number or not line.strip()):
            number -= bool(line.strip())
            at += 1
        return line


def indent_of(line: str) -> int:
    """Return how deep a line is indented; a tab counts as four spaces."""
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def last_line(text: str, end: int) -> str | None:
    """Return the last line before a position that is not blank, or None at the start of the text."""
    above = text[max(0, end - ABOVE_CHARS) : end].rstrip()
    return above[above.rfind("\n") + 1 :].strip() if above else None


def is_announcement(line: str | None) -> bool:
    """Return whether a line leads to what follows it: it ends with a colon, is bold or a heading."""
    if not line:
        return False
    words = line.strip()
    if words.startswith("# ") and _CODE_SIGNS.search(words, 2):
        return False  # a comment of the code that the answer began with
    return words.rstrip("*_ ")[-1:] in COLONS or _BOLD.match(words) is not None


def has_code_signs(line: str) -> bool:
    """Return whether a line has signs that code has, and is no prose."""
    return _CODE_SIGNS.search(line) is not None and not is_prose(line)


def are_plain_words(line: str) -> bool:
    """Return whether a line has several words, of which the first names no language, and no signs that code has."""
    words = line.split()
    return len(words) > 1 and not is_language(words[0]) and _CODE_SIGNS.search(_CODE.sub("", line)) is None


def is_comment(line: str) -> bool:
    """Return whether a line of code is a comment."""
    return _COMMENT.match(line) is not None


def is_prose(line: str, below: str | None = None) -> bool:
    """Return whether a line is prose rather than code: bold, a heading, an item, an image, a quote, a sentence.

    `# words` is a heading, but right above code it is a comment of a script.
    """
    words = line.strip()
    if _MARKED.match(words):
        return True
    if words.startswith("# "):
        return not below or not below.strip() or is_prose(below)
    return is_sentence(line)


def is_sentence(line: str) -> bool:
    """Return whether a line is words and no code: a sentence, or the beginning of one."""
    words = line.strip()
    plain = _CODE.sub("Code", _LINK.sub(r"\1", words))
    is_cut = len(line) >= LINE_CHARS
    if is_cut:  # the rest of the line is not read
        plain = plain[: plain.rfind("`")] if "`" in plain else plain.rpartition(" ")[0]
    letters = plain.lstrip(_OPENERS)
    if not letters[:1].isalpha():
        return False
    if _UNSPACED_WORDS.search(plain) or _WIDE_END.search(plain):
        return True
    tokens = letters.split()
    known = sum(_WORD.match(token) is not None for token in tokens)
    ends = _ENDS_SENTENCE.search(plain) is not None or (is_cut and _INNER_END.search(plain) is not None)
    capital = not letters[0].islower() and _CAPITAL.match(letters) is not None
    if _CODE_SIGNS.search(plain):
        # A sentence about code: it has an end, and much more words than signs.
        return capital and ends and known >= 4 and 3 * known >= 2 * len(tokens)
    if capital:
        return ends or (known >= 3 and 3 * known >= 2 * len(tokens) and not _UPPER.match(letters))
    return ends and known >= 4 and known >= len(tokens) - 1


class TailLine(Enum):
    """What a line is where prose may follow a block whose closing fence was forgotten."""

    BLANK = "no words"
    PROSE = "a sentence with its end, a bold line, or an item that begins so or is counted"
    HEADING = "a heading: prose, if prose follows"
    ITEM = "a list item that is a sentence: prose, if a heading is above it"
    WORDS = "another item or a sentence without an end: prose, if prose is above it"
    CODE = "anything else"


def read_tail_line(line: str) -> TailLine:
    """Return what a line of a block is, if the block was not closed."""
    words = line.strip()
    if not words:
        return TailLine.BLANK
    if (words.startswith("**") and _BOLD.match(words)) or _BOLD_ITEM.match(words):
        return TailLine.PROSE
    if _HEADING.match(words):
        return TailLine.HEADING
    if is_comment(words) or not is_prose(words):
        marked = _MARKED.match(words) and not words.startswith(("**", "__", "!"))
        return _read_item(words) if marked else TailLine.CODE
    if _MARKED.match(words):
        return _read_item(words)
    ends = len(line) >= LINE_CHARS or _ENDS_SENTENCE.search(words)  # the end of a long line is not read
    return TailLine.PROSE if line[:1] not in " \t" and ends else TailLine.WORDS


def _read_item(words: str) -> TailLine:
    """Return what a list item is: a sentence with its end that is counted is prose, lists of code are not counted."""
    content = _ITEM.sub("", words)
    ends = len(words) >= LINE_CHARS or _ENDS_SENTENCE.search(content)
    if not (ends and is_sentence(content)):
        return TailLine.WORDS
    return TailLine.PROSE if words[0].isdigit() else TailLine.ITEM


def find_language(info: str) -> str:
    """Return the language that the words after a fence name, or an empty string if they name none.

    A word may have attributes (`js {1,3}`, `py title="a.py"`); a path names a file, whose block has no language.
    A word that ends like a sentence (`Done.`) names nothing, nor does one after a space that is no language.
    """
    words = info.strip()
    named = (
        _NAMED_FILE.fullmatch(words)
        or _ATTRIBUTED.fullmatch(words)
        or _ATTRIBUTES.fullmatch(words)
        or _DIRECTIVE.fullmatch(words)
    )
    if named and is_language(named[1]):
        return named[1]
    found = _INFO.fullmatch(words) or (_FILE.fullmatch(words) if "/" in words or ":" in words else None)
    if found is None or words[-1:] in ".:!?":
        return ""
    language = found[1] if found.re is _INFO else words
    if "," in words and not is_language(language):
        return ""
    return "" if info[:1].isspace() and not is_language(language) else language


def is_language(word: str) -> bool:
    """Return whether a word is the name of a language that models write after a fence."""
    return word.lower() in load_words("code_languages")
