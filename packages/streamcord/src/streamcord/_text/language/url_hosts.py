"""Read the host of a URL as a browser does, and the hosts in a text as people do.

Browsers are lenient: a backslash is a slash, tabs and newlines are ignored, text before the last `@` is a user
name, `%61` is a letter, `。` is a dot, and `0x7f.1` is 127.0.0.1
(https://url.spec.whatwg.org/#host-parsing). People are lenient too: they read `bank．com` and `*bank*.com` as
`bank.com`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ..._common.redaction import UNSEEN
from ..tokens import lazy_pattern
from ..word_lists import load_words
from .numeric_hosts import find_numeric_hosts, plain_ipv4, plain_ipv6

_SCHEME = re.compile(r"(https?):[\\/]*", re.IGNORECASE)
_AUTHORITY_END = re.compile(r"[/\\?#]")
_PORT = re.compile(r":[0-9]{0,5}\Z")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_IGNORED_CHARS = str.maketrans("", "", "\t\n\r")
_DOTS = str.maketrans("。．｡", "...")
_READ_AS_SIGNS = str.maketrans(
    dict.fromkeys(
        "。．｡\u0660\u06f0\u0701\u0702\ua4f8\ua60e\U00010a50\U0001d16d" + "·•‧∙⋅⸱⸳・･᛫ꞏ․﹒˙ᐧ։\u06d4", "."
    )
    | dict.fromkeys("：∶ː˸꞉︰׃", ":")
    | dict.fromkeys("／⁄∕╱⟋⧸ⳇ", "/")
    | {"℮": "e"}
)
"""Further signs that look like those of an address (https://www.unicode.org/reports/tr39/#Confusable_Detection)."""
_READ_AS_LATIN = str.maketrans(
    "аеорсухіјѕкмтнвԁԛԝһӏοαρνικτυσχγηıɑɡօհսո", "aeopcyxijskmthbdqwhloapviktucxyniagohun"
)
"""Lowercase letters of other scripts that look like Latin ones; NFKC has turned `ϲ` into a sigma."""
_BACKWARDS = "\u202e"
_UNSEEN = lazy_pattern(f"[{UNSEEN}]+")
# Discord shows a backslash before these letters; in an address it separates the path: `bank.com\login`.
_DECORATION = re.compile(r"(?:[*_~`]|\\(?![0-9A-Za-z]))+|\|\|+")
_SEPARATING = re.compile(r"[*~`|\\]+")
_HOST_AFTER_SIGNS = re.compile(
    r"(?:(?:https?|hxxps?|ftp):[\\/]{0,9}|:[\\/]{2,9})(?P<host>[^\s/\\?#]+)"
    r"|(?<![\w:/\\])[\\/]{2}(?P<dotted>[^\s/\\?#.]+\.[^\s/\\?#]+)"
)
"""What a browser reads as an address whatever its letters are; without a scheme it has a dot."""
_LOCAL = re.compile(r"(?<![0-9a-z_-])(?<![0-9a-z_]\.)localhost(?::[0-9]{2,5}|[/\\])")
"""This machine: alone it is a word of computing, with a port or a path it is an address."""
# Without a dot, a colon or a path, an address is a number: of eight digits at least, or hexadecimal.
_OF_HOSTS = re.compile(r"[.:%/\\\x80-\U0010ffff]|0[^0-9A-Za-z]*[xX]|(?:[0-9][^0-9]*){8}")
MAX_SIGNS_AT_END = 3
_FOLDED_SIGNS = ("<super>", "<sub>", "<circle>", "<square>", "<fraction>", "<compat>")
"""Decompositions of signs that a person does not read as letters of the word before them: `bank.com™`."""

# `\w` lacks the vowel signs of Indic and other scripts.
_WORD = re.compile(
    r"[\w.\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0eff\u1000-\u109f\u1780-\u17d3-]+"
)
MAX_UNSPACED_ENDING_CHARS = 5
_UNSPACED_LETTERS = r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]"
_UNSPACED = re.compile(_UNSPACED_LETTERS)
_UNSPACED_AFTER_LATIN = re.compile(rf"(?<=[a-z]){_UNSPACED_LETTERS}.*", re.DOTALL)
_SPACED = (
    r"(?:[^\W\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]"
    r"|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff\u1000-\u109f\u1780-\u17d3])+"
)
_LATIN_WORD = lazy_pattern(rf"{_SPACED}(?:[.-]+{_SPACED})*")
"""A word without scripts that set no spaces: in `詳細はbank.comへ` people read `bank.com`."""
_AFTER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:[\\/]{1,9}\Z")
_PORT_OR_PATH = re.compile(r":[0-9]|[/\\][^\s/\\]")

