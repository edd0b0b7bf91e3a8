"""Find and remove keys, tokens and passwords: by their shape, and those that this process knows.

Shapes are searched in complete texts. Known secrets are also found in fragments: every fragment of eight or
more characters is removed, however the text was chunked. The time is linear in the length of the text.

People copy a secret from the message as Discord renders it, where `s**k**-1` and
`[s](https://x.example)[k-1](https://x.example)` are both `sk-1`. So a text is searched in several readings, each
without some characters that Discord may not show. A secret that is found in a reading is hidden whole, with
everything between its characters. No reading alone is enough: `_` may be a marker or a part of a key, and the
target of a link may be hidden or contain the secret itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, compress
from typing import TypeAlias

from .link_syntax import link_syntax
from .sample_secrets import is_sample_key, is_sample_password

HIDDEN = "[removed]"
"""The replacement that people see for a secret."""
STAR = "*"
"""The replacement of each character of a secret where the length must not change."""
MASK = "\U000f5ec2"
"""The replacement of each character of a known secret inside the text pipeline.

It is a private-use character that no model writes.
"""
PIECE = 8
"""Characters of the shortest fragment of a known secret that is removed; shorter secrets are ignored."""
MIN_PIECE_CHARS = 5
"""Characters of such a fragment besides signs of Markdown: with fewer, ordinary words would be removed."""

# --- Readings --------------------------------------------------------------------------------------------

UNSEEN = (
    # Default_Ignorable_Code_Point (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point)
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    # control characters except tabs and line ends, line and paragraph separators
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
    # other format characters
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    # noncharacters
    "\ufdd0-\ufdef"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
)
"""Characters that are not shown, as a regex character class."""
_DECORATION = "*_~|`"
"""Characters of Markdown that Discord does not show when they are markers."""
_UNSEEN = re.compile(f"[{UNSEEN}]+")
_MARKERS = re.compile(r"[\\*~|`]+")
# Underscores are markers in pairs: `__` anywhere, `_` at the borders of words.
_UNDERLINE = re.compile(r"__+")
# In `rk___live` one underscore belongs to the key. Which one cannot be told, but that does not matter.
_UNDERLINE_BESIDE_ONE = (
    re.compile(r"(?<!_)__(?!_)|(?<=_)_+"),
    re.compile(r"(?<=_)_+"),
    # one end of an underlined part beside the start of another, with or without an underscore of the key
    re.compile(r"(?:__)+"),
)
_ITALICS = re.compile(r"(?<![A-Za-z0-9_])(_)(?:__|[^_\n]){1,200}?(_)(?![A-Za-z0-9_])")
_Reading: TypeAlias = "tuple[str, Sequence[int]]"
"""A text without some of its characters, and the position of each character that is left."""


def _readings(text: str) -> Iterator[_Reading]:
    """Yield the text without what Discord may not show, in each combination that a secret may be hidden in."""
    for links in ((), *link_syntax(text)) if "](" in text else ((),):
        shown: str = text
        places: Sequence[int] = range(len(text))
        if links or _UNSEEN.search(text):
            shown, places = _without(text, _UNSEEN, hidden=links)
        markers = [_MARKERS] if _MARKERS.search(shown) else []
        seen, positions = _without(shown, *markers) if markers else (shown, range(len(shown)))
        readings = [(seen, positions)] if len(seen) < len(text) else []
        if "_" in shown and (markers or "__" in shown):
            readings.append(_without(shown, *markers, _UNDERLINE, _ITALICS))
        # Now without the markers and signs that may be between underscores, and with those at the end of italics.
        for pattern in _UNDERLINE_BESIDE_ONE if "__" in seen else ():
            if markers:
                readings.append(_without(shown, *markers, pattern, _ITALICS))
            shorter, inner = _without(seen, pattern, _ITALICS)
            readings.append((shorter, [positions[at] for at in inner]))
        for plain, inner in readings:
            yield plain, [places[at] for at in inner]


def _without(text: str, *patterns: re.Pattern[str], hidden: Iterable[tuple[int, int]] = ()) -> _Reading:
    """Return a text without hidden ranges and all matches of the patterns, or of their groups if they have some."""
    kept = bytearray(b"\1") * len(text)
    for start, end in hidden:
        kept[start:end] = bytes(end - start)
    for pattern in patterns:
        for found in pattern.finditer(text):
            for group in range(1, pattern.groups + 1) or (0,):
                start, end = found.span(group)
                kept[start:end] = bytes(end - start)
    return "".join(compress(text, kept)), list(compress(range(len(text)), kept))


# --- Shapes ----------------------------------------------------------------------------------------------

_ARMOR = "Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID"
"""Header fields that may precede the lines of a private key (RFC 1421, RFC 9580)."""

# Every repeat is bounded and possessive, and no key starts inside a word, so matching is linear.
_SHAPES = re.compile(
    # `_key_` and `__key__` are a key in italics or underlined.
    r"(?<![A-Za-z0-9])(?:"
    # A key contains a digit; sk-learn-compatible-estimators does not.
    r"sk-(?=[\w-]{0,120}\d)[\w-]{16,300}+|[prs]k_(?:live|test)_\w{16,200}+"
    r"|gh[pousr]_\w{20,255}+|github_pat_\w{20,255}+|glpat-[\w-]{16,100}+|npm_[A-Za-z0-9]{30,60}+"
    r"|xox[abeprs]-[\w-]{10,300}+|xapp-[\w-]{20,300}+|xai-[\w-]{20,200}+|gsk_\w{20,200}+|hf_[A-Za-z0-9]{20,100}+"
    r"|r8_\w{30,60}+|pplx-\w{30,100}+|nvapi-[\w-]{30,200}+|tvly-[\w-]{20,100}+|dop_v1_\w{30,100}+"
    r"|AIza[\w-]{30,60}+|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])|ya29\.[\w-]{20,500}+|SG\.[\w-]{16,40}+\.[\w-]{20,80}+"
    r"|mfa\.[\w-]{40,120}+|GOCSPX-[\w-]{20,60}+|pypi-[\w-]{40,300}+|\d{8,10}:AA[\w-]{30,40}+"
    r"|eyJ[\w-]{8,4000}+\.eyJ[\w-]{4,8000}+\.[\w-]{10,2000}+"
    r")"
    # A bot's token begins with base64, which is not all in lower case as `some_long.module.names` are.
    r"|(?<![\w.-])(?=[a-z_-]{0,30}[A-Z0-9])[\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,60}(?![\w-])"
    r"|(?<=/webhooks/)\d{15,20}/([\w-]{40,100})"
    # Four characters are an example (`a:b@host`), and so is everything of the hosts that are made for examples.
    r"|://[^\s:/@]{0,100}+:([^\s@/]{5,200}+)@(?=[\w\[])(?!(?:[\w-]{1,60}\.){0,3}example(?:\.(?:com|org|net))?(?![\w.-]))"
    # Text about such a header is no key: a key starts on its own line, or is one long word.
    r"|-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"[ \t]{{0,20}}+((?=[\s\\{MASK}]|[\w+/=]{{16}})"
    rf"(?:[\s>\\nr]{{1,40}}+(?:{_ARMOR}):[^\n\\]{{0,200}}+){{0,6}}+[^-]{{1,20000}}+)"
    rf"|{MASK}{{1,20000}}+"
    r"|\bAccountKey=([A-Za-z0-9+/]{40,120}+={0,2})|(?<=hooks\.slack\.com/services/)([\w/-]{20,200}+)",
    re.ASCII,
)
_PASSWORD_GROUP = 2
_MAX_SAMPLE_CHARS = 200
_SIGNS = (MASK, "/webhooks/", "-----BEGIN ", "AccountKey=", "hooks.slack.com/services/", ":AA")
_LOGIN = re.compile(r"://[^\s:/@]{0,100}+:[^\s@/]{5,200}+@")
# Where a key of a known shape may begin inside a word.
_KEY_AFTER_WORD = re.compile(
    r"[A-Za-z0-9](?=sk-|[prs]k_|gh[pousr]_|github_|glpat-|npm_|xox|xapp-|xai-|gsk_|hf_|r8_|pplx-|nvapi-|tvly-|dop_v1_|AIza"
    r"|AKIA|ASIA|ya29\.|SG\.|mfa\.|GOCSPX|pypi-|eyJ)"
)
_MAX_GLUED_CHARS = 4000
# Characters of the shortest secret by shape.
_LONG = 15
# Skip short words quickly: first split at spaces, which is fastest, then at all non-word characters.
_SHORT_WORDS = re.compile(rf"(?:[^ ]{{0,{_LONG - 1}}}+ )*+")
_SHORT_RUNS = re.compile(rf"(?:[\w.-]{{0,{_LONG - 1}}}+[^\w.-]++)*+", re.ASCII)
_LONG_WORD = re.compile(rf"[\w.-]{{{_LONG},}}+", re.ASCII)


def find_secrets(text: str) -> list[tuple[int, int]]:
    """Return the ranges that look like a key, a token or a password, in order.

    Args:
        text: Any text.

    Example:
        if find_secrets(message.content):
            await message.delete()

    """
    found = _find_shapes(text)
    for plain, positions in _readings(text):
        shapes = chain(_find_shapes(plain), _find_glued(plain, positions))
        found += [(positions[start], positions[end - 1] + 1) for start, end in shapes]
    return _merge(found)


def _find_glued(plain: str, positions: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield secrets that follow a word in a reading, with something in between that was left out.

    In `key**s**k-1` a key begins after the word, although no reading has a border there.
    """
    for start in _KEY_AFTER_WORD.finditer(plain):
        at = start.end()
        if positions[at] != positions[at - 1] + 1:
            for first, last in _find_shapes(plain[at : at + _MAX_GLUED_CHARS]):
                if first == 0:
                    yield at, at + last


