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
from ..markdown.link_labels import LabelFinder
from ..parsed_text import ParsedText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._settings import Settings
    from ..traced_text import Edit

LINKLIKE = r"(?i:https?:|discord\.gg/|discord(?:app)?\.com/invite/)|\]\("
"""Pattern that every text with a link matches."""

# In the text of a link a backslash escapes nothing, so only an escaped `[` is skipped.
_BRACKET = re.compile(r"\\[\\\[]|[\[\]]")
_PLAIN_BRACKETS = re.compile(r"[^\[\]]*+(?:(?<!\\)\[[^\[\]\\.:%/0-9\x80-\U0010ffff]*+\][^\[\]]*+)*+")
_MAX_LINK_TEXT_CHARS = 2000
"""Characters of a link's text that are remembered: a message has no more."""
_TARGET = re.compile(r"\(\s*+<?((?:https?|discord)\\?:[^\s<>]{1,2000})", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
_NO_TARGET_YET = re.compile(r"\(\s*+<?\s*+\Z")
_URL_WITH_TICKS = re.compile(r"(?i:https?)://[^\s<`]*+`")
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
    for start, middle, end, is_joined in _links(parsed):
        url, address = _target(text, middle, end)
        shown = text[start + 1 : middle - 1]
        if address is None or not (is_joined or (may_name_host(shown) and names_other_host(shown, address))):
            continue
        is_unusual = not end or is_joined or "](" in text[middle:end]
        if is_unusual or not names_other_host(shown, address, numbers=False):
            # Where a link ends that is unusual inside is not ours to tell, and what looks like an address of numbers
            # may be a version, a date or a price: separate the label from the address.
            edits.append((middle - 1, middle, "] "))
            continue
        while edits and edits[-1][1] > start:  # a link inside the text of this link
            edits.pop()
        edits.append((start, end, url))
    at = text.rfind("](")
    if _OPEN_TARGET.match(text, max(at, 0)) and parsed.code.free(at) and (at, at + 1, "] ") not in edits:
        edits.append((at, at + 1, "] "))
    return edits


def may_deceive(text: str) -> bool:
    """Return whether a text may have a deceptive link: a fast check that passes almost all texts."""
    return "[" in text and (_PLAIN_BRACKETS.fullmatch(text) is None or _OPEN_TARGET.search(text) is not None)


def _target(text: str, start: int, end: int) -> tuple[str, Address | None]:
    """Return the URL in a link's parentheses without its title, and its address if it leads anywhere."""
    found = _TARGET.match(text, start, end or len(text))
    if found is None:
        return "", None if end or not _NO_TARGET_YET.match(text, start) else _UNKNOWN
    written = found[1].removesuffix(")" if found.end() == end else "")
    url = _ESCAPE.sub(r"\1", written)
    address = read_address(url)
    # Discord removes the backslash of `\\@`; to a browser it is a slash, so another host comes before it.
    if address is None or (url != written and read_address(written) not in (None, address)):
        return written, _UNKNOWN
    return url, address


def _links(parsed: ParsedText) -> Iterator[tuple[int, int, int, bool]]:
    """Yield links: start, start of the target, end (0 if unknown), and whether the label contains a link's end."""
    text, labels = parsed.text, LabelFinder()
    # Whether a link ends inside of what looks like code, or an address takes the ticks before it: then Discord reads
    # the rest as text.
    is_code_doubtful = any(parsed.code.free(found.start()) for found in _URL_WITH_TICKS.finditer(text))
    for found in _BRACKET.finditer(text):
        at = found.start()
        if found[0] == "[":
            labels.open(at, can_start=is_code_doubtful or parsed.code.free(at))
        elif found[0] == "]":
            is_link = text.startswith("(", at + 1)
            label = labels.close(is_link=is_link)
            if label and is_link:
                is_code_doubtful = is_code_doubtful or not parsed.code.free(at)
                end = max(find_link_end(text, at + 1, final=True), 0)
                yield label.start, at + 1, end, label.is_joined


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
        self._labels = LabelFinder()
        # Characters of the lines so far, and the last of them.
        self._length = 0
        self._shown = ""

    @property
    def opened(self) -> bool:
        """Whether a link may have begun on an earlier line."""
        return self._labels.is_open

    def part(self, text: str, *, is_code: bool = False) -> list[Edit]:
        """Return edits that separate the text of such a link from its address, so that users see both.

        Args:
            text: The next line, or a code block, in which no link begins.
            is_code: Whether it is a code block.

        """
        edits: list[Edit] = []
        for found in _BRACKET.finditer(text):
            at = found.start()
            if found[0] == "[":
                self._labels.open(self._length + at, can_start=not is_code)
            elif found[0] == "]":
                is_link = text.startswith("(", at + 1)
                label = self._labels.close(is_link=is_link)
                if label and is_link and label.start < self._length:
                    shown = f"{self._shown}{text[:at]}"[label.start - self._length - at :]
                    edits += self._close(text, at, "" if label.is_joined else shown)
        self._shown = f"{self._shown}{text}\n"[-_MAX_LINK_TEXT_CHARS:]
        self._length += len(text) + 1
        return edits

    def _close(self, text: str, at: int, shown: str) -> list[Edit]:
        """Return the edit for a bracket that closes a link of an earlier line; no text means the end of another."""
        address = _target(text, at + 1, max(find_link_end(text, at + 1, final=True), 0))[1]
        return [(at, at + 1, "] ")] if address and (not shown or names_other_host(shown, address)) else []


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
    for start, middle, end, _ in _links(parsed):
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
    return sorted(set(edits))


def _is_known(url: str, known: tuple[str, ...]) -> bool:
    """Return whether a URL belongs to a known host or to one of its subdomains."""
    address = read_address(url if ":" in url.partition("/")[0] else f"https://{url}")
    host = address.host if address else ""
    return any(host == one or host.endswith(f".{one}") for one in known)


def _as_code(url: str) -> str:
    return f"`{url.replace('`', '%60')}`"
