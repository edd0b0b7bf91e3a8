"""Finds keys, tokens and passwords in texts: those that look like one, and those that the process holds.

Shapes are read in whole texts. Known secrets are also found in pieces: every part of one that is eight
characters long or longer goes, however the text was sliced, and with backslashes or invisible characters
between. All of it takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

__all__ = [
    "HIDDEN",
    "MASK",
    "PIECE",
    "STAR",
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
    rf"[ \t]{{0,20}}+((?=[\s\\{MASK}]|[\w+/=]{{16}})[^-]{{1,20000}}+)"
    rf"|{MASK}{{1,20000}}+",
    re.ASCII,
)
_LOGIN = re.compile(r"://[^\s:/@]{0,100}+:[^\s@/]{1,200}+@")
_LONG = 15
_SHORT_WORDS = re.compile(rf"(?:\S{{0,{_LONG - 1}}}+\s++)*+")
_WORD = re.compile(r"\S+")
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
        end = _WORD.match(text, at).end()  # type: ignore[union-attr]
        found += [word.span() for word in _LONG_WORD.finditer(text, at, end)]
        at = end
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

    Nothing is held. A key begins on the line behind its heading and ends where no key could go on.
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
            return not blank
        if letter in " \t\r>":
            self._ends = self._line not in {"", "\n"}
            return True
        if self._ends or letter not in _KEY_LETTERS:
            return False
        self._line = "x"
        return True


# --- Secrets that are known ------------------------------------------------------------------------------

_SKIPPED = frozenset("\\\u00ad\u200b\u200c\u200d\u2060\ufeff")
"""Characters that change nothing for whoever reads a secret: escapes and what cannot be seen."""
_SKIPPING = re.compile(f"[{re.escape(''.join(sorted(_SKIPPED)))}]")
_HELD_CAP = 512


class SecretFilter:
    """`feed` a text in slices, take it back with every piece of a known secret masked, as long as before.

    What may be the beginning of such a piece is held: seven characters, at most, besides those that only
    serve to hide it.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._grams = frozenset(
            plain[at : at + PIECE]
            for plain in (_SKIPPING.sub("", secret) for secret in secrets)
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
        return _join_pieces(*_plain(text), self._grams) if self._grams else []

    def _masked(self, text: str) -> str:
        return _replaced(text, self.find(text), MASK)

    def _read(self, text: str, *, final: bool) -> str:
        plain, places = _plain(text)
        found = _join_pieces(plain, places, self._grams, self._known)
        held = len(text) if final else self._hold(plain, places, len(text))
        if len(text) - held > _HELD_CAP:
            held = len(text)
        known = found[-1][1] if found else 0
        self.held, self._known = text[held:], max(0, known - held)
        return _replaced(text[:held], ((start, min(end, held)) for start, end in found if start < held), MASK)

    def _hold(self, plain: str, places: range | list[int], length: int) -> int:
        """From where on the text may be the beginning of a secret's piece."""
        for size in range(min(PIECE - 1, len(plain)), 0, -1):
            if plain[-size:] in self._starts:
                return places[len(plain) - size]
        return length


def _join_pieces(
    plain: str, places: range | list[int], grams: frozenset[str], known: int = 0
) -> list[tuple[int, int]]:
    """Where pieces of secrets stand, each as long as it can be; the first `known` characters are one."""
    found = [(0, known)] if known else []
    for at in range(len(plain) - PIECE + 1):
        if plain[at : at + PIECE] in grams:
            start, end = places[at], places[at + PIECE - 1] + 1
            if found and start <= found[-1][1]:
                start, _ = found.pop()
            found.append((start, end))
    return found


def _plain(text: str) -> tuple[str, range | list[int]]:
    """The text without what is skipped, and where each of its characters stood."""
    if not _SKIPPING.search(text):
        return text, range(len(text))
    places = [at for at, letter in enumerate(text) if letter not in _SKIPPED]
    return "".join([text[at] for at in places]), places