_RESERVED = frozenset({
    "example", "localhost", "onion", "test",
    "テスト", "测试", "測試", "테스트", "испытание", "परीक्षा", "δοκιμή", "إختبار", "טעסט",
})  # fmt: skip
"""Endings that are not registered, but look like an address."""
_FILE_ENDINGS = frozenset({"java", "md", "py", "rs", "sh", "zip"})
"""Endings that are mostly file extensions: `setup.py` is no address without further evidence."""
_CODE_ENDINGS = frozenset({
    "build", "call", "date", "group", "link", "ml", "mm", "mov", "name", "open", "page", "pl", "pm", "ps", "run",
    "select", "so", "style", "target", "tf",
})  # fmt: skip
"""Endings that are also file extensions or methods (`asyncio.run`): no address if the target ends so."""
_PRODUCTS = frozenset({"ado.net", "asp.net", "ml.net", "vb.net"})


def top_level_domains() -> frozenset[str]:
    """Return all top-level domains, without those in punycode."""
    return load_words("top_level_domains")


class Address(NamedTuple):
    """The host of a link, and the last part of its path or fragment (`tail`)."""

    host: str
    tail: str


def read_address(url: str) -> Address | None:
    """Return the address of a web page as a browser reads it, or None for anything else."""
    # Browsers strip C0 controls and spaces, and ignore tabs and newlines inside.
    url = url.strip("".join(map(chr, range(33)))).translate(_IGNORED_CHARS)
    scheme = _SCHEME.match(url)
    if not scheme:
        return None
    end = _AUTHORITY_END.search(url, scheme.end())
    authority = url[scheme.end() : end.start() if end else None]
    # Everything before the last `@` is a user name, a common trick in phishing.
    host = _plain_host(_PORT.sub("", authority.rpartition("@")[2]))
    tail = re.split(r"[/\\#]", url[end.start() :])[-1] if end else ""
    return Address(host, _unescape(tail).casefold())


def is_same_site(name: str, host: str) -> bool:
    """Return whether a host equals the named one or one is a subdomain of the other."""
    name, host = name.removeprefix("www."), host.removeprefix("www.")
    return name == host or host.endswith("." + name) or name.endswith("." + host)


def may_name_host(shown: str) -> bool:
    """Return whether a text may name a host: a fast check that rejects plain words."""
    return _OF_HOSTS.search(shown) is not None


def names_other_host(shown: str, address: Address, *, numbers: bool = True) -> bool:
    """Return whether a text names a host, as people or browsers read it, that differs from the address.

    Args:
        shown: The text, such as the label of a link.
        address: The host to which it leads.
        numbers: Whether a number may be a host, too.

    """
    for text in _readings(shown):
        # A right-to-left override shows the text reversed.
        if _BACKWARDS in shown and _names_other(text[::-1], address, numbers=numbers):
            return True
        if _names_other(text, address, numbers=numbers):
            return True
    return False


def _readings(shown: str, *, unescape: bool = True) -> Iterator[str]:
    """Yield a text in every way in which it may be read, in lower case and with `.` for every dot.

    Browsers fold compatibility characters (https://www.unicode.org/reports/tr46/), people may read a small sign
    as itself, as a dot or not at all.
    """
    visible = _UNSEEN.sub("", shown)
    plain = _DECORATION.sub("", visible)
    if unescape and "%" in visible:
        # A marker may be inside of `%2E`.
        for text in dict.fromkeys((visible, plain)):
            for unescaped in {_unescape(text), _unescape(unicodedata.normalize("NFKC", text))}:
                if unescaped != text:
                    yield from _readings(unescaped, unescape=False)
    texts = [plain, unicodedata.normalize("NFKC", plain)]
    if _SEPARATING.search(visible):
        texts.append(unicodedata.normalize("NFKC", _DECORATION.sub("", _SEPARATING.sub(" ", visible))))
    if not plain.isascii():
        signs = {letter for letter in plain if unicodedata.decomposition(letter).startswith(_FOLDED_SIGNS)}
        for instead in (" ", ".") if signs else ():
            text = plain.translate({ord(sign): instead for sign in signs})
            texts.append(unicodedata.normalize("NFKC", text))
        # In `ⓑank.ⓒom™` some are letters, and those at the end of the word are not.
        for count in range(1, MAX_SIGNS_AT_END + 1) if signs else ():
            kinds = re.escape("".join(sorted(signs)))
            at_end = rf"[{kinds}]{{{count}}}(?![\w.{kinds}])"
            text = re.sub(at_end, " ", plain.translate(_READ_AS_SIGNS))
            texts.append(unicodedata.normalize("NFKC", text))
    for text in dict.fromkeys(texts):
        yield text.translate(_READ_AS_SIGNS).casefold()


