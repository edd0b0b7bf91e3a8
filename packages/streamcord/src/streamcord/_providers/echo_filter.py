"""Remove from a continuation what it repeats of the text before it.

A model that continues after an interruption may repeat the last words, the last sentence or the whole answer. What it
repeats ends where the text before ends, so the filter holds the continuation back while it is equal to some part of
that text. When that part reaches the end of the text, it was a repetition, and what follows is new. When the two
differ first, or the continuation ends first, it was none. Then `echo_checks` says whether the continuation is one at
all.

A text may also say the same twice, like a song or a table. Then its true continuation is equal to an earlier part, and
what came before that part is equal to the end of the text. Such a part is no repetition of the model.

Each character is compared with at most `MAX_PLACES` places, so the cost is linear; what is held back is bounded by
the length of the text before.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cached_property

from .echo_checks import Written, fold, is_preamble, strip_preamble

PROBE_CHARS = 24
"""The beginning of the continuation that is looked for in the text before."""
MAX_PLACES = 64
"""Places of the text before that may be what is repeated."""
PATTERN_CHARS = 8
"""A text that has said the same as its last characters before may say what followed them once more."""
PATTERN_CHARS_IN_WORD = 3
"""The same for a place inside of a word, where no repetition begins."""
ANCHOR_CHARS = 24
"""The end of the text before that is looked for in an answer which starts over in other words."""
PREAMBLE_CHARS = 240
"""How much is waited for before a continuation is judged that begins like a sentence."""
MIN_REPEATED_CHARS = 6
"""The shortest repetition of several words."""
MIN_REPEATED_WORD_CHARS = 5
"""The shortest repetition of one word."""
MIN_REPEATED_SIGNS = 3
"""The same in scripts without case, whose words are shorter."""
MIN_WHOLE_CHARS = 4
"""The shortest text that a model which continues a prefill is believed to repeat as a whole."""
MIN_EXACT_CHARS = 24
"""The shortest repetition of a model that continues a prefill, and repeats nothing as a rule."""

_WORD = re.compile(r"\w+")


class _State(Enum):
    HOLDING = auto()
    # The answer was begun again in other words: only the end of the text before can tell where it continues.
    SEEKING = auto()
    PASSING = auto()
    REFUSED = auto()


class EchoFilter:
    """Passes a continuation without what it repeats.

    Args:
        written: the text that it follows.
        exact: whether the model continues a prefill: then even a space or a word of its beginning means something.
        asked: the text of the prompt, whose words are known.

    Example:
        echo = EchoFilter("The quick br")
        echo.feed("quick brown fox") + echo.finish()  # "own fox"

    """

    def __init__(self, written: str, *, exact: bool = False, asked: str = "") -> None:
        self.removed = ""
        """What was left out."""
        self._written = Written(written, asked)
        self._exact = exact
        self._state = _State.HOLDING if written.strip() else _State.PASSING
        # Whether a preamble such as "Sure, here is the rest:" was removed.
        self._had_preamble = False
        # White space at the end of the text before that may be repeated next.
        self._white = ""
        # How far the end of the text before was looked for.
        self._searched = 0
        self._clear()

    def _clear(self) -> None:
        # The continuation so far as it came, as it is compared, and where each compared character ends.
        self._held = ""
        self._folded = ""
        self._ends: list[int] = []
        # Places of the text before at which everything held so far was found; None before it was looked for.
        self._places: list[int] | None = None
        # How much was compared with these places.
        self._compared = 0
        # Whether it begins with what followed the last characters of the text when it said them before.
        self._follows_pattern = False

    @property
    def is_holding(self) -> bool:
        """Whether text was fed that was not returned yet."""
        return self._state in {_State.HOLDING, _State.SEEKING}

    @property
    def is_another_answer(self) -> bool:
        """Whether the model did not continue, but answered the question once more; nothing was passed."""
        return self._state is _State.REFUSED

    def feed(self, text: str) -> str:
        """Return the text that can be shown."""
        if self._state is _State.PASSING:
            return self._drop_white(text) if self._white else text
        if self._state is _State.REFUSED or not text:
            return ""
        self._hold(text)
        return self._decide(at_end=False)

    def finish(self) -> str:
        """Return the rest, when nothing follows it."""
        return self._decide(at_end=True) if self.is_holding else ""

    def _hold(self, text: str) -> None:
        folded, ends = fold(text)
        before = len(self._held)
        if folded.startswith(" ") and self._folded.endswith(" "):
            # White space over the border of two pieces is one.
            self._ends[-1] = before + ends[0]
            folded, ends = folded[1:], ends[1:]
        self._held += text
        self._folded += folded
        self._ends += [before + end for end in ends]

    # --- Decisions ----------------------------------------------------------------------------------

    def _decide(self, *, at_end: bool) -> str:
        if self._state is _State.SEEKING:
            return self._seek(at_end=at_end)
        start = 1 if self._folded.startswith(" ") else 0
        if len(self._folded) - start < PROBE_CHARS and not at_end:
            return ""
        if self._places is None:
            self._places = self._find_places(start)
        length = self._follow_places(start)
        if length is None and self._places and not at_end:
            return ""
        if length is None and self._places == [0] and len(self._folded) - start >= PROBE_CHARS:
            # The answer was begun once more, and ended before it was where the text before ends.
            return self._refuse()
        if length is None and not self._follows_pattern:
            length = self._find_overlap(start)
        if length is not None and not self._is_chance(length, start):
            return self._pass(start + length)
        return self._judge(at_end=at_end)

    def _is_chance(self, length: int, start: int) -> bool:
        """Return whether a short repetition is only the beginning of a preamble, or of the whole answer."""
        if length < MIN_WHOLE_CHARS and is_preamble(self._held):
            return True
        return length < PROBE_CHARS and self._written.starts_over(self._folded[start:])

    def _judge(self, *, at_end: bool) -> str:
        """Decide about a continuation that does not begin with a repetition."""
        if self._follows_pattern:
            self._state = _State.PASSING
            return self._held
        written, begins = self._written, self._held.lstrip()[:1]
        # Another answer begins like a sentence; what continues in mid-sentence does not.
        may_be_preamble = not (self._exact or self._had_preamble)
        waits = not (begins.islower() or at_end) and len(self._folded) < PREAMBLE_CHARS
        if waits and not (may_be_preamble and is_preamble(self._held, whole=True)):
            return ""
        rest = strip_preamble(self._held) if may_be_preamble else self._held
        first_line = fold(self._held[: len(self._held) - len(rest)].strip())[0]
        if first_line and not written.folded.startswith(first_line):
            self._had_preamble = True
            self.removed = self._held[: len(self._held) - len(rest)]
            self._clear()
            self._hold(rest)
            return self._decide(at_end=at_end)
        if written.is_another_answer(self._held, exact=self._exact):
            self._state = _State.SEEKING
            return self._seek(at_end=at_end)
        self._state = _State.PASSING
        rest = self._held
        if written.text[-1:] == rest[:1] == " ":
            return rest[1:]
        return rest if self._exact else written.find_joint(rest) + rest

    def _seek(self, *, at_end: bool) -> str:
        """Continue where the end of the text before was repeated, in an answer that starts over in other words."""
        anchor, new = self._anchor, self._folded
        at = new.find(anchor, max(0, self._searched - len(anchor))) if anchor else -1
        self._searched = len(new)
        if at >= 0:
            return self._pass(at + len(anchor))
        if at_end or not anchor or len(new) > 1.5 * len(self._written.folded) + 4 * PREAMBLE_CHARS:
            return self._refuse()
        return ""

    def _refuse(self) -> str:
        self._state = _State.REFUSED
        self._clear()
        return ""

    @cached_property
    def _anchor(self) -> str:
        """The end of the text before, if it is long enough and said only once."""
        text = self._written.folded
        anchor = text[-ANCHOR_CHARS:]
        return anchor if len(anchor) == ANCHOR_CHARS and text.count(anchor) == 1 else ""

    def _pass(self, length: int) -> str:
        """Leave out this many compared characters, and pass what follows them from now on."""
        self._state = _State.PASSING
        cut = self._ends[length - 1] if length else 0
        self.removed += self._held[:cut]
        rest, self._white = self._held[cut:], self._trailing_white
        return self._drop_white(rest)

    def _drop_white(self, text: str) -> str:
        """Leave out the white space with which the text before has ended already."""
        at = 0
        while at < min(len(text), len(self._white)) and text[at] == self._white[at]:
            at += 1
        # What differs is new; if nothing is left of this piece, the next one may continue with it.
        self._white = self._white[at:] if at == len(text) else ""
        return text[at:]

    # --- Repetitions --------------------------------------------------------------------------------

    def _find_places(self, start: int) -> list[int]:
        """Return where the text before contains the beginning of the continuation: its last places, and the first."""
        probe, text = self._folded[start : start + PROBE_CHARS], self._written.folded
        self._compared = len(probe)
        if len(probe) < PATTERN_CHARS:
            return []
        is_long = len(probe) == PROBE_CHARS
        places = [0] if is_long and text.startswith(probe) else []
        at = text.rfind(probe)
        for _ in range(MAX_PLACES):
            if at <= 0:
                break
            if self._continues_pattern(at):
                self._follows_pattern = True
            elif is_long and not self._exact:
                # A model that continues a prefill repeats all of it or nothing.
                places.append(at)
            at = text.rfind(probe, 0, at + len(probe) - 1)
        return places

    def _continues_pattern(self, place: int) -> bool:
        """Return whether the text before ends as it did before this place, and may continue as it did there."""
        text = self._written.folded
        in_word = text[place - 1].isalnum() and text[place].isalnum()
        size = PATTERN_CHARS_IN_WORD if in_word else PATTERN_CHARS
        return text[:place].rstrip()[-size:] == text[-size:]

    def _follow_places(self, start: int) -> int | None:
        """Compare what is new; return the length of the repetition if one has reached the end of the text before."""
        text = self._written.folded
        piece = self._folded[start + self._compared :]
        left: list[int] = []
        for place in self._places or ():
            at = place + self._compared
            size = len(text) - at
            if not text.startswith(piece[:size], at):
                continue
            if len(piece) < size:
                left.append(place)
            elif not self._is_ambiguous(len(text) - place):
                return len(text) - place
        self._places = left
        self._compared += len(piece)
        return None

    def _find_overlap(self, start: int) -> int | None:
        """Return the length of a repetition that is too short for `_find_places`."""
        text, new = self._written.folded, self._folded
        for length in range(min(len(text), len(new) - start, PROBE_CHARS), 0, -1):
            repeated = new[start : start + length]
            follows = new[start + length : start + length + 1]
            if text.endswith(repeated) and self._is_repetition(repeated, follows, spaced=bool(start)):
                return length
        return None

    def _is_repetition(self, repeated: str, follows: str, *, spaced: bool) -> bool:
        """Return whether so short a repetition is one, and not what the model wanted to say."""
        length, text = len(repeated), self._written.folded
        is_whole = length == len(text)
        if self._exact:
            return is_whole and length >= MIN_WHOLE_CHARS
        ends_with_white = self._written.text[-1:].isspace()
        # A list marker, for example.
        is_open_line = repeated == self._last_line and "\n" not in self._trailing_white
        # A model that repeats the end of a table's row.
        is_bar = repeated == "|" and self._last_line.startswith("|") and not (spaced or ends_with_white)
        if is_whole or is_open_line or is_bar:
            return True
        begins_word = not (repeated[0].isalnum() and text[-length - 1].isalnum())
        if not any(map(str.isalnum, repeated)):
            # Marks that stand alone, such as `«¿` or `---`.
            stands_alone = text[-length - 1] == " " or (ends_with_white and follows == " ")
            return length > 1 and not spaced and stands_alone and not self._is_ambiguous(length)
        if not (begins_word or length >= MIN_REPEATED_CHARS):
            return False
        # "the quick" + "quick brown", "the qui" + "quick": without a space the two cannot stand side by side.
        collides = not (spaced or ends_with_white) and (repeated[-1].isalnum() or repeated[-1] in "'_-")
        return collides or (
            not self._is_ambiguous(length)
            # If the white space at the end was repeated, too, the model continues where it was.
            and ((ends_with_white and follows == " ") or _is_long(repeated))
        )

    def _is_ambiguous(self, length: int) -> bool:
        """Return whether the text before says its end more than once in a row, so that once more may be intended."""
        text = self._written.folded
        if length == len(text):
            return False
        if self._exact and length < MIN_EXACT_CHARS:
            return True
        return text[-2 * length - 2 :].count(text[-length:]) > 1

    @cached_property
    def _trailing_white(self) -> str:
        return self._written.text[len(self._written.text.rstrip()) :]

    @cached_property
    def _last_line(self) -> str:
        """The last line of the text before, such as a list marker or a heading."""
        return fold(self._written.text.rstrip().rpartition("\n")[2].strip())[0]


def _is_long(repeated: str) -> bool:
    """Return whether words are so long that they are hardly said twice by intention."""
    if len(_WORD.findall(repeated)) > 1:
        return len(repeated) >= MIN_REPEATED_CHARS
    letters = sum(map(str.isalnum, repeated))
    if letters < len(repeated) - 1:
        # With several marks, as in a table or in code.
        return len(repeated) >= MIN_REPEATED_WORD_CHARS
    is_cased = repeated.lower() != repeated.upper()
    return letters >= (MIN_REPEATED_WORD_CHARS if is_cased else MIN_REPEATED_SIGNS)
