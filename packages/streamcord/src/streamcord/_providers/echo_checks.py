"""Judge the beginning of a continuation: whether it lacks a space, or is another answer.

A model that is asked to continue sees its own text and usually does so. Others ignore the text and answer the question
once more. Nothing that was shown can be taken back, so another answer must not be appended: it would say everything
twice, and the seam would be no sentence.

The checks are guesses about text in any language. A wrong guess for "another answer" costs one more request.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Set
from functools import cached_property

from .whole_words import is_unspaced

OPENING_CHARS = 20
"""A continuation that begins with as many characters of the answer's beginning starts over."""
MIN_OPENING_WORDS = 4
SIMILAR_WORDS = 12
"""The shortest continuation, in words, that is compared with the answer's beginning."""
MIN_TOPIC_CHARS = 120
"""A shorter answer says too little to tell what it is about."""
MAX_VOCABULARY_CHARS = 65_536
MAX_SCRIPT_CHARS = 2_000

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE_ENDS = frozenset(".!?:。！？：…")
_FOLDED = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "\u00a0": " "})
_SPACES = re.compile(r"\s+")

_EMPTY_CELL = re.compile(r"\|[ \t]*\|")
_MARKERS = re.compile(r"^[ \t]*(?:[-*+•>]|#{1,6}|\d{1,3}[.)])[ \t]*(?=$|\S)")
_INNER_WORD = re.compile(r"(?<=[a-zß-ÿ,] )([^\W\d_]+)")
_BLOCK_LINE = re.compile(r"#{1,6} |```|\|.*\||[-*+•] |\d{1,3}[.)] |> ")
# A sentence, which does not continue inside of a line of code.
_PROSE = re.compile(r"[^\W\d_]+[!,]?(?: [^\W\d_]+,?){4}")
# A model that takes the text before for a message of the user.
_ASKS_BACK = re.compile(
    r"it (?:looks|seems|appears)(?: like| that)? (?:your|the|you) |"
    r"your (?:message|text|question) (?:was|got|seems|is) |"
    r"could you (?:please )?(?:provide|share|tell|clarify|let me know)|"
    r"i(?: don't|'m not able to| can't| cannot| can not) see",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"#{1,6} |```|1[.)]\s")

# Words that begin an answer or a sentence. In the middle of a sentence a capital one begins another answer.
_OPENERS_TEXT = """
a an and are as at because but can certainly do first for from great have he hello here hey hi how
however if in is it its let let's many most my no of ok okay on one once our please she so some sorry
sure thank thanks that the their then there these they this to today we well what when where which while
who why with yes you your das der die ein eine es ist ja nein wir und um wenn hallo el la los las un una
sí en para por hola le les une il elle je nous vous bonjour c'est oui non o os uma é olá
"""
_OPENERS = frozenset(_OPENERS_TEXT.split())


def fold(text: str) -> tuple[str, list[int]]:
    """Return the text as it is compared, and for each of its characters where that ends in the original.

    A model that repeats text often changes quotes, dashes and white space.
    """
    folded: list[str] = []
    ends: list[int] = []
    for at, char in enumerate(text, 1):
        if char.isspace():
            if folded and folded[-1] == " ":
                ends[-1] = at
                continue
            char = " "  # noqa: PLW2901 - its folded form
        folded.append(char.translate(_FOLDED))
        ends.append(at)
    return "".join(folded), ends


def lower(text: str) -> str:
    """Return the text in lower case, with as many characters: a model may begin what it repeats with a capital."""
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


