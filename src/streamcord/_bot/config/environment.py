"""Names of the environment: where secrets are, and what the seeds' own names mean here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .toml_tables import ConfigError

__all__ = ["KEY_NAME", "STORE_NAME", "TOKEN_NAME", "setting_overrides", "tool_overrides"]

TOKEN_NAME = "DISCORD_TOKEN"  # noqa: S105  (a name, not a token)
KEY_NAME = "STREAMCORD_API_KEY"
"""Where the key is looked for if the provider has no name of its own for it."""
STORE_NAME = "STREAMCORD_STORE"


def setting_overrides(file: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Fields of `Settings` that the environment decides."""
    return _read(file, environment, _SETTINGS)


def tool_overrides(file: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Keys of `[tools]` that the environment decides."""
    return _read(file, environment, _TOOLS)


def _whole(text: str) -> int:
    return int(text)


def _flag(text: str) -> bool:
    words = {
        "true": True,
        "1": True,
        "yes": True,
        "on": True,
        "false": False,
        "0": False,
        "no": False,
        "off": False,
    }
    return words[text.lower()]


def _milliseconds(text: str) -> float:
    return int(text) / 1000


def _lookback(text: str) -> int:
    """The seeds turn the whole search off by `false`."""
    return _DEFAULT_LOOKBACK if _flag(text) else 0


_DEFAULT_LOOKBACK = 5
_Row = tuple[str, str, Callable[[str], object], str]
# Later rows win: how far to look back says more than whether to.
_SETTINGS: tuple[_Row, ...] = (
    ("EMOJI_UNIQUE_ENABLED", "emoji_unique_lookback", _lookback, "true or false"),
    ("EMOJI_UNIQUE_LOOKBACK", "emoji_unique_lookback", _whole, "a whole number"),
    ("EMOJI_RUN_PREFIX_LENGTH", "emoji_run_prefix_length", _whole, "a whole number"),
    (
        "EMOJI_PRESERVE_UNRESOLVED_SHORTCODES",
        "emoji_preserve_unresolved_shortcodes",
        _flag,
        "true or false",
    ),
    ("STREAM_SDK_CALL_TIMEOUT_MS", "idle_timeout", _milliseconds, "a whole number of milliseconds"),
)
_TOOLS: tuple[_Row, ...] = (
    ("TOOL_EXECUTION_TIMEOUT_MS", "timeout", _milliseconds, "a whole number of milliseconds"),
)


def _read(file: str, environment: Mapping[str, str], rows: tuple[_Row, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, key, convert, allowed in rows:
        text = environment.get(name, "").strip()
        if not text:
            continue
        try:
            values[key] = convert(text)
        except (KeyError, ValueError):
            raise ConfigError(file, f"{name} of the environment", allowed, text) from None
    return values
