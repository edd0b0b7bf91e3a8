"""Keeps the secret between us and the provider: where it may travel, and that no error quotes it."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address
from typing import TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from .._errors import ProviderError, SettingsError

__all__ = ["check_base_url", "check_line", "check_proxy", "is_loopback", "joined", "masked", "secrets_in"]

MASK = "***"
SECRET_LENGTH = 4

_Error = TypeVar("_Error", bound=ProviderError)


def check_base_url(text: str, *, allow_http: bool = False) -> SplitResult:
    """The base URL, if the secret is safe on its way there."""
    url = _split("base_url", text)
    if url.username is not None or url.password is not None:
        raise SettingsError("base_url", "without a name and password: secrets belong into key", MASK)
    if url.scheme == "http" and not allow_http and not is_loopback(url.hostname or ""):
        where = f"http://{url.hostname}"
        raise SettingsError("base_url", "https, or on this machine, or allowed by allow_http", where)
    return url


def check_proxy(text: str) -> SplitResult:
    """The address of a proxy, which may hold a name and a password."""
    return _split("proxy", text)


def check_line(name: str, value: str, *, spaces: bool = False) -> None:
    """Refuse what cannot stand in a header, and do not quote it."""
    least = " " if spaces else "!"
    if not all(least <= letter <= "~" for letter in value):
        raise SettingsError(name, "visible ASCII without spaces or line breaks", "a text with others")


def joined(base: SplitResult, path: str) -> str:
    """The address of a path behind the base URL; both may have a query."""
    suffix, _, query = path.partition("?")
    queries = "&".join(filter(None, (base.query, query)))
    return urlunsplit((base.scheme, base.netloc, f"{base.path.rstrip('/')}/{suffix}", queries, ""))


def secrets_in(url: SplitResult) -> list[str]:
    """What nobody should read in an address: its password, and whatever its query says."""
    password = url.password or ""
    return [password, unquote(password), *(value for _, value in parse_qsl(url.query))]


def masked(error: _Error, secrets: Iterable[str]) -> _Error:
    """The error without the secrets, and without the frames that saw them."""
    for secret in sorted(set(secrets), key=len, reverse=True):
        if len(secret) >= SECRET_LENGTH:
            error.args = tuple(str(arg).replace(secret, MASK) for arg in error.args)
            error.user_message = error.user_message.replace(secret, MASK)
    return error.with_traceback(None)


def _split(name: str, text: str) -> SplitResult:
    try:
        url = urlsplit(text)
        clean = text.isprintable() and " " not in text
        if clean and url.scheme in {"http", "https"} and url.hostname and url.port != 0:
            return url
    except ValueError:
        pass
    raise SettingsError(name, "an address like https://host/v1", "something else" if text else "nothing")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
