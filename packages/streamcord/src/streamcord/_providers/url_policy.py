"""Check addresses and header values: a secret may only be sent over https, or to this machine."""

from __future__ import annotations

from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from .._common.hosts import is_local_host
from .._exceptions import SettingsError


def check_base_url(text: str, *, allow_http: bool = False) -> SplitResult:
    """Parse a base URL and check that a secret is safe on its way there.

    Args:
        text: The URL.
        allow_http: Whether plain http to another machine is allowed.

    Raises:
        SettingsError: It is not an address, contains a password, or uses http without permission.

    """
    url = _split("base_url", text)
    if url.username is not None or url.password is not None:
        raise SettingsError("base_url", "without a name and password: secrets belong into key", "***")
    if url.scheme == "http" and not allow_http and not is_local_host(url.hostname or ""):
        where = f"http://{url.hostname}"
        raise SettingsError("base_url", "https, or on this machine, or allowed by allow_http", where)
    return url


def check_proxy(text: str) -> SplitResult:
    """Parse the address of a proxy, which may contain a name and a password."""
    return _split("proxy", text)


def check_header_value(name: str, value: str, *, spaces: bool = False) -> None:
    """Check that a value can be sent in a header; the error does not quote it, since it may be a secret.

    Raises:
        SettingsError: It contains control characters, non-ASCII characters, or spaces without `spaces`.

    """
    lowest = " " if spaces else "!"
    if not all(lowest <= letter <= "~" for letter in value):
        raise SettingsError(name, "visible ASCII without spaces or line breaks", "a text with others")


def secrets_in(url: SplitResult) -> list[str]:
    """Return the parts of a URL that must not be logged: its password and the values of its query."""
    password = url.password or ""
    return [password, unquote(password), *(value for _, value in parse_qsl(url.query))]


def _split(name: str, text: str) -> SplitResult:
    try:
        url = urlsplit(text)
        clean = text.isprintable() and " " not in text
        if clean and url.scheme in {"http", "https"} and url.hostname and url.port != 0:
            return url
    except ValueError:
        pass
    # The text is not quoted: it may be a key at the wrong place.
    raise SettingsError(
        name, "an address like https://host/v1" if text else "set: an address like https://host/v1"
    )
