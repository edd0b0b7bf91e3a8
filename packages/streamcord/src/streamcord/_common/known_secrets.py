"""Mask fragments of the secrets that this process knows, in text that arrives in chunks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from .link_syntax import link_syntax
from .redaction import (
    DECORATION,
    MASK,
    UNSEEN,
    Reading,
    hide_secrets,
    mask_secrets,
    merge_ranges,
    replace_ranges,
    without,
)

PIECE = 8
"""Characters of the shortest fragment of a known secret that is removed; shorter secrets are ignored."""
MIN_PIECE_CHARS = 5
"""Characters of such a fragment besides signs of Markdown: with fewer, ordinary words would be removed."""
_MAX_HELD_CHARS = 2048


class _KnownSecrets:
    """Finds fragments of known secrets in one kind of reading."""

    def __init__(self, secrets: Iterable[str], ignored: str) -> None:
        # Characters that are ignored in texts and in secrets.
        self._ignored = re.compile(rf"[\\{ignored}{UNSEEN}]+")
        # All substrings of the secrets with `PIECE` characters; those with ignored characters are shorter.
        self.grams = frozenset(
            gram
            for secret in secrets
            for text in (secret, self._ignored.sub("", secret))
            for at in range(len(text) - PIECE + 1)
            if len(gram := self._ignored.sub("", text[at : at + PIECE])) >= MIN_PIECE_CHARS
        )
        self._sizes = sorted({len(gram) for gram in self.grams})
        # All starts of these substrings.
        self._starts = frozenset(gram[:size] for gram in self.grams for size in range(1, len(gram)))

    def read(self, text: str) -> Iterator[Reading]:
        """Yield the text without the ignored characters, with and without the syntax of links."""
        if self._ignored.search(text):
            yield without(text, self._ignored)
        else:
            yield text, range(len(text))
        for links in link_syntax(text) if "](" in text else ():
            yield without(text, self._ignored, hidden=links)

    def find(self, reading: Reading) -> list[tuple[int, int]]:
        """Return the ranges of fragments, as positions in the text that was read."""
        (plain, positions), grams = reading, self.grams
        return [
            (positions[at], positions[at + size - 1] + 1)
            for size in self._sizes
            for at in range(len(plain) - size + 1)
            if plain[at : at + size] in grams
        ]

    def hold(self, reading: Reading, length: int) -> int:
        """Return the position from which the text may be the start of a fragment; `length` if nowhere."""
        plain, positions = reading
        for size in range(min(PIECE - 1, len(plain)), 0, -1):
            if plain[-size:] in self._starts:
                return positions[len(plain) - size]
        return length


@lru_cache(maxsize=16)
def _known_secrets(secrets: tuple[str, ...]) -> tuple[_KnownSecrets, ...]:
    """Return what finds these secrets without all signs of Markdown, and with those that they contain.

    `p*ss_w0rd` is too short without its signs, `pa**ss_w0rd` is not the password with all of them. The result is
    cached, because every answer of a process has the same secrets.
    """
    given = [secret for secret in secrets if len(secret) >= PIECE]
    letters = frozenset().union(*given)
    other = "".join(sign for sign in DECORATION if sign not in letters)
    return tuple(_KnownSecrets(given, ignored) for ignored in dict.fromkeys((DECORATION, other)))


class SecretFilter:
    """Masks every fragment of a known secret in text that arrives in chunks, without changing its length.

    A possible start of a fragment is held back: at most seven visible characters, plus the invisible ones
    between them.

    Args:
        secrets: The known secrets, such as the bot's token.

    Example:
        masked = SecretFilter([token])
        for chunk in chunks:
            print(masked.feed(chunk), end="")
        print(masked.flush())

    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._kinds = _known_secrets(tuple(secrets))
        self.held = ""
        """Text that is held back until more arrives."""
        # How many of the held characters belong to a fragment that was found already.
        self._known = 0

    def __bool__(self) -> bool:
        return any(kind.grams for kind in self._kinds)

    def feed(self, text: str) -> str:
        """Add text; return the part that can be released."""
        return self._read(self.held + text, final=False)

    def flush(self) -> str:
        """Return the held text at the end."""
        return self._read(self.held, final=True)

    def hide(self, text: str) -> str:
        """Replace known secrets and everything that looks like one by `HIDDEN`, in a complete text."""
        return hide_secrets(self._masked(text))

    def mask(self, text: str) -> str:
        """Replace everything that looks like a secret by stars, which keeps the length."""
        return mask_secrets(self._masked(text))

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the ranges of fragments of known secrets in a complete text."""
        if not self:
            return []
        found = [kind.find(reading) for kind in self._kinds for reading in kind.read(text)]
        return merge_ranges(list(chain.from_iterable(found)))

    def _masked(self, text: str) -> str:
        return replace_ranges(text, self.find(text), MASK)

    def _read(self, text: str, *, final: bool) -> str:
        # The first characters may belong to a fragment whose start was released already.
        found = [(0, self._known)] if self._known else []
        held = len(text)
        for kind in self._kinds:
            for reading in kind.read(text):
                found += kind.find(reading)
                if not final:
                    held = min(held, kind.hold(reading, len(text)))
        if len(text) - held > _MAX_HELD_CHARS:
            held = len(text)
        found = merge_ranges(found)
        self.held, self._known = text[held:], max(0, found[-1][1] - held) if found else 0
        if not found:
            return text[:held]
        return replace_ranges(
            text[:held], ((start, min(end, held)) for start, end in found if start < held), MASK
        )
