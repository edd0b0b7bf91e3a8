"""Find addresses that consist of numbers: IPv4 in every form that browsers read, and IPv6.

A browser reads `0x7f.1` and `2130706433` as 127.0.0.1 (https://url.spec.whatwg.org/#concept-ipv4-parser), but most
numbers in a text are versions, sections, dates, prices or ratios. So a number with fewer than four parts is an
address only with a sign of one: a hexadecimal or octal part, or, if it is all there is, a port, a path or 127 before
the first dot. A single number is one if it is all there is. `1.1`, `3.14` and `1.2.3` stay numbers: no browser visits
them without a scheme. The text of a citation, `1`, is none: it would be 0.0.0.1, and nothing has an address in
0.0.0.0/8 (https://www.rfc-editor.org/rfc/rfc1122#section-3.2.1.3).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

_PART = r"(?:0x[0-9a-f]{0,64}|[0-9]{1,64})"
_PART_OF_IPV4 = re.compile(_PART, re.IGNORECASE)
_NUMBER = re.compile(
    rf"(?<![0-9a-z_])(?<![0-9a-z_]\.)(?<![^/\\][/\\])(?P<host>{_PART}(?:\.{_PART}){{0,3}})(?![0-9a-z_]|\.[0-9a-z])\.?"
    r"(?P<port>:[0-9]{2,5}(?![0-9]))?(?P<path>[/\\](?:[^\W\d_]\S*|(?!\S)))?"
)
"""A number that may be an address; a port has two digits, since `4.5:1` is a ratio, and a path no digit first."""
_IPV6 = re.compile(
    r"\[(?P<enclosed>[0-9a-f:.]{2,45})\]|(?<![\w:.])(?P<bare>[0-9a-f.]*(?::[0-9a-f.]*){2,8})(?!\w)"
)
_OCTAL = re.compile("0[0-7]{2}")
"""The start of an octal number that is no day of a date."""
_WORD = re.compile(r"\w")
_QUANTITY_SIGNS = frozenset("%‰°+-−±≈~#№§×")
"""Beside a number they say that it is an amount or a reference; so does every currency sign."""


def find_numeric_hosts(text: str) -> Iterator[str]:
    """Yield the numeric hosts in a text in canonical form.

    Args:
        text: Text in lower case, folded by Unicode compatibility.

    Example:
        >>> list(find_numeric_hosts("see [::1], 0x7f.1 and chapter 3.2"))
        ['[::1]', '127.0.0.1']

    """
    for found in _IPV6.finditer(text):
        bare = found["bare"]
        # `abc::def` is a name of C++ or Rust rather than an address.
        if bare is None or any(map(str.isdigit, bare)):
            yield from filter(None, [plain_ipv6(f"[{found['enclosed'] or bare}]")])
    for found in _NUMBER.finditer(text):
        host = plain_ipv4(found["host"].split("."))
        if host and not host.startswith("0.") and _is_address(found):
            yield host


def _is_address(found: re.Match[str]) -> bool:
    """Return whether a number is an address by its form, by what follows it, or because it is all there is."""
    parts, text = found["host"].split("."), found.string
    if len(parts) == 4:
        return True
    if len(parts) > 1 and (_OCTAL.match(parts[0]) or any(part.startswith("0x") for part in parts)):
        return True
    if len(parts) == 1 and (found["port"] or found["path"]):
        return True
    # `17.2/iPadOS` and `127.5 million` are versions and amounts, if there are words beside them.
    if _WORD.search(text, 0, found.start()) or _WORD.search(text, found.end()):
        return False
    around = text[max(0, found.start() - 1) : found.start()] + text[found.end() : found.end() + 1]
    if any(sign in _QUANTITY_SIGNS or unicodedata.category(sign) == "Sc" for sign in around):
        return False
    return len(parts) == 1 or parts[0] == "127" or bool(found["port"] or found["path"])


def plain_ipv6(host: str) -> str:
    """Return an IPv6 address in brackets in canonical form, or "" if it is none or the unspecified address."""
    try:
        address = IPv6Address(host[1:-1])
    except AddressValueError:
        return ""
    return f"[{address.compressed}]" if int(address) else ""


def plain_ipv4(labels: list[str]) -> str:
    """Return a numeric address as browsers read it (1 to 4 parts, base 8, 10 or 16), or ""."""
    if not 0 < len(labels) <= 4 or not all(_PART_OF_IPV4.fullmatch(label) for label in labels):
        return ""
    try:
        *heads, last = [_number(label) for label in labels]
    except ValueError:
        return ""
    # All parts but the last are single bytes; the last one fills the rest.
    if any(part > 255 for part in heads) or last >= 256 ** (4 - len(heads)):
        return ""
    value = sum(part << (24 - 8 * place) for place, part in enumerate(heads)) + last
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _number(label: str) -> int:
    if label[:2] in {"0x", "0X"}:
        return int(label[2:] or "0", 16)
    return int(label, 8) if len(label) > 1 and label[0] == "0" else int(label)
