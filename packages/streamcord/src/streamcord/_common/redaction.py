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
from itertools import chain, compress
from typing import TypeAlias

from .link_syntax import link_syntax
from .sample_secrets import is_sample_armor, is_sample_key, is_sample_password

HIDDEN = "[removed]"
"""The replacement that people see for a secret."""
STAR = "*"
"""The replacement of each character of a secret where the length must not change."""
MASK = "\U000f5ec2"
"""The replacement of each character of a known secret inside the text pipeline.

It is a private-use character that no model writes.
"""

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
DECORATION = "*_~|`"
"""Characters of Markdown that Discord does not show when they are markers."""
_UNSEEN = re.compile(f"[{UNSEEN}]+")
_MARKERS = re.compile(r"[\\*~|`]+")
# Underscores are markers in pairs: `__` anywhere, `_` if a word ends after the second one: `a_b_` is an italic `b`.
_UNDERLINE = re.compile(r"__+")
# In `rk___live` one underscore belongs to the key. Which one cannot be told, but that does not matter.
_UNDERLINE_BESIDE_ONE = (
    re.compile(r"(?<!_)__(?!_)|(?<=_)_+"),
    re.compile(r"(?<=_)_+"),
    # one end of an underlined part beside the start of another, with or without an underscore of the key
    re.compile(r"(?:__)+"),
)
_ITALICS = re.compile(r"(?<![A-Za-z0-9_])(_)(?:__|[^_\n]){1,200}?(_)(?![A-Za-z0-9_])")
_ITALICS_IN_WORD = re.compile(r"(?<=[A-Za-z0-9])(_)(?:__|[^_\n]){1,200}?(_)(?![A-Za-z0-9_])")
Reading: TypeAlias = "tuple[str, Sequence[int]]"
"""A text without some of its characters, and the position of each character that is left."""


def _readings(text: str) -> Iterator[Reading]:
    """Yield the text without what Discord may not show, in each combination that a secret may be hidden in."""
    for links in ((), *link_syntax(text)) if "](" in text else ((),):
        shown: str = text
        places: Sequence[int] = range(len(text))
        if links or _UNSEEN.search(text):
            shown, places = without(text, _UNSEEN, hidden=links)
        markers = [_MARKERS] if _MARKERS.search(shown) else []
        seen, positions = without(shown, *markers) if markers else (shown, range(len(shown)))
        readings = [(seen, positions)] if len(seen) < len(text) else []
        if "_" in shown and (markers or "__" in shown):
            readings.append(without(shown, *markers, _UNDERLINE, _ITALICS))
        if "_" in shown and _ITALICS_IN_WORD.search(shown):
            readings.append(without(shown, *markers, _UNDERLINE, _ITALICS_IN_WORD, _ITALICS))
        # Now without the markers and signs that may be between underscores, and with those at the end of italics.
        for pattern in _UNDERLINE_BESIDE_ONE if "__" in seen else ():
            if markers:
                readings.append(without(shown, *markers, pattern, _ITALICS))
            shorter, inner = without(seen, pattern, _ITALICS)
            readings.append((shorter, [positions[at] for at in inner]))
        for plain, inner in readings:
            yield plain, [places[at] for at in inner]


def without(text: str, *patterns: re.Pattern[str], hidden: Iterable[tuple[int, int]] = ()) -> Reading:
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

ARMOR = "Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID"
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
    r"|(?<![\w-])(?<!\w\.)(?=[a-z_-]{0,30}[A-Z0-9])[\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,60}(?![\w-])"
    r"|(?<=/webhooks/)\d{15,20}/([\w-]{40,100})"
    # Four characters are an example (`a:b@host`), and so is everything of the hosts that are made for examples.
    r"|://[^\s:/@]{0,100}+:([^\s@/]{5,200}+)@(?=[\w\[])(?!(?:[\w-]{1,60}\.){0,3}example(?:\.(?:com|org|net))?(?![\w.-]))"
    # Text about such a header is no key: a key starts on its own line, or is one long word.
    r"|-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"[ \t]{{0,20}}+((?=[\s\\{MASK}]|[\w+/=]{{16}})"
    rf"(?:[\s>\\nr]{{1,40}}+(?:{ARMOR}):[^\n\\]{{0,200}}+){{0,6}}+[^-]{{1,20000}}+)"
    rf"|{MASK}{{1,20000}}+"
    r"|\bAccountKey=([A-Za-z0-9+/]{40,120}+={0,2})|(?<=hooks\.slack\.com/services/)([\w/-]{20,200}+)",
    re.ASCII,
)
_PASSWORD_GROUP = 2
_MAX_SAMPLE_CHARS = 200
# The start of a key of a known shape; its last letter may belong to another word, as in `task-force`.
_PREFIX = re.compile(
    r"sk-|[prs]k_|gh[pousr]_|github_|glpat-|npm_|xox|xapp-|xai-|gsk_|hf_|r8_|pplx-|nvapi-|tvly-|dop_v1_|AIza"
    r"|AKIA|ASIA|ya29\.|SG\.|mfa\.|GOCSPX|pypi-|eyJ"
)
_RUN = re.compile(r"[A-Za-z0-9]{20,}+")
"""Letters and digits in a row, more than words have."""
_WORD_AND_HYPHEN = re.compile(r"sk-(?!or-|ant-|proj-|svcacct-|admin-)")
"""Many words end so, and what follows may be a long hash: `disk-9f86d081884c7d65`."""
_MAX_GLUED_CHARS = 4000
_MAX_GLUED_RANDOM_CHARS = 600
# Characters of the shortest secret by shape.
_MIN_KEY_CHARS = 15


