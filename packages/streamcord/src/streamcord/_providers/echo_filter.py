"""Remove from a continuation what it repeats of the text before it.

A model that continues after an interruption may repeat the last words, the last sentence or the whole answer. What it
repeats ends where the text before ends, so the filter holds the continuation back while it is equal to some part of
that text. When that part reaches the end of the text, it was a repetition, and what follows is new. When the two
differ first, or the continuation ends first, it was none. Then `lead_ins` says whether it begins with an announcement,
and `echo_checks` whether it is a continuation at all.

A text may also say the same twice, like a song or a table. Then its true continuation is equal to an earlier part, and
what came before that part is equal to the end of the text. Such a part is no repetition of the model.

Each character is compared with at most `MAX_PLACES` places, so the cost is linear; what is held back is bounded by
the length of the text before.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cached_property

from .echo_checks import Written, fold, lower
from .lead_ins import LeadIn, find_lead_in, may_lead_in
from .whole_words import is_unspaced

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
LEAD_IN_CHARS = 240
"""How much is waited for before a continuation is judged that begins like a sentence."""
MAX_LEAD_INS = 4
"""How many lead-ins one continuation may have, such as an announcement, a code fence and a quotation."""
MIN_QUOTED_CHARS = 8
"""The shortest repetition that tells a quotation of the end from a quotation of the answer's own."""
MIN_REPEATED_CHARS = 6
"""The shortest repetition of several words."""
MIN_REPEATED_WORD_CHARS = 5
"""The shortest repetition of one word."""
MIN_REPEATED_SIGNS = 3
"""The same in scripts without case, whose words are shorter."""
MIN_RECASED_CHARS = 12
"""The shortest repetition that begins with a capital where the text before has none: another answer may begin so."""
MIN_WHOLE_CHARS = 4
"""The shortest text that a model which continues a prefill is believed to repeat as a whole."""
MIN_EXACT_CHARS = 24
"""The shortest repetition of a model that continues a prefill, and repeats nothing as a rule."""

_WORD = re.compile(r"\w+")
_SEPARATORS = " ,;:.!?-…"
# How a quotation ends, from how it begins.
_CLOSING_QUOTES = {'"': '"”', "“": "”", "„": "“”", "«": "»", "»": "«", "'": "'", "‘": "’", "`": "`"}


class _State(Enum):
    HOLDING = auto()
    # The answer was begun again in other words: only the end of the text before can tell where it continues.
    SEEKING = auto()
    PASSING = auto()
    REFUSED = auto()


