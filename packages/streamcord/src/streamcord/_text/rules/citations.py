"""Number the sources of an answer, and write them as small links: a list below the answer, or marks in its text.

Titles and addresses come from web pages, so they are hostile: the host of every link is shown, and a title cannot
be a link, a mention or Markdown.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..._events import Citation
from ..._settings import Settings
from ..language.url_hosts import read_address
from .link_safety import make_links_safe

MAX_CITATIONS = 100
"""Sources of one answer that are kept."""
MAX_LISTED = 10
MAX_TITLE_CHARS = 80
MAX_URL_CHARS = 500
"""A longer address is not shown as a link."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNSAFE_IN_URL = re.compile(r"[\s<>\\\x00-\x1f\x7f]")
_MARKUP = re.compile(r"([\\*_~|`#>@\[\]()])")
# Discord shows `discord.gg/x` as an invitation, and any `https:` as a link.
_SLASHES = str.maketrans({"/": "\u2215", "<": "\u2039", ">": "\u203a"})


class CitationList:
    """The sources of one answer, each once, in the order in which the model named them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # By address, or by title where there is none.
        self._numbers: dict[str, int] = {}
        # Numbers that the text shows already.
        self._marked: set[int] = set()
        self.citations: list[Citation] = []
        """All sources so far."""

    def add(self, citation: Citation) -> str:
        """Add a source; return the mark for the text, or nothing if it goes into the list."""
        key = citation.url or citation.title.strip()
        number = self._numbers.get(key, 0)
        if not key or (not number and len(self.citations) >= MAX_CITATIONS):
            return ""
        if not number:
            number = self._numbers[key] = len(self.citations) + 1
            self.citations.append(citation)
        elif citation.title and not self.citations[number - 1].title:
            self.citations[number - 1] = replace(self.citations[number - 1], title=citation.title)
        target = _target(citation.url)
        if self._settings.citations != "footnotes" or not (citation.is_placed and target):
            return ""
        self._marked.add(number)
        return f"[{str(number).translate(_SUPERSCRIPTS)}](<{target}>)"

    def text(self) -> str:
        """Return the list of all sources that the text does not show; empty if there are none."""
        if self._settings.citations == "off":
            return ""
        listed = [(number, one) for number, one in enumerate(self.citations, 1) if number not in self._marked]
        lines = [_line(number, one) for number, one in listed[:MAX_LISTED]]
        if more := len(listed) - len(lines):
            lines.append(f"-# … and {more} more")
        return make_links_safe("\n".join(lines), self._settings)


def _line(number: int, citation: Citation) -> str:
    title = " ".join("".join(one if one.isprintable() else " " for one in citation.title).split())
    short = title if len(title) <= MAX_TITLE_CHARS else title[: MAX_TITLE_CHARS - 1] + "…"
    shown = _MARKUP.sub(r"\\\1", short.translate(_SLASHES))
    address = read_address(citation.url)
    target = _target(citation.url)
    if not (address and target):
        return f"-# {number}\\. {shown}" if shown else f"-# {number}\\. a source without an address"
    host = address.host.removeprefix("www.")
    name = "" if title.casefold() == host else shown
    return f"-# {number}\\. {name} [{host}](<{target}>)".replace("  ", " ")


def _target(url: str) -> str:
    """Return an address as it may stand in a link; empty if it may not."""
    address = read_address(url)
    is_fit = bool(address and address.host) and len(url) <= MAX_URL_CHARS and not _UNSAFE_IN_URL.search(url)
    return url if is_fit and url.isprintable() else ""
