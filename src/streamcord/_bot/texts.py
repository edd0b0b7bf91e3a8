"""What the bot says to people, in their language: a file each in `locales/`, English where a line is missing.

No text quotes an error of a provider or of Discord: those may hold secrets, and help nobody who reads them in
a channel.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from streamcord import (
    ChannelGone,
    ContentBlocked,
    NotAllowed,
    Overloaded,
    ProviderError,
    RateLimited,
    Rejected,
    Truncated,
)

__all__ = ["LOCALES", "find_notice", "read_locale", "translate"]

LOCALES = ("en", "de", "es", "ja")

_NOTICES: tuple[tuple[type[BaseException], str], ...] = (
    (RateLimited, "rate_limited"),
    (Overloaded, "overloaded"),
    (ContentBlocked, "blocked"),
    (Truncated, "truncated"),
    (Rejected, "rejected"),
    (ProviderError, "provider"),
    (TimeoutError, "timeout"),
    (ChannelGone, ""),
    (NotAllowed, ""),
)


@cache
def read_locale(language: str) -> Mapping[str, str]:
    """All texts of a language by their keys; empty if we do not have it."""
    if language not in LOCALES:
        return {}
    return tomllib.loads((files(__package__) / "locales" / f"{language}.toml").read_text(encoding="utf-8"))


def translate(locale: str, key: str, /, **values: object) -> str:
    """The text of a key in a language, or in English, with its gaps filled; `pt-BR` reads as `pt`."""
    language = locale.partition("-")[0].lower()
    return (read_locale(language).get(key) or read_locale("en")[key]).format(**values)


def find_notice(error: BaseException) -> str:
    """The key of the text that tells people of an error; empty if there is nowhere to say it."""
    return next((key for kind, key in _NOTICES if isinstance(error, kind)), "failed")