def _names_other(text: str, address: Address, *, numbers: bool) -> bool:
    """Return whether any word is another host."""
    # Whatever follows `https:` or `://` is an address, in every script.
    latin = text.translate(_READ_AS_LATIN)
    for found in _HOST_AFTER_SIGNS.finditer(latin):
        named = text[slice(*found.span("host" if found["host"] else "dotted"))]
        host = _plain_host(_PORT.sub("", named.rpartition("@")[2]).rstrip(".,;!?)}\"'”’»"))
        if host and not is_same_site(host, address.host):
            return True
    if numbers and any(host != address.host for host in find_numeric_hosts(latin)):
        return True
    if _LOCAL.search(latin) and not is_same_site("localhost", address.host):
        return True
    for word in _WORD.finditer(text):
        if is_same_site(_plain_host(word[0].strip(".-")), address.host):
            continue
        whole, *parts = [
            (name, start, is_same_site(_plain_host(name), address.host)) for name, start in _names(word)
        ]
        # In `詳細はevil.example` the whole word is no host.
        names = parts if any(same and "." in name for name, _, same in parts) else [whole, *parts]
        if any(not same and looks_like_host(name, text, start, address.tail) for name, start, same in names):
            return True
    return False


def looks_like_host(name: str, text: str, start: int, tail: str) -> bool:
    """Return whether people read a name at `start` in a text as a host."""
    rest, _, ending = name.rpartition(".")
    # In `今すぐ例え.jpへ` the ending is `jp`.
    ending = _UNSPACED_AFTER_LATIN.sub("", ending)
    if not _is_ending(ending) and any("a" <= letter <= "z" for letter in rest + ending):
        ending = ending.translate(_READ_AS_LATIN)
    end = start + len(name)
    if _AFTER_SCHEME.search(text, max(0, start - 32), start):
        return True
    if "." not in name or name in _PRODUCTS:
        return False
    if name.startswith("www.") or (_is_ending(ending) and _PORT_OR_PATH.match(text, end)):
        return True
    if ending in _FILE_ENDINGS:
        return False
    # `asyncio.run()` is a call, and so is `asyncio.run` if the link leads to its page.
    if ending in _CODE_ENDINGS and (tail.endswith(name) or text.startswith("()", end)):
        return False
    return _is_ending(ending)


def _names(word: re.Match[str]) -> Iterator[tuple[str, int]]:
    """Yield the names in a word, with their positions in the text."""
    name = word[0].strip(".-")
    yield name, word.start()
    for part in _LATIN_WORD.finditer(word.string, word.start(), word.end()):
        if part[0] != name:
            yield part[0].strip(".-"), part.start()


def _is_ending(label: str) -> bool:
    if label in top_level_domains() or label in _RESERVED or label.startswith("xn--"):
        return True
    # Words that set no spaces may follow the address: `去example.中国看`.
    return bool(_UNSPACED.match(label)) and any(
        label[:length] in top_level_domains() for length in range(2, MAX_UNSPACED_ENDING_CHARS + 1)
    )


def _plain_host(host: str) -> str:
    """Return a host in canonical form: lowercase Unicode, and numeric addresses as four parts."""
    host = _UNSEEN.sub("", unicodedata.normalize("NFKC", _unescape(host))).translate(_DOTS).casefold()
    if host.startswith("["):
        return plain_ipv6(host) or host
    labels = [_decode_label(label) for label in host.removesuffix(".").split(".")]
    return plain_ipv4(labels) or ".".join(labels)


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
