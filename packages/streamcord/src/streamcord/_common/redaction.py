"""Finds keys, tokens and passwords in texts: those that look like one, and those that the process holds.

Shapes are read in whole texts. Known secrets are also found in pieces: every part of one that is eight
characters long or longer goes, however the text was sliced, and with backslashes, signs of Markdown or
invisible characters between. All of it takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import chain

__all__ = [
    "HIDDEN",
    "MASK",
    "PIECE",
    "STAR",
    "UNSEEN",
    "KeyBlocks",
    "SecretFilter",
    "find_secrets",
    "hide_secrets",
    "mask_secrets",
]

HIDDEN = "[removed]"
"""What people see in the place of a secret."""
STAR = "*"
"""What stands for each character of a secret where lengths must stay."""
MASK = "\U000f5ec2"
"""What stands for each character of a known secret on its way through the text core; nobody writes it."""
PIECE = 8
"""A piece of a known secret shorter than this tells nothing; a secret shorter than this is not looked for."""

# --- Shapes ----------------------------------------------------------------------------------------------

_ARMOR = "Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID"
"""What may be said of a private key above its own lines (RFC 1421, RFC 9580)."""

# Every repeat is bounded and possessive, and no key begins inside of a word: one look at each character.
_SHAPES = re.compile(
    r"(?<![\w-])(?:"
    # A digit tells a key from words: sk-learn-compatible-estimators is none.
    r"sk-(?=[\w-]{0,120}\d)[\w-]{16,300}+|[prs]k_(?:live|test)_\w{16,200}+"
    r"|gh[pousr]_\w{20,255}+|github_pat_\w{20,255}+|glpat-[\w-]{16,100}+|npm_\w{30,60}+"
    r"|xox[abeprs]-[\w-]{10,300}+|xapp-[\w-]{20,300}+|xai-[\w-]{20,200}+|gsk_\w{20,200}+|hf_\w{20,100}+"
    r"|r8_\w{30,60}+|pplx-\w{30,100}+|nvapi-[\w-]{30,200}+|tvly-[\w-]{20,100}+|dop_v1_\w{30,100}+"
    r"|AIza[\w-]{30,60}+|(?:AKIA|ASIA)[A-Z0-9]{16}(?![\w-])|ya29\.[\w-]{20,500}+|SG\.[\w-]{16,40}+\.[\w-]{20,80}+"
    r"|eyJ[\w-]{8,4000}+\.eyJ[\w-]{4,8000}+\.[\w-]{10,2000}+"
    r")"
    r"|(?<![\w.-])[\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,60}(?![\w-])"
    r"|(?<=/webhooks/)\d{15,20}/([\w-]{40,100})"
    r"|://[^\s:/@]{0,100}+:([^\s@/]{1,200}+)@(?=[\w\[])"
    # Words about such a heading are no key: that begins on a line of its own, or is one long word.
    r"|-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"[ \t]{{0,20}}+((?=[\s\\{MASK}]|[\w+/=]{{16}})"
    rf"(?:[\s>\\nr]{{1,40}}+(?:{_ARMOR}):[^\n\\]{{0,200}}+){{0,6}}+[^-]{{1,20000}}+)"
    rf"|{MASK}{{1,20000}}+",
    re.ASCII,
)
_LOGIN = re.compile(r"://[^\s:/@]{0,100}+:[^\s@/]{1,200}+@")
_LONG = 15
# Between spaces, which are found most quickly, and then by what is in a word.
_SHORT_WORDS = re.compile(rf"(?:[^ ]{{0,{_LONG - 1}}}+ )*+")
_SHORT_RUNS = re.compile(rf"(?:[\w.-]{{0,{_LONG - 1}}}+[^\w.-]++)*+", re.ASCII)
_LONG_WORD = re.compile(rf"[\w.-]{{{_LONG},}}+", re.ASCII)
_PLACEHOLDER = re.compile(
    r"(?:my|your)?[_-]?(?:pass(?:word|wd)?|pwd?|secret|token|changeme|change-me|example|postgres|root|guest|admin)"
    r"|[*.x_#]+|[<{$%\[].*",
    re.IGNORECASE,
)


def find_secrets(text: str) -> list[tuple[int, int]]:
    """Where something stands that looks like a key, a token or a password, in order."""
    found: list[tuple[int, int]] = []
    ranges = [(0, len(text))] if _has_sign(text) else _find_long_words(text)
    if not ranges:
        return found
    for match in chain.from_iterable(_SHAPES.finditer(text, *each) for each in ranges):
        # Of an address only the secret part goes, so that one still sees what it was.
        start, end = match.span(match.lastindex or 0)
        if match.lastindex != 2 or not _PLACEHOLDER.fullmatch(text, start, end):
            found.append((start, end))
    return found


def _has_sign(text: str) -> bool:
    """Without one of these there is a secret only inside of a long word, and few texts have any."""
    if MASK in text or "/webhooks/" in text or "-----BEGIN " in text:
        return True
    return "://" in text and _LOGIN.search(text) is not None


def _find_long_words(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 0
    while (at := _SHORT_WORDS.match(text, at).end()) + _LONG <= len(text):  # type: ignore[union-attr]
        at = _SHORT_RUNS.match(text, at).end()  # type: ignore[union-attr]
        if word := _LONG_WORD.match(text, at):
            found.append(word.span())
            at = word.end()
    return found


def hide_secrets(text: str) -> str:
    """The text without what looks like a secret, for people to read."""
    return _replaced(text, find_secrets(text))


def mask_secrets(text: str) -> str:
    """The same with stars, so that every character keeps its place."""
    return _replaced(text, find_secrets(text), STAR)


def _replaced(text: str, found: Iterable[tuple[int, int]], star: str = "") -> str:
    pieces, at = [], 0
    for start, end in found:
        pieces += [text[at:start], star * (end - start) or HIDDEN]
        at = end
    return "".join([*pieces, text[at:]]) if at else text


# --- Private keys of many lines --------------------------------------------------------------------------

_HEADER = re.compile(r"-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_HEADER_LENGTH = 110
_BLOCK_CAP = 20_000
_KEY_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\\")


class KeyBlocks:
    """Masks a private key in a text that comes in slices: its lines, which alone look like nothing.

    Nothing is held. A key begins on the line behind its heading and ends where no key could go on. Above its
    lines may stand what it is encrypted with, or who wrote it, and then a blank line.
    """

    def __init__(self) -> None:
        self.watching = False
        """Whether what comes next must be read, also if it holds no hyphen."""
        self._tail = ""
        self._read = self._find_header

    def feed(self, text: str) -> str:
        """The text with every character of a key masked."""
        pieces, at = list[str](), 0
        while at < len(text):
            shown, at = self._read(text, at)
            pieces.append(shown)
        self.watching = bool(self._tail) or self._read != self._find_header
        return "".join(pieces)

    def _find_header(self, text: str, at: int) -> tuple[str, int]:
        joined = self._tail + text[at:]
        found = _HEADER.search(joined)
        if found is None:
            tail = joined[-_HEADER_LENGTH:]
            # Only what may yet be a heading: most hyphens stand in words.
            begins = tail.find("-----")
            self._tail = tail[begins if begins >= 0 else len(tail.rstrip("-")) :]
            return text[at:], len(text)
        end = at + found.end() - len(self._tail)
        self._tail, self._read = "", self._find_line
        self._may_be_blank, self._is_armor = found[0].endswith("BLOCK-----"), True
        return text[at:end], end

    def _find_line(self, text: str, at: int) -> tuple[str, int]:
        """Behind the heading: a key begins on a line of its own, words about one do not."""
        letter = text[at]
        if letter in " \t\r":
            return letter, at + 1
        self._read = self._mask if letter in "\n\\" else self._find_header
        self._line, self._ends, self._left = "", False, _BLOCK_CAP
        return "", at

    def _mask(self, text: str, at: int) -> tuple[str, int]:
        start = at
        while at < len(text) and self._left and self._belongs(text[at]):
            at += 1
            self._left -= 1
        if at < len(text):
            self._read = self._find_header
        return MASK * (at - start), at

    def _belongs(self, letter: str) -> bool:
        """Whether a key goes on with this: lines without spaces inside, none of them blank."""
        if letter == "\n":
            blank, self._line, self._ends = self._line == "\n", "\n", False
            goes_on = not blank or self._may_be_blank
            if blank:
                self._may_be_blank = self._is_armor = False
            return goes_on
        if self._line.endswith(":"):
            return True
        if letter in " \t\r>":
            self._ends = self._line not in {"", "\n"}
            return True
        line = self._line.removeprefix("\n") + letter
        if self._is_armor and _is_armor(line):
            self._line = line
            self._may_be_blank = self._may_be_blank or letter == ":"
            return True
        if self._ends or letter not in _KEY_LETTERS:
            return False
        self._line, self._is_armor = "x", False
        return True


def _is_armor(line: str) -> bool:
    """Whether a line above a key begins so."""
    return any(f"{name}:".startswith(line) for name in _ARMOR.split("|"))


# --- Secrets that are known ------------------------------------------------------------------------------

UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What nobody sees, for a set of a pattern (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point)."""
_DECORATION = "*_~|`"
_HELD_CAP = 512