def _find_shapes(text: str) -> list[tuple[int, int]]:
    """Return the ranges of secrets in one reading of a text."""
    found: list[tuple[int, int]] = []
    ranges = [(0, len(text))] if _has_sign(text) else _find_long_words(text)
    for match in chain.from_iterable(_SHAPES.finditer(text, *each) for each in ranges):
        # Of a URL only the secret part is removed, so that the rest stays readable.
        start, end = match.span(match.lastindex or 0)
        # No key begins with an underscore: it is a marker of Markdown, and so is one at the end.
        while text.startswith("_", start) and end - start > _LONG:
            start, end = start + 1, end - (text[end - 1] == "_")
        if text.startswith("\\_", start - 1) and start:
            start += 1  # an escaped underscore
        if start and text[start - 1] == "_":
            end = start + len(text[start:end].rstrip("_"))
        if not _is_sample(match, text[start:end]):
            found.append((start, end))
    return found


def _is_sample(match: re.Match[str], secret: str) -> bool:
    """Return whether a secret is one that examples have."""
    if match.lastindex == _PASSWORD_GROUP:
        user = match[0].removeprefix("://").partition(":")[0]
        return is_sample_password(secret, user)
    return len(secret) < _MAX_SAMPLE_CHARS and is_sample_key(secret)


