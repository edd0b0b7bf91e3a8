"""Show the real target of deceptive masked links, and restrict links to known hosts.

`[https://bank.example](https://evil.example)` is the oldest trick in chat. A masked link is fine if its text
is plain words, the target itself, a part of it, or a file name.

With a link policy, a link to an unknown host cannot be clicked: the address is shown as code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..language.url_hosts import Address, may_name_host, names_other_host, read_address
from ..markdown.break_points import AtomicRange
from ..markdown.inline_code_and_urls import find_link_end
from ..parsed_text import ParsedText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._settings import Settings
    from ..traced_text import Edit

LINKLIKE = r"(?i:https?:|discord\.gg/|discord(?:app)?\.com/invite/)|\]\("
"""Pattern that every text with a link matches."""

_BRACKET = re.compile(r"\\.|[\[\]]|\n[ \t]*\n", re.DOTALL)
_PLAIN_BRACKETS = re.compile(r"[^\[]*+(?:(?<!\\)\[[^\[\]\\.:%\x80-\U0010ffff]*+\][^\[]*+)*+")
_MAX_LINK_TEXT_CHARS = 2000
"""Characters of a link's text that are remembered: a message has no more."""
_TARGET = re.compile(r"\(\s*+<?(https?:[^\s<>]{1,2000})", re.IGNORECASE)
_NO_TARGET_YET = re.compile(r"\(\s*+<?\s*+\Z")
_OPEN_TARGET = re.compile(r"\]\([^)]*+\Z")
"""A link whose address may be on the next line. Discord allows line ends in it, and each line is read alone."""
_UNKNOWN = Address("", "")
"""The address of a link that is on another line: every host in its label is another one."""


def show_targets(parsed: ParsedText) -> list[Edit]:
    """Return edits that replace links with a deceptive text by their real address."""
    if not may_deceive(parsed.text):
        return []
    edits: list[Edit] = []
    text = parsed.text
    for start, middle, end in _links(parsed):
        url, address = _target(text, middle, end)
        if address and names_other_host(text[start + 1 : middle - 1], address):
            while edits and edits[-1][0] > start:  # a link inside the text of this link
                edits.pop()
            # Where a link ends that is unusual inside is not ours to tell: separate its label from its address.
            edits.append((start, end, url) if end else (middle - 1, middle, "] "))
    at = text.rfind("](")
    if _OPEN_TARGET.match(text, max(at, 0)) and parsed.code.free(at) and (at, at + 1, "] ") not in edits:
        edits.append((at, at + 1, "] "))
    return edits


def may_deceive(text: str) -> bool:
    """Return whether a text may have a deceptive link: a fast check that passes almost all texts."""
    return "[" in text and (_PLAIN_BRACKETS.fullmatch(text) is None or _OPEN_TARGET.search(text) is not None)


def _target(text: str, start: int, end: int) -> tuple[str, Address | None]:
    """Return the URL in a link's parentheses without its title, and its address if it is that of a page."""
    found = _TARGET.match(text, start, end or len(text))
    if found is None:
        return "", None if end or not _NO_TARGET_YET.match(text, start) else _UNKNOWN
    url = found[1].removesuffix(")" if found.end() == end else "")
    return url, read_address(url)


def _links(parsed: ParsedText, *, every: bool = False) -> Iterator[tuple[int, int, int]]:
    """Yield links whose text may name a host, or `every` link: start, start of the target, end (0 if unknown)."""
    text = parsed.text
    opened: list[int] = []
    for found in _BRACKET.finditer(text):
        at = found.start()
        if found[0] == "[":
            opened.append(at)
        elif found[0] != "]":
            # A blank line ends the paragraph, and no link spans two paragraphs.
            opened = opened if found[0][0] == "\\" else []
        elif opened:
            start = opened.pop()
            if not text.startswith("(", at + 1) or not (every or may_name_host(text[start + 1 : at])):
                continue
            if parsed.code.free(start) and parsed.code.free(at):
                yield start, at + 1, max(find_link_end(text, at + 1, final=True), 0)


def make_links_safe(text: str, settings: Settings) -> str:
    """Return a text whose links follow the link policy and never pretend another address.

    Use this for text that is shown outside of an answer, such as a thought log.

    Args:
        text: Text of a model.
        settings: The settings of the answer, which hold the link policy.

    Example:
        await thread.send(make_links_safe(result.thoughts.raw, settings))

    """
    if settings.links != "all":
        hosts = settings.link_hosts if settings.links == "known" else ()
        text = _changed(text, restrict_links(ParsedText(text, settings), hosts))
    return _changed(text, show_targets(ParsedText(text, settings)))