class Written:
    """The text that a continuation follows, and what can be asked about it.

    Args:
        text: what the model wrote, which is shown already.
        asked: the prompt's text, for its words.

    """

    def __init__(self, text: str, asked: str = "") -> None:
        self.text = text
        self.folded = fold(text)[0].rstrip()
        self.key = lower(self.folded)
        """The text as repetitions of it are looked for."""
        self._asked = asked[-MAX_VOCABULARY_CHARS:]

    @cached_property
    def in_code(self) -> bool:
        """Whether the text ends inside of a code block."""
        return len(re.findall(r"^[ \t]*```", self.text, re.MULTILINE)) % 2 == 1

    @cached_property
    def is_open(self) -> bool:
        """Whether the text ends inside of a line and of a sentence."""
        return self.text[-1:] != "\n" and self.text.rstrip(" *_`\"'”’)]")[-1:] not in _SENTENCE_ENDS

    @cached_property
    def ends_with_marker(self) -> bool:
        """Whether the text ends after the marker of a list item."""
        line = self.text.rpartition("\n")[2]
        return bool(_MARKERS.match(line)) and not _MARKERS.sub("", line).strip()

    @cached_property
    def is_in_sentence(self) -> bool:
        """Whether the text ends inside of a sentence."""
        line = _MARKERS.sub("", self.text.rpartition("\n")[2])
        end = line.rstrip("*_`\"'”’)] ")
        return (
            not line.startswith("|")
            and bool(end)
            and end[-1] not in _SENTENCE_ENDS
            and not end[-1].isspace()
            and not self.in_code
        )

    @cached_property
    def _vocabulary(self) -> Set[str]:
        """The words of the text without its last one, which may be cut, and those of the prompt, also in lower case."""
        words = [*_WORD.findall(self.text[-MAX_VOCABULARY_CHARS:])[:-1], *_WORD.findall(self._asked)]
        return frozenset((*words, *(word.lower() for word in words)))

    def find_joint(self, rest: str) -> str:
        """Return the white space that is missing before a continuation: models often begin without any."""
        last, first = self.text[-1:], rest[:1]
        if self.in_code and rest.startswith("  ") and not last.isspace():
            # An indentation begins a line.
            return "\n"
        if last.isspace() or first.isspace() or self.in_code or not last:
            return ""
        if not self.is_in_sentence and _BLOCK_LINE.match(rest):
            # Items and rows follow each other; other blocks stand apart.
            line = self.text.rpartition("\n")[2]
            return "\n" if _MARKERS.match(line) or line.startswith("|") else "\n\n"
        if last in ".!?:" and first.isupper() and self.text[-2:-1].isalpha() and _has_case(self.text[-2]):
            return " "
        if last in ",;:" and first.isalpha() and _has_case(first) and self.text[-2:-1].isalpha():
            return " "
        return " " if self._needs_space(rest) else ""

    def join_white(self, rest: str) -> str:
        """Return a continuation without the white space that ends the text already."""
        words = rest.lstrip()
        before, after = self.trailing_white, rest[: len(rest) - len(words)]
        if not after or not words:
            return rest
        if not before:
            # Between the signs of such a script there is no space.
            is_tight = is_unspaced(self.text[-1]) and is_unspaced(words[0]) and "\n" not in after
            return words if is_tight else rest
        if "\n" not in before:
            # A line break after a space is no paragraph, but the beginning of a block may be meant.
            return (
                words if "\n" not in after or (self.is_in_sentence and not _BLOCK_LINE.match(words)) else rest
            )
        if "\n" in after:
            return words if words.startswith("|") and self.last_line.startswith("|") else rest
        # An indentation that is there already.
        indent = before.rpartition("\n")[2]
        return rest[len(indent) :] if indent and after.startswith(indent) else words if indent else rest

    @cached_property
    def may_end_with_bar(self) -> bool:
        """Whether the text ends inside of a table's row, and no cell of the table is empty."""
        in_row = self.last_line.startswith("|") and "\n" not in self.trailing_white
        return in_row and not _EMPTY_CELL.search(self.text)

    @cached_property
    def trailing_white(self) -> str:
        """The white space at the end of the text."""
        return self.text[len(self.text.rstrip()) :]

    @cached_property
    def last_line(self) -> str:
        """The last line, such as a list marker or a heading, as it is compared."""
        return lower(fold(self.text.rstrip().rpartition("\n")[2].strip())[0])

    def _needs_space(self, rest: str) -> bool:
        """Return whether a space is missing before the continuation: "the quick" + "brown".

        The text may also end inside of a word: "the qui" + "ck". Then the two parts are no words of this answer.
        """
        last, first = _WORD.findall(self.text[-100:])[-1:], _WORD.match(rest)
        if not last or first is None or not (self.text[-1:].isalnum() and rest[0].isalnum()):
            return False
        # Scripts without spaces need none.
        if not (self.text[-1].isdigit() or _has_case(self.text[-1])) or not _has_case(rest[0]):
            return False
        words = self._vocabulary
        if (last[0] + first[0]).lower() in words:
            return False
        known = first[0].lower() in words and len(first[0]) > 1
        return known and (last[0].lower() in words or last[0].lower() in _OPENERS)

    def is_another_answer(self, rest: str, *, exact: bool = False, lenient: bool = False) -> bool:
        """Return whether the continuation seems to answer the question once more.

        Args:
            rest: the beginning of the continuation.
            exact: whether the model continues a prefill. Then a text that says the same twice, like a song, is
                likelier than another answer that uses the same words.
            lenient: whether another continuation was refused already. Then its topic tells nothing more.

        """
        new = fold(rest)[0].lstrip()
        if not new:
            return False
        return (
            self.starts_over(new)
            or self._breaks_the_sentence(rest, lenient=lenient)
            or (not exact and _ASKS_BACK.match(rest.lstrip()) is not None)
            or (not exact and self._says_the_same(new))
            or self._changes_script(new)
            or (
                self.in_code
                and self.is_open
                and new.partition(" ")[0].istitle()
                and _PROSE.match(new) is not None
            )
        )

    def starts_over(self, new: str) -> bool:
        """Whether it begins as the answer began, and the answer says that only there."""
        length = _common_prefix(self.key, lower(new))
        opening = self.key[:length]
        words = len(_WORD.findall(opening))
        # A sign of Japanese or Chinese says as much as several letters.
        length += 2 * sum(char.isalpha() and not _has_case(char) for char in opening)
        if self.is_open:
            enough = length >= OPENING_CHARS or words >= MIN_OPENING_WORDS
        else:
            # Sentences may begin alike: "I have a dream that ..."
            enough = length >= 2 * OPENING_CHARS or words >= 1.5 * MIN_OPENING_WORDS
        # Rows, list items and lines of code may begin alike.
        return enough and len(opening) < len(self.key) and self.key.count(opening) == 1

    def _breaks_the_sentence(self, rest: str, *, lenient: bool) -> bool:
        """Whether it begins a sentence where one is open."""
        if not self.is_in_sentence:
            return False
        new = rest.lstrip()
        first = _WORD.match(new.lstrip("*_\"'“"))
        if _BLOCK.match(new):
            # A heading, a code block or the first item of a list begins on a line of its own.
            return rest[:1] != "\n"
        if first is None or not first[0][0].isupper() or re.match(r"I\b", first[0]):
            return False
        if first[0] in self._vocabulary and first[0].lower() not in _OPENERS:
            return False
        if first[0].lower() in _OPENERS or first[0].lower() in self._vocabulary:
            return True
        # "my friend " + "Peter" is a sentence, "my friend" + "Peter" is not.
        has_space = self.text[-1:].isspace() or rest[:1].isspace()
        return (not lenient and self._is_off_topic(new)) if has_space else _has_case(self.text[-1])

    def _is_off_topic(self, new: str) -> bool:
        """Whether this much was said without a longer word of the text before that it is about something else."""
        words = _WORD.findall(new)
        inner = [found[1] for found in _INNER_WORD.finditer(self.folded)]
        # German writes every noun with a capital, so that tells nothing.
        plain = sum(word[0].isupper() for word in inner) <= len(inner) / 10
        enough = len(words) >= SIMILAR_WORDS and len(self.folded) >= MIN_TOPIC_CHARS and plain
        return enough and not any(len(word) > 3 and word.lower() in self._vocabulary for word in words)

    def _changes_script(self, new: str) -> bool:
        """Whether another script follows in the middle of a sentence or of a line of code."""
        letters = [char for char in new[:200] if char.isalpha()]
        if len(letters) < OPENING_CHARS or not self.is_open:
            return False
        found = Counter(map(_script_of, letters))
        script, count = found.most_common(1)[0]
        before = self.text[-MAX_SCRIPT_CHARS:] + self._asked[-MAX_SCRIPT_CHARS:]
        known = set(map(_script_of, filter(str.isalpha, before)))
        # A text without letters, such as the sign of a heading, has no script.
        return bool(known) and count > 0.9 * len(letters) and script not in known

    def _says_the_same(self, new: str) -> bool:
        """Whether most of its runs of three words come from the beginning of the answer."""
        words = _WORD.findall(lower(new))
        if len(words) < SIMILAR_WORDS or self.in_code:
            return False
        before = _WORD.findall(self.key[: 3 * len(new)])
        known, said = _triples(before), _triples(words)
        # A table or a list repeats itself, and so does its continuation.
        is_varied = len(known) > 0.8 * max(1, len(before) - 2)
        return is_varied and len(known & said) > 0.5 * len(said)


def _triples(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + 3]) for at in range(len(words) - 2)}


def _common_prefix(one: str, other: str) -> int:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))


def _script_of(letter: str) -> str:
    """Return the first word of a letter's name, which is its script; Chinese and Japanese are mixed."""
    script = unicodedata.name(letter, "?").partition(" ")[0]
    return "CJK" if script in {"HIRAGANA", "KATAKANA"} else script


def _has_case(char: str) -> bool:
    return char.lower() != char.upper()