def _merge(found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order, those that overlap or touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _has_sign(text: str) -> bool:
    """Whether the whole text must be searched; without these signs only long words can be secrets."""
    if any(sign in text for sign in _SIGNS):
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
    """Return the text with everything that looks like a secret replaced by `[removed]`.

    Args:
        text: Any text.

    Example:
        print(hide_secrets(error_text))

    """
    return _replaced(text, find_secrets(text))


def mask_secrets(text: str) -> str:
    """Replace everything that looks like a secret by stars, which keeps the length."""
    return _replaced(text, find_secrets(text), STAR)


def _replaced(text: str, found: Iterable[tuple[int, int]], star: str = "") -> str:
    pieces, at = [], 0
    for start, end in found:
        pieces += [text[at:start], star * (end - start) or HIDDEN]
        at = end
    return "".join([*pieces, text[at:]]) if at else text


# --- Private keys of many lines --------------------------------------------------------------------------

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
    return any(f"{name}:".startswith(line) for name in _ARMOR.split("|"))


# --- Known secrets --------------------------------------------------------------------------------------

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

    def read(self, text: str) -> Iterator[_Reading]:
        """Yield the text without the ignored characters, with and without the syntax of links."""
        if self._ignored.search(text):
            yield _without(text, self._ignored)
        else:
            yield text, range(len(text))
        for links in link_syntax(text) if "](" in text else ():
            yield _without(text, self._ignored, hidden=links)

    def find(self, reading: _Reading) -> list[tuple[int, int]]:
        """Return the ranges of fragments, as positions in the text that was read."""
        (plain, positions), grams = reading, self.grams
        return [
            (positions[at], positions[at + size - 1] + 1)
            for size in self._sizes
            for at in range(len(plain) - size + 1)
            if plain[at : at + size] in grams
        ]

    def hold(self, reading: _Reading, length: int) -> int:
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
    other = "".join(sign for sign in _DECORATION if sign not in letters)
    return tuple(_KnownSecrets(given, ignored) for ignored in dict.fromkeys((_DECORATION, other)))


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
        return _merge(list(chain.from_iterable(found)))

    def _masked(self, text: str) -> str:
        return _replaced(text, self.find(text), MASK)

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
        found = _merge(found)
        self.held, self._known = text[held:], max(0, found[-1][1] - held) if found else 0
        if not found:
            return text[:held]
        return _replaced(text[:held], ((start, min(end, held)) for start, end in found if start < held), MASK)
