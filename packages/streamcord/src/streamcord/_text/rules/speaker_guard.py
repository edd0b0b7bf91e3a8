"""Rule 7: end the answer at a line that begins with another speaker's label.

Modes of the setting `speaker_guard`:

- `known` looks for the names in the conversation and the reserved ones.
- `any` also looks for one to four capitalized words that are no common words (`Note`, `Step`).
- `label` accepts anything that looks like a label: up to 64 characters with a letter, and a colon.

Code, URLs, times, list items and headings are never labels. That is why the names are no stop sequences of the
request: a server does not know code, and most do not say which sequence ended the answer.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from ..._settings import NO_CONTEXT
from ..markdown.line_kinds import Line, read_line
from .common_words import is_common_word
from .persona_labels import MAX_LABEL_CHARS, NO_EMOTICON

if TYPE_CHECKING:
    from ..._settings import AnswerContext, Settings
    from ..parsed_text import ParsedText

# Chat templates use these names for the roles, character cards the last two, so every model knows them.
RESERVED = ("Assistant", "User", "System", "You", "{{user}}")

_LINE = re.compile(r"(?:^|(?<=\n))[ \t]*(?=[^\s:：])")
_MODIFIER = re.compile(r"[ \t]?[(（][^()（）]*[)）]\Z")
_LETTER = re.compile(r"[^\W\d_]")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")
_EXEMPT = frozenset({Line.ITEM, Line.HEADING, Line.FENCE})
_NAME_WORD = re.compile(r"[^\W\d_][\w'’\-]*")
_NAME_WORDS = 4
_TITLES = frozenset(
    "mr mrs ms mx dr prof sir lord lady doctor professor captain herr frau madame monsieur mme mlle".split()  # noqa: SIM905
) | frozenset("señor señora senhor senhora signor signora don doña sr sra".split())  # noqa: SIM905
_POSSESSIVE = ("'s", "’s", "'", "’")
_LONG_PART = re.compile(r"[^\W\d_]{3,}")
_VOWELS = frozenset("aeiouyäöüáéíóúàèìòùâêîôûãõаеёиоуыэюя")
_NOT_SPEECH = re.compile(
    r"[ \t*_]*(?:[0-9$€£¥₹~+]|<?https?:|\n|\Z)"
)  # an amount, a URL or an empty rest of the line is not speech
_MAY_STAY_OPEN = frozenset('(（"「『“„«‹')


class Guard:
    """Decide whether a label belongs to another speaker."""

    def __init__(self, settings: Settings, context: AnswerContext = NO_CONTEXT) -> None:
        self.mode = settings.speaker_guard
        # Names of other speakers in a form that ignores case, width and invisible characters.
        self._names = frozenset(_key(name) for name in foreign_names(context))
        # A label and its colon, but not `https://`, `::` or an emoticon.
        self.label = re.compile(rf"([^\n:：]{{1,{MAX_LABEL_CHARS}}}?)[ \t*_]*[:：](?!//|[:：]){NO_EMOTICON}")

    def is_foreign(self, label: str) -> bool:
        """Return whether a label belongs to another speaker."""
        if self.mode == "label":
            return bool(_LETTER.search(label)) and label[0] not in "[<"
        return self.is_registered(label) or (self.mode == "any" and is_name(speaker_of(label)))

    def is_registered(self, label: str) -> bool:
        """Return whether a label is a name in the conversation or a reserved one."""
        bare = _unwrap(label)
        return _key(bare) in self._names or _key(_MODIFIER.sub("", bare)) in self._names


def speaker_of(label: str) -> str:
    """Return the name in a label, without markers and without a modifier in parentheses."""
    return _MODIFIER.sub("", _unwrap(label))


def _unwrap(label: str) -> str:
    """Return a label without its markers and without brackets around all of it."""
    bare = label.strip(" \t*_")
    return bare[1:-1].strip(" \t*_") if bare[:1] == "[" and bare[-1:] == "]" else bare


def is_name(words: str) -> bool:
    """Return whether words look like a name: each is capitalized and none is a common word.

    In scripts without capitals nothing looks like a name.
    """
    parts = _INVISIBLE.sub("", words).split()
    if len(parts) > 1 and parts[0].lower() in _TITLES:  # `Mr Black`: a title makes any word a name
        return len(parts) <= _NAME_WORDS and all(map(_is_written_as_name, parts))
    return 0 < len(parts) <= _NAME_WORDS and all(map(_is_part_of_name, parts))


def _is_part_of_name(word: str) -> bool:
    """Return whether a word may be part of a name.

    `Jean-Luc` and `O'Brien` may; `Pro-Tip`, whose parts are common words, and `HTTP` may not.
    """
    small = word.lower()
    if not _is_written_as_name(word) or is_common_word(small):
        return False
    if word.isupper() and len(word) > 1 and _VOWELS.isdisjoint(small):
        return False
    return not any(map(is_common_word, _LONG_PART.findall(small)))


def _is_written_as_name(word: str) -> bool:
    return _NAME_WORD.fullmatch(word) is not None and word[0].isupper() and not word.endswith(_POSSESSIVE)


def foreign_names(context: AnswerContext) -> list[str]:
    """Return every registered name except those of the speaking persona, in order."""
    own = context.persona
    ours = {_key(name) for name in (own.name, *own.aliases)} if own else set()
    others = [name for persona in context.personas for name in (persona.name, *persona.aliases)]
    people = [name for person in context.people for name in (person.handle, *person.names)]
    names = dict.fromkeys(name.strip() for name in (*others, *people, *RESERVED))
    return [name for name in names if name and _key(name) not in ours]


def find_stopped_speaker(stop_sequence: str, guard: Guard) -> str:
    """Return the other speaker whose label is this stop sequence, or ""."""
    label = stop_sequence.strip()
    if guard.mode == "off" or not label.endswith((":", "：")):
        return ""
    label = label[:-1]
    return speaker_of(label) if guard.is_registered(label) else ""


def find_foreign_line(parsed: ParsedText, guard: Guard, *, from_start: bool) -> tuple[int, str] | None:
    """Return the start of another speaker's line and the speaker, or None.

    The first line counts only with `from_start`.
    """
    text = parsed.text
    for line in _LINE.finditer(text):
        if not line.start() and not from_start:
            continue
        label = guard.label.match(text, line.end())
        if label is None or not guard.is_foreign(label[1]):
            continue
        kind, _ = read_line(text, line.start(), final=True) or (Line.PROSE, 0)
        is_time = text[label.end() - 2].isdigit() and text[label.end() : label.end() + 1].isdigit()
        is_guess = guard.mode == "any" and not guard.is_registered(label[1])
        if kind in _EXEMPT or is_time or (is_guess and _NOT_SPEECH.match(text, label.end())):
            continue
        if _may_end(parsed, line.end(), label.end()):
            return line.start(), speaker_of(label[1])
    return None


def _may_end(parsed: ParsedText, start: int, colon: int) -> bool:
    """Return whether the answer may end here: not in code, a URL or a tag, and not inside a span."""
    return parsed.free(start) and parsed.free(colon - 1) and keeps_formatting(parsed, start)


def keeps_formatting(parsed: ParsedText, end: int) -> bool:
    """Return whether a text that ends here keeps all closing markers of its formatting.

    A bracket or quote may stay open.
    """
    return all(span.mark in _MAY_STAY_OPEN or not span.start < end < span.end for span in parsed.spans)


def _key(name: str) -> str:
    """Return a name as readers compare it: without case, width and invisible characters."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name))
    return " ".join(visible.casefold().split())