class EchoFilter:
    """Passes a continuation without what it repeats.

    It has more than 15 attributes, because it compares two texts at once: what was written, and what arrives.

    Args:
        written: the text that it follows.
        exact: whether the model continues a prefill: then even a space or a word of its beginning means something.
        asked: the text of the prompt, whose words are known.
        lenient: whether another continuation of this text was refused. Then this one is refused only if it is certainly
            another answer.

    Example:
        echo = EchoFilter("The quick br")
        echo.feed("quick brown fox") + echo.finish()  # "own fox"

    """

    def __init__(self, written: str, *, exact: bool = False, asked: str = "", lenient: bool = False) -> None:
        self.removed = ""
        """What was left out."""
        self._written = Written(written, asked)
        self._exact = exact
        self._lenient = lenient
        self._state = _State.HOLDING if written.strip() else _State.PASSING
        # How many lead-ins such as "Sure, here is the rest:" were removed, and the last one if it begins a quotation.
        self._lead_ins = 0
        self._quote = ""
        # The signs that may end a quotation which was just removed.
        self._closing = ""
        # Whether a repetition was removed: then it is a continuation, whatever follows.
        self._has_repeated = False
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
        folded = lower(folded)
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
        if self._closing and self._held:
            self._drop_closing()
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
            return self._pass(start + length, at_end=at_end)
        return self._judge(at_end=at_end)

    def _is_chance(self, length: int, start: int) -> bool:
        """Return whether a short repetition is only the beginning of a preamble, or of the whole answer."""
        if length < MIN_WHOLE_CHARS and may_lead_in(self._held):
            return True
        if (
            length < MIN_RECASED_CHARS
            and fold(self._held.lstrip()[:1])[0] not in self._written.folded[-length:]
        ):
            return True
        return length < PROBE_CHARS and self._written.starts_over(self._folded[start:])

    def _judge(self, *, at_end: bool) -> str:
        """Decide about a continuation that does not begin with a repetition."""
        if self._follows_pattern:
            self._state = _State.PASSING
            return self._held
        written, begins = self._written, self._held.lstrip()[:1]
        lead_in = find_lead_in(self._held, written) if self._may_lead_in() else None
        if lead_in is not None and self._is_confirmed(lead_in):
            return self._drop(lead_in.length, at_end=at_end, is_quote=lead_in.is_quote)
        # Another answer begins like a sentence; what continues in mid-sentence does not.
        if not (begins.islower() or at_end or self._has_repeated) and len(self._folded) < LEAD_IN_CHARS:
            return ""
        if not self._has_repeated and written.is_another_answer(
            self._held, exact=self._exact, lenient=self._lenient
        ):
            self._state = _State.SEEKING
            return self._seek(at_end=at_end)
        self._state = _State.PASSING
        rest = self._held
        if self._exact:
            return rest[1:] if written.text[-1:] == rest[:1] == " " else rest
        rest = written.join_white(rest)
        return written.find_joint(rest) + rest

    def _may_lead_in(self) -> bool:
        # A model that continues a prefill announces nothing. What is quoted is no announcement.
        return not self._exact and not self._has_repeated and self._lead_ins < MAX_LEAD_INS

    def _is_confirmed(self, lead_in: LeadIn) -> bool:
        """Return whether this is a lead-in, and not a beginning that the answer wanted to have."""
        said = lower(fold(self._held[: lead_in.length].strip())[0])
        beginning = self._folded[: len(said) + MIN_QUOTED_CHARS].lstrip()
        if self._written.key.startswith(said if may_lead_in(said) else beginning):
            # The answer itself began with it.
            return False
        return lead_in.is_certain or self._repeats_end(self._held[lead_in.length :])

    def _repeats_end(self, rest: str) -> bool:
        """Return whether this begins with what the text before ends with."""
        if lower(fold(rest.partition("\n")[0])[0]).strip() == self._written.last_line:
            return bool(self._written.last_line)
        new, text = lower(fold(rest)[0]).strip(), self._written.key
        probe = new[:PROBE_CHARS]
        at = text.rfind(probe) if len(probe) == PROBE_CHARS else -1
        for _ in range(MAX_PLACES):
            if at < 0:
                break
            if text.startswith(new[: len(text) - at], at):
                return True
            at = text.rfind(probe, 0, at + len(probe) - 1)
        longest = min(len(text), len(new), 2 * PROBE_CHARS)
        return any(text.endswith(new[:length]) for length in range(longest, MIN_QUOTED_CHARS - 1, -1))

    def _drop(self, length: int, *, at_end: bool, is_quote: bool = False) -> str:
        """Leave out the beginning, and decide about the rest as if it began there."""
        rest = self._held[length:]
        self.removed += self._held[:length]
        self._lead_ins += 1
        self._quote = self._held[:length] if is_quote else ""
        self._clear()
        self._hold(rest)
        return self._decide(at_end=at_end)

    def _seek(self, *, at_end: bool) -> str:
        """Continue where the end of the text before was repeated, in an answer that starts over in other words."""
        anchor, new = self._anchor, self._folded
        at = new.find(anchor, max(0, self._searched - len(anchor))) if anchor else -1
        self._searched = len(new)
        if at >= 0:
            return self._pass(at + len(anchor), at_end=at_end)
        if at_end or not anchor or len(new) > 1.5 * len(self._written.key) + 4 * LEAD_IN_CHARS:
            return self._refuse()
        return ""

    def _refuse(self) -> str:
        self._state = _State.REFUSED
        self._clear()
        return ""

    @cached_property
    def _anchor(self) -> str:
        """The end of the text before, if it is long enough and said only once."""
        text = self._written.key
        anchor = text[-ANCHOR_CHARS:]
        return anchor if len(anchor) == ANCHOR_CHARS and text.count(anchor) == 1 else ""

    def _pass(self, length: int, *, at_end: bool) -> str:
        """Leave out this many compared characters, and pass what follows them from now on."""
        cut = self._ends[length - 1] if length else 0
        self._has_repeated = True
        if self._quote:
            # After a quotation of the end, the model may repeat it once more.
            self._state = _State.HOLDING
            self._closing = "".join(_CLOSING_QUOTES.get(sign, "") for sign in self._quote)
            return self._drop(cut, at_end=at_end)
        self._state = _State.PASSING
        self.removed += self._held[:cut]
        rest, self._white = self._held[cut:], self._written.trailing_white
        return self._drop_white(rest)

    def _drop_closing(self) -> None:
        """Leave out the signs that end a quotation."""
        rest = self._held.lstrip(self._closing)
        self._closing = ""
        if rest != self._held:
            self.removed += self._held[: len(self._held) - len(rest)]
            self._clear()
            self._hold(rest)

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
        probe, text = self._folded[start : start + PROBE_CHARS], self._written.key
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
        text = self._written.key
        in_word = text[place - 1].isalnum() and text[place].isalnum()
        size = PATTERN_CHARS_IN_WORD if in_word else PATTERN_CHARS
        return text[:place].rstrip()[-size:] == text[-size:]

    def _follow_places(self, start: int) -> int | None:
        """Compare what is new; return the length of the repetition if one has reached the end of the text before."""
        text = self._written.key
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
        text, new = self._written.key, self._folded
        for length in range(min(len(text), len(new) - start, PROBE_CHARS), 0, -1):
            repeated = new[start : start + length]
            follows = new[start + length : start + length + 1]
            if text.endswith(repeated) and self._is_repetition(repeated, follows, spaced=bool(start)):
                return length
        return None

    def _is_repetition(self, repeated: str, follows: str, *, spaced: bool) -> bool:
        """Return whether so short a repetition is one, and not what the model wanted to say."""
        length, text = len(repeated), self._written.key
        is_whole = length == len(text)
        if self._exact:
            return is_whole and length >= MIN_WHOLE_CHARS
        ends_with_white = self._written.text[-1:].isspace()
        spaced = spaced and not ends_with_white
        if is_whole or self._is_line_begun(repeated, spaced=spaced):
            return True
        if not any(map(str.isalnum, repeated)):
            return not spaced and self._are_signs_repeated(
                repeated, is_separate=ends_with_white and follows == " "
            )
        if repeated[0].isalnum() and text[-length - 1].isalnum():
            # It begins inside of a word, or in a script where that cannot be told.
            is_tight = is_unspaced(repeated[0])
            if is_tight or length < MIN_REPEATED_CHARS:
                return is_tight and _is_long(repeated) and not self._is_ambiguous(length)
        # "the quick" + "quick brown", "the qui" + "quick": without a space the two cannot stand side by side.
        collides = not (spaced or ends_with_white) and (repeated[-1].isalnum() or repeated[-1] in "'_-")
        return collides or (
            not self._is_ambiguous(length)
            # If the white space at the end was repeated, too, the model continues where it was.
            and ((ends_with_white and follows == " ") or _is_long(repeated))
        )

    def _is_line_begun(self, repeated: str, *, spaced: bool) -> bool:
        """Return whether the beginning of the last line is repeated, such as a list marker, or the bar of a cell."""
        written = self._written
        if "\n" in written.trailing_white or spaced:
            return False
        if repeated.startswith("|") and not any(map(str.isalnum, repeated)):
            # The row below a table's header has cells that are alike.
            return repeated == "|" and written.may_end_with_bar
        return repeated == written.last_line

    def _are_signs_repeated(self, repeated: str, *, is_separate: bool) -> bool:
        """Return whether marks that stand alone, such as `«¿` or `---`, are a repetition."""
        written, length = self._written, len(repeated)
        if written.last_line.startswith("|"):
            # Cells of a table may be alike.
            return False
        if length == 1 and (not is_separate or "\n" in written.trailing_white):
            # At the beginning of a line it begins an item or a heading.
            return False
        stands_alone = is_separate or written.key[-length - 1] == " "
        return stands_alone and not self._is_ambiguous(length)

    def _is_ambiguous(self, length: int) -> bool:
        """Return whether the text before says its end more than once in a row, so that once more may be intended."""
        text = self._written.key
        if length == len(text):
            return False
        if self._exact and length < MIN_EXACT_CHARS:
            return True
        # "ha, ha": what comes before it is the same, or ends with the same word.
        said = text[-length:].rstrip(_SEPARATORS) or text[-length:]
        before = text[-2 * length - 3 : -length].rstrip(_SEPARATORS)
        is_word = said[0].isalnum() and not is_unspaced(said[0])
        return before.endswith(said) and not (is_word and before[: -len(said)][-1:].isalnum())


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