def _changed(text: str, edits: list[Edit]) -> str:
    pieces, at = list[str](), 0
    for start, end, after in edits:
        pieces += [text[at:start], after]
        at = end
    return "".join([*pieces, text[at:]])


class MultilineLinks:
    """Separate deceptive links that begin on one line and end on another.

    Each line is normalized alone, but Discord joins `[bank.example` and, on the next line,
    `](https://evil.example)`.
    """

    def __init__(self) -> None:
        # The text since an opening bracket that is not closed yet; None if there is none.
        self._shown: str | None = None

    @property
    def opened(self) -> bool:
        """Whether a bracket is still open."""
        return self._shown is not None

    def part(self, text: str) -> list[Edit]:
        """Return edits that separate the text of such a link from its address, so that users see both."""
        edits: list[Edit] = []
        opened: list[int] = []
        for found in _BRACKET.finditer(text):
            at = found.start()
            if found[0] == "[":
                opened.append(at)
            elif found[0] == "]" and opened:
                opened.pop()
            elif found[0] == "]" and self._shown is not None:
                edits += self._close(text, at)
        if opened:
            self._shown = text[opened[0] + 1 :]
        elif self._shown is not None:
            self._shown = f"{self._shown}\n{text}"[-_MAX_LINK_TEXT_CHARS:]
        return edits

    def _close(self, text: str, at: int) -> list[Edit]:
        """Return the edit for a bracket that closes a link of an earlier line."""
        shown, self._shown = f"{self._shown}\n{text[:at]}", None
        if not text.startswith("(", at + 1):
            return []
        address = _target(text, at + 1, max(find_link_end(text, at + 1, final=True), 0))[1]
        return [(at, at + 1, "] ")] if address and names_other_host(shown, address) else []


# --- Which links people may click ------------------------------------------------------------------

_BARE = re.compile(
    r"<?((?:https?:[\\/]{1,9}+|(?<![\w./@-])(?:discord\.gg|discord(?:app)?\.com/invite)/)"
    r"(?:\[[0-9A-Fa-f:.]{2,45}\])?[^\s<>\[\]]{1,2000})>?",
    re.IGNORECASE,
)
_ANY_TARGET = re.compile(r"\(\s*+<?([a-z][a-z0-9+.-]{1,20}:[^\s<>]{1,2000})", re.IGNORECASE)
_TRAILING_PUNCTUATION = ".,;:!?'\")]}*_~|"


def restrict_links(parsed: ParsedText, hosts: tuple[str, ...]) -> list[Edit]:
    """Return edits that show addresses as code, except those of the given hosts and their subdomains."""
    text, edits, targets = parsed.text, list[tuple[int, int, str]](), list[tuple[int, int]]()
    known = tuple(address.host for host in hosts if (address := read_address(f"https://{host}")))
    for start, middle, end in _links(parsed, every=True):
        # The address of a link that ends nowhere is handled below, as one without a label.
        if not end:
            continue
        found = _ANY_TARGET.match(text, middle, end)
        targets.append((middle, end))
        url = found[1].removesuffix(")" if found.end() == end else "") if found else ""
        if url and not _is_known(url, known):
            # `![text](url)` is an image; its `!` goes as well.
            first = start - 1 if text[start - 1 : start] == "!" else start
            edits += [(first, start + 1, ""), (middle - 1, end, f" ({_as_code(url)})")]
    inside = AtomicRange(targets)
    for found in _BARE.finditer(text):
        at = found.start(1)
        # Targets of masked links were handled above.
        if not inside.free(at) or not parsed.code.free(at + 1):
            continue
        url = found[1].rstrip(_TRAILING_PUNCTUATION)
        if not _is_known(url, known):
            whole = found[0].startswith("<") and found[0].endswith(">")
            start, end = found.span() if whole else (at, at + len(url))
            edits.append((start, end, _as_code(url)))
    return sorted(edits)


def _is_known(url: str, known: tuple[str, ...]) -> bool:
    """Return whether a URL belongs to a known host or to one of its subdomains."""
    address = read_address(url if ":" in url.partition("/")[0] else f"https://{url}")
    host = address.host if address else ""
    return any(host == one or host.endswith(f".{one}") for one in known)


def _as_code(url: str) -> str:
    return f"`{url.replace('`', '%60')}`"
