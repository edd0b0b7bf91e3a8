"""Which host an address leads to, as a browser reads it, and which hosts a text names, as people read it.

A browser is generous: a backslash is a slash, tabs and newlines are not there, what is before the last
`@` is a user's name, `%61` is a letter, `。` is a dot, `0x7f.1` is 127.0.0.1
(https://url.spec.whatwg.org/#host-parsing). People are generous too: for them `bank．com` and `*bank*.com`
are `bank.com`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ..._common.redaction import UNSEEN
from ..tokens import lazy_pattern
from ..word_lists import load_words

__all__ = [
    "Address",
    "is_same_site",
    "may_name_host",
    "names_other_host",
    "read_address",
    "top_level_domains",
]

_SCHEME = re.compile(r"(https?):[\\/]*", re.IGNORECASE)
_AUTHORITY_END = re.compile(r"[/\\?#]")
_PORT = re.compile(r":[0-9]{0,5}\Z")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_PART_OF_IPV4 = re.compile(r"0[xX][0-9a-fA-F]{0,8}|[0-9]{1,11}")
_IGNORED_CHARS = str.maketrans("", "", "\t\n\r")
_DOTS = str.maketrans("。．｡", "...")
_READ_AS_DOTS = str.maketrans(
    dict.fromkeys("。．｡\u0660\u06f0\u0701\u0702\ua4f8\ua60e\U00010a50\U0001d16d", ".")
)
"""Further signs that people take for a dot (https://www.unicode.org/reports/tr39/#Confusable_Detection)."""
_READ_AS_LATIN = str.maketrans("аеорсухіјѕкмтнвԁԛԝһӏοαρνικτυσχγηıɑɡ", "aeopcyxijskmthbdqwhloapviktucxyniag")
"""Letters of others that look like Latin ones, in small letters; a lunate sigma (`ϲ`) is a sigma by then."""
_BACKWARDS = "\u202e"
_UNSEEN = lazy_pattern(f"[{UNSEEN}]+")
_DECORATION = re.compile(r"[*_~|`\\]+")

_WORD = re.compile(r"[\w.-]+")
_SPACED = r"[^\W\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]+"
_LATIN_WORD = lazy_pattern(rf"{_SPACED}(?:[.-]+{_SPACED})*")
"""Without the scripts that set no spaces between words: in `詳細はbank.comへ` people read `bank.com`."""
_AFTER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:[\\/]{1,9}\Z")
_PORT_OR_PATH = re.compile(r":[0-9]|[/\\][^\s/\\]")

_RESERVED = frozenset({"example", "onion", "test"})
"""Endings that are nobody's, but that people take for an address."""
_FILE_ENDINGS = frozenset({"java", "md", "pl", "py", "rs", "sh", "zip"})
"""Endings of files above all: `setup.py` is no address, unless something else says so."""
_CODE_ENDINGS = frozenset({
    "build", "call", "date", "group", "link", "ml", "mm", "mov", "name", "open", "page", "pm", "ps", "run",
    "select", "so", "style", "target", "tf",
})  # fmt: skip
"""Endings of files and of code (`asyncio.run`) too: no address where the link's target ends with them."""
_PRODUCTS = frozenset({"ado.net", "asp.net", "ml.net", "vb.net"})


def top_level_domains() -> frozenset[str]:
    """Return all top-level domains, without those in punycode."""
    return load_words("top_level_domains")


class Address(NamedTuple):
    """Where a link leads: its host, and what it ends with (the last part of its path, or its fragment)."""

    host: str
    tail: str


def read_address(url: str) -> Address | None:
    """Return the address of a web page, as a browser reads it; None for anything else."""
    url = url.strip("".join(map(chr, range(33)))).translate(_IGNORED_CHARS)
    scheme = _SCHEME.match(url)
    if not scheme:
        return None
    end = _AUTHORITY_END.search(url, scheme.end())
    authority = url[scheme.end() : end.start() if end else None]
    host = _plain_host(_PORT.sub("", authority.rpartition("@")[2]))
    tail = re.split(r"[/\\#]", url[end.start() :])[-1] if end else ""
    return Address(host, _unescape(tail).casefold())


def is_same_site(name: str, host: str) -> bool:
    """Return whether a host is the named one or belongs to it: `bank.com` and `login.bank.com`."""
    name, host = name.removeprefix("www."), host.removeprefix("www.")
    return name == host or host.endswith("." + name) or name.endswith("." + host)


def may_name_host(shown: str) -> bool:
    """Return a quick answer for almost all texts: plain words, without a dot or a colon, name no host."""
    return "." in shown or ":" in shown or not shown.isascii()


def names_other_host(shown: str, address: Address) -> bool:
    """Return whether a text names a host to its readers that is not the one of an address."""
    text = _as_read(shown)
    if _BACKWARDS in shown and _names_other(text[::-1], address):
        return True
    return _names_other(text, address)


def _names_other(text: str, address: Address) -> bool:
    for word in _WORD.finditer(text):
        if is_same_site(_plain_host(word[0].strip(".-")), address.host):
            continue
        if any(
            looks_like_host(name, text, start, address.tail)
            and not is_same_site(_plain_host(name), address.host)
            for name, start in _names(word)
        ):
            return True
    return False


def looks_like_host(name: str, text: str, start: int, tail: str) -> bool:
    """Return whether people take a name that is at `start` in a text for an address."""
    rest, _, ending = name.rpartition(".")
    if not ending.isascii() and any("a" <= letter <= "z" for letter in rest + ending):
        ending = ending.translate(_READ_AS_LATIN)
    end = start + len(name)
    if _AFTER_SCHEME.search(text, max(0, start - 32), start):
        return True
    if "." not in name or name in _PRODUCTS:
        return False
    if name.startswith("www.") or (_is_ending(ending) and _PORT_OR_PATH.match(text, end)):
        return True
    if ending in _FILE_ENDINGS or (ending in _CODE_ENDINGS and tail.endswith(name)):
        return False
    return _is_ending(ending) or _is_ipv4(name)


def _names(word: re.Match[str]) -> Iterator[tuple[str, int]]:
    """Return the names in a word, each with its place in the text."""
    found = False
    for part in _LATIN_WORD.finditer(word.string, word.start(), word.end()):
        found = True
        yield part[0].strip(".-"), part.start()
    if not found:
        yield word[0].strip(".-"), word.start()


def _as_read(shown: str) -> str:
    """Return a text as people read it: without decoration, in plain letters."""
    text = unicodedata.normalize("NFKC", _DECORATION.sub("", _UNSEEN.sub("", shown)))
    return text.translate(_READ_AS_DOTS).casefold()


def _is_ending(label: str) -> bool:
    return label in top_level_domains() or label in _RESERVED or label.startswith("xn--")


def _plain_host(host: str) -> str:
    """Return a host in the one form in which two can be compared: small Unicode letters, numbers as four parts."""
    host = _UNSEEN.sub("", unicodedata.normalize("NFKC", _unescape(host))).translate(_DOTS).casefold()
    labels = [_decode_label(label) for label in host.removesuffix(".").split(".")]
    return _ipv4(labels) or ".".join(labels)


def _decode_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _unescape(text: str) -> str:
    def decode(found: re.Match[str]) -> str:
        return bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace")

    return _ESCAPES.sub(decode, text)


def _is_ipv4(name: str) -> bool:
    parts = name.split(".")
    return len(parts) == 4 and all(part.isdecimal() and len(part) < 4 and int(part) < 256 for part in parts)


def _ipv4(labels: list[str]) -> str:
    """Numbers as browsers read them, in one to four parts, of base 8, 10 or 16; empty if it is none."""
    if not 0 < len(labels) <= 4 or not all(_PART_OF_IPV4.fullmatch(label) for label in labels):
        return ""
    try:
        *heads, last = [_number(label) for label in labels]
    except ValueError:
        return ""
    if any(part > 255 for part in heads) or last >= 256 ** (4 - len(heads)):
        return ""
    value = sum(part << (24 - 8 * place) for place, part in enumerate(heads)) + last
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _number(label: str) -> int:
    if label[:2] in {"0x", "0X"}:
        return int(label[2:] or "0", 16)
    return int(label, 8) if len(label) > 1 and label[0] == "0" else int(label)