@cache
def _skipping(signs: str) -> re.Pattern[str]:
    """What changes nothing for whoever reads a secret: `s**k**-1` is shown as `sk-1`."""
    return re.compile(rf"[\\{signs}{UNSEEN}]+")


class SecretFilter:
    """`feed` a text in slices, take it back with every piece of a known secret masked, as long as before.

    What may be the beginning of such a piece is held: seven characters, at most, besides those that only
    serve to hide it.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        given = [secret for secret in secrets if len(secret) >= PIECE]
        letters = frozenset().union(*given)
        self._skipped = _skipping("".join(sign for sign in _DECORATION if sign not in letters))
        self._grams = frozenset(
            plain[at : at + PIECE]
            for plain in (self._skipped.sub("", secret) for secret in given)
            for at in range(len(plain) - PIECE + 1)
        )
        self._starts = frozenset(gram[:size] for gram in self._grams for size in range(1, PIECE))
        self.held = ""
        self._known = 0  # how many of the held characters belong to a piece that was found already

    def __bool__(self) -> bool:
        return bool(self._grams)

    def feed(self, text: str) -> str:
        """What is certain of the text so far."""
        return self._read(self.held + text, final=False)

    def flush(self) -> str:
        """The rest: nothing follows it."""
        return self._read(self.held, final=True)

    def hide(self, text: str) -> str:
        """A whole text without known secrets and what looks like one, for people to read."""
        return hide_secrets(self._masked(text))

    def mask(self, text: str) -> str:
        """The same with stars, so that every character keeps its place."""
        return mask_secrets(self._masked(text))

    def find(self, text: str) -> list[tuple[int, int]]:
        """Where pieces of known secrets stand in a whole text."""
        plain = self._skipped.sub("", text) if self._grams else ""
        hits = self._find_pieces(plain)
        return _join_pieces(hits, self._places(text)) if hits else []

    def _masked(self, text: str) -> str:
        return _replaced(text, self.find(text), MASK)

    def _read(self, text: str, *, final: bool) -> str:
        plain: str = text
        places: range | list[int] = range(len(text))
        if self._skipped.search(text):
            plain, places = self._skipped.sub("", text), self._places(text)
        hits = self._find_pieces(plain) if len(plain) >= PIECE else []
        found = _join_pieces(hits, places, self._known) if hits or self._known else []
        held = len(text) if final else self._hold(plain, places, len(text))
        if len(text) - held > _HELD_CAP:
            held = len(text)
        self.held, self._known = text[held:], max(0, found[-1][1] - held) if found else 0
        if not found:
            return text[:held]
        return _replaced(text[:held], ((start, min(end, held)) for start, end in found if start < held), MASK)

    def _hold(self, plain: str, places: range | list[int], length: int) -> int:
        """From where on the text may be the beginning of a secret's piece."""
        for size in range(min(PIECE - 1, len(plain)), 0, -1):
            if plain[-size:] in self._starts:
                return places[len(plain) - size]
        return length

    def _find_pieces(self, plain: str) -> list[int]:
        """Where pieces begin in a text without what is skipped."""
        grams = self._grams
        return [at for at in range(len(plain) - PIECE + 1) if plain[at : at + PIECE] in grams]

    def _places(self, text: str) -> list[int]:
        """Where each character that is not skipped stands in the text."""
        places, at = list[int](), 0
        for skipped in self._skipped.finditer(text):
            places += range(at, skipped.start())
            at = skipped.end()
        return [*places, *range(at, len(text))]


def _join_pieces(hits: list[int], places: range | list[int], known: int = 0) -> list[tuple[int, int]]:
    """Where pieces of secrets stand, each as long as it can be; the first `known` characters are one."""
    found = [(0, known)] if known else []
    for at in hits:
        start, end = places[at], places[at + PIECE - 1] + 1
        if found and start <= found[-1][1]:
            start, _ = found.pop()
        found.append((start, end))
    return found
