"""A masked link whose text looks like an address leads there, or shows where it leads instead.

`[https://bank.example](https://evil.example)` is the oldest trick in chat. Words as text are fine, and so is
the address itself, a part of it, or the name of the file that it ends with.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from ..markup.openers import Mark

if TYPE_CHECKING:
    from ..markup.openers import Span
    from ..passage import Edit
    from ..reading import Reading

__all__ = ["show_targets"]

_ENDS = frozenset({
    "app", "au", "bank", "biz", "br", "ca", "ch", "cn", "co", "com", "de", "dev", "edu", "es", "eu",
    "example", "fr", "gg", "gov", "info", "io", "it", "jp", "kr", "me", "net", "nl", "online", "org", "pl",
    "ru", "se", "shop", "site", "store", "test", "tv", "uk", "us", "xyz",
})  # fmt: skip
"""The last part of a name that is an address without any further sign; `setup.py` and `Node.js` are words."""
_HIDDEN = re.compile(r"[\u200b-\u200f\u2060-\u2064\ufeff\u00ad*_~|`\\<>]+")
_ADDRESS = re.compile(r"(?:([a-z][a-z0-9+.-]{1,20})://)?(?:[^\s/@]{0,256}@)?([^\s/@:?#()]{1,256})")
_TARGET = re.compile(r"<?(https?)://([^\s/?#<>]{1,2000})([^\s<>]*)", re.IGNORECASE)


def show_targets(reading: Reading) -> list[Edit]:
    """Edits that put the real address in the place of links that pretend another one."""
    text = reading.text
    edits: list[Edit] = []
    for span in reading.spans:
        start = _start(text, span)
        middle = text.find("](", start, span.end) if start >= 0 else -1
        target = _TARGET.match(text, middle + 2, span.end - 1) if middle >= 0 else None
        if target and _pretends(text[start + 1 : middle], target):
            edits.append((start, span.end, target[0].lstrip("<")))
    return sorted(edits)


def _start(text: str, span: Span) -> int:
    """Where a link opens, or -1: one whose text begins with an address is read as that address."""
    if span.mark == Mark.LINK:
        return span.start
    return span.start - 1 if span.mark == Mark.URL and text.endswith("[", 0, span.start) else -1


def _pretends(shown: str, target: re.Match[str]) -> bool:
    """Whether the text names a host, and it is not the one that the link leads to."""
    plain = _HIDDEN.sub("", unicodedata.normalize("NFKC", shown)).strip().casefold()
    host = target[2].rpartition("@")[2].partition(":")[0].casefold()
    if target[3].casefold().endswith(plain):
        return False
    return any(_is_foreign(found, host) for found in map(_ADDRESS.match, plain.split()) if found)


def _is_foreign(found: re.Match[str], host: str) -> bool:
    name = found[2].strip(".,;!")
    looks = bool(found[1]) or name.startswith("www.") or (name.rpartition(".")[2] in _ENDS and "." in name)
    name, host = name.removeprefix("www."), host.removeprefix("www.")
    return looks and name != host and not host.endswith("." + name)