def find_secrets(text: str) -> list[tuple[int, int]]:
    """Return the ranges that look like a key, a token or a password, in order.

    Args:
        text: Any text.

    Example:
        if find_secrets(message.content):
            await message.delete()

    """
    found = [*_find_shapes(text), *_find_glued(text, range(len(text)))]
    for plain, positions in _readings(text):
        shapes = chain(_find_shapes(plain), _find_glued(plain, positions))
        found += [(positions[start], positions[end - 1] + 1) for start, end in shapes]
    return merge_ranges(found)


def _find_glued(plain: str, positions: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield secrets that follow a letter or a digit, where no reading has the border of a word.

    In `key**s**k-1` something in between was left out. Without that, only a key with a long random part counts.
    """
    end = 0
    for prefix in _PREFIX.finditer(plain):
        at = prefix.start()
        if at <= end or not (plain[at - 1].isascii() and plain[at - 1].isalnum()):
            continue
        is_parted = positions[at] != positions[at - 1] + 1
        if not is_parted and _WORD_AND_HYPHEN.match(plain, at):
            continue
        rest = plain[at : at + (_MAX_GLUED_CHARS if is_parted else _MAX_GLUED_RANDOM_CHARS)]
        found = _SHAPES.match(rest)
        if found and (is_parted or any(map(_is_random, _RUN.findall(rest, 0, found.end())))):
            for first, last in _find_shapes(rest)[:1]:
                if first == 0:
                    end = at + last
                    yield at, end


def _is_random(run: str) -> bool:
    """Return whether a long run of letters and digits has both."""
    return not run.isalpha() and not run.isdecimal()


def _find_shapes(text: str) -> list[tuple[int, int]]:
    """Return the ranges of secrets in one reading of a text."""
    found: list[tuple[int, int]] = []
    for match in _SHAPES.finditer(text):
        # Of a URL only the secret part is removed, so that the rest stays readable.
        start, end = match.span(match.lastindex or 0)
        # No key begins with an underscore: it is a marker of Markdown, and so is one at the end.
        while text.startswith("_", start) and end - start > _MIN_KEY_CHARS:
            start, end = start + 1, end - (text[end - 1] == "_")
        if text.startswith("\\_", start - 1) and start:
            start += 1  # an escaped underscore
        if start and text[start - 1] == "_":
            end = start + len(text[start:end].rstrip("_"))
        if not _is_sample(match, text[start:end]):
            found.append((start, end))
        elif match.lastindex == _PASSWORD_GROUP:
            # `$$` makes a password a placeholder, but a key may be in it.
            found += [(start + first, start + last) for first, last in _find_shapes(text[start:end])]
    return found


def _is_sample(match: re.Match[str], secret: str) -> bool:
    """Return whether a secret is one that examples have."""
    if match.lastindex == _PASSWORD_GROUP:
        user = match[0].removeprefix("://").partition(":")[0]
        return is_sample_password(secret, user)
    if match[0].startswith("-----BEGIN "):
        return match.string.startswith("-----END ", match.end()) and is_sample_armor(secret)
    return len(secret) < _MAX_SAMPLE_CHARS and is_sample_key(secret)


def merge_ranges(found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order, those that overlap or touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def hide_secrets(text: str) -> str:
    """Return the text with everything that looks like a secret replaced by `[removed]`.

    Args:
        text: Any text.

    Example:
        print(hide_secrets(error_text))

    """
    return replace_ranges(text, find_secrets(text))


def mask_secrets(text: str) -> str:
    """Replace everything that looks like a secret by stars, which keeps the length."""
    return replace_ranges(text, find_secrets(text), STAR)


def replace_ranges(text: str, found: Iterable[tuple[int, int]], star: str = "") -> str:
    pieces, at = [], 0
    for start, end in found:
        pieces += [text[at:start], star * (end - start) or HIDDEN]
        at = end
    return "".join([*pieces, text[at:]]) if at else text
