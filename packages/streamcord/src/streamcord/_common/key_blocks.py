"""Mask the lines of private keys in text that arrives in chunks."""

from __future__ import annotations

import re

from .redaction import ARMOR, MASK

_HEADER = re.compile(r"-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
# Characters of the longest header that `_HEADER` matches, rounded up.
_MAX_HEADER_CHARS = 110
_MAX_BLOCK_CHARS = 20_000
_KEY_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\\")


class KeyBlocks:
    """Masks the lines of a private key in text that arrives in chunks.

    Nothing is buffered. A key starts on the line after its header and ends at the first character that cannot
    belong to a key. Header fields (RFC 1421) and a blank line may precede its lines.
    """

    def __init__(self) -> None:
        # End of the text so far, if it may be the start of a header.
        self._tail = ""
        # The state: `_find_header`, then `_find_line`, then `_mask`.
        self._read = self._find_header

    def feed(self, text: str) -> str:
        """Return the text with every character of a key masked."""
        # A header begins with a hyphen, so most chunks need no look.
        if "-" not in text and not self._tail and self._read == self._find_header:
            return text
        pieces, at = list[str](), 0
        while at < len(text):
            shown, at = self._read(text, at)
            pieces.append(shown)
        return "".join(pieces)

    def _find_header(self, text: str, at: int) -> tuple[str, int]:
        joined = self._tail + text[at:]
        found = _HEADER.search(joined)
        if found is None:
            tail = joined[-_MAX_HEADER_CHARS:]
            # Keep only a possible start of a header: most hyphens are inside words.
            begins = tail.find("-----")
            self._tail = tail[begins if begins >= 0 else len(tail.rstrip("-")) :]
            return text[at:], len(text)
        end = at + found.end() - len(self._tail)
        self._tail = ""
        self._read = self._find_line
        # Whether a blank line may follow: always in OpenPGP blocks, else only after header fields.
        self._may_be_blank = found[0].endswith("BLOCK-----")
        # Whether header fields may follow.
        self._is_armor = True
        return text[at:end], end

    def _find_line(self, text: str, at: int) -> tuple[str, int]:
        """Check what follows the header: a key starts on its own line, text about a key does not."""
        letter = text[at]
        if letter in " \t\r":
            return letter, at + 1
        self._read = self._mask if letter in "\n\\" else self._find_header
        # The current line: its text while it may be a header field, then only "x".
        self._line = ""
        # Whether the line must end here: a space was found after its text.
        self._ends = False
        # Characters that may still be masked.
        self._left = _MAX_BLOCK_CHARS
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
        """Whether a character continues the key: lines without spaces inside, none of them blank."""
        if letter == "\n":
            blank, self._line, self._ends = self._line == "\n", "\n", False
            continues = not blank or self._may_be_blank
            if blank:
                self._may_be_blank = self._is_armor = False
            return continues
        # The value of a header field may contain anything.
        if self._line.endswith(":"):
            return True
        # Indentation and quote markers before the text, or spaces after it.
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
    """Whether a header field may start with this text."""
    return any(f"{name}:".startswith(line) for name in ARMOR.split("|"))
