"""Where the configuration comes from: tables of the file, and variables of the environment.

A table becomes a frozen class by the annotations of its fields (`streamcord._common.fields`); an error names
the file. Secrets come from the environment only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, is_dataclass
from typing import Any, TypeVar, get_args

from streamcord import SettingsError
from streamcord.settings import FieldSpec, convert, fields_of, unknown_key
from streamcord.utils import find_secrets

__all__ = [
    "KEY_NAME",
    "SECRET_KEYS",
    "STORE_NAME",
    "TOKEN_NAME",
    "ConfigError",
    "check_locale",
    "check_variable",
    "log_overrides",
    "read_table",
    "setting_overrides",
    "tool_overrides",
]

T = TypeVar("T")


TOKEN_NAME = "DISCORD_TOKEN"  # noqa: S105  (a name, not a token)
KEY_NAME = "STREAMCORD_API_KEY"
"""Where the key is looked for if the provider has no name of its own for it."""
STORE_NAME = "STREAMCORD_STORE"


SECRET_KEYS = frozenset({"api_key", "apikey", "key", "password", "secret", "token"})
"""Whoever writes one of these into the file is told where secrets belong; the value is never quoted."""


class ConfigError(SettingsError):
    """The configuration cannot be used; names the file, the key and what is allowed."""

    def __init__(self, file: str, key: str, allowed: str, *value: object) -> None:
        super().__init__(key, allowed, *value)
        self.args = (f"{file}: {self}",)
        self.file = file

    @classmethod
    def of(cls, error: SettingsError, file: str, prefix: str = "") -> ConfigError:
        """The same error with the name of the file, and of the table before the field."""
        made = cls(file, prefix + error.field, error.allowed)
        made.args = (f"{file}: {prefix}{error}",)
        return made


_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")


LANGUAGES = ("en", "de", "es", "fr", "ja", "pt", "zh")


def check_locale(locale: str) -> None:
    """Refuse a language that the bot does not speak; `de-AT` is German."""
    if locale.partition("-")[0].lower() not in LANGUAGES:
        raise SettingsError("locale", "one of " + ", ".join(LANGUAGES), locale)


def check_variable(field: str, name: str) -> None:
    """Refuse what is no name of an environment variable, without quoting it: it may be the key itself."""
    if name and (not _VARIABLE.fullmatch(name) or find_secrets(name)):
        allowed = (
            "the name of an environment variable in capitals, such as OPENAI_API_KEY; never the key itself"
        )
        raise SettingsError(field, allowed)


# --- Tables of the file --------------------------------------------------------------------------------


def read_table(cls: type[T], file: str, where: str, table: object, /, **given: object) -> T:
    """An instance of `cls` from a table of the file; `given` are fields that the file does not hold."""
    if not isinstance(table, Mapping):
        raise ConfigError(file, where, "a table", table)
    specs = {name: spec for name, spec in fields_of(cls).items() if name not in given}
    values = dict(given)
    for key, value in table.items():
        name = f"{where}.{key}" if where else str(key)
        if str(key).lower() in SECRET_KEYS:
            raise ConfigError(file, name, "left out: a secret belongs into the environment, not into a file")
        with _named(file):
            if key not in specs:
                raise unknown_key(where or "the file", key, _names_in_file(cls, given))
            values[str(key)] = _read_value(specs[key], file, name, value)
    for name, spec in specs.items():
        if spec.default is MISSING and name not in values:
            raise ConfigError(file, f"{where}.{name}".lstrip("."), "there")
    with _named(file, f"{where}." if where else ""):
        return cls(**values)


def _names_in_file(cls: type[object], given: Mapping[str, object]) -> list[str]:
    """The keys that a table of the file may have; some are read apart, some come from elsewhere."""
    elsewhere = {*SECRET_KEYS, "file", "overrides", *({"name", "model"} & given.keys())}
    return [name for name in fields_of(cls) if name not in elsewhere]


def _read_value(spec: FieldSpec, file: str, name: str, value: object) -> Any:  # noqa: ANN401
    """A value of the file as its field wants it; tables within tables name their whole path in errors."""
    inner = next(iter(get_args(spec.hint)), None)
    if is_dataclass(spec.hint):
        return read_table(spec.hint, file, name, value)  # type: ignore[arg-type]
    if is_dataclass(inner) and isinstance(value, list):
        return tuple(read_table(inner, file, name, one) for one in value)  # type: ignore[arg-type]
    return convert(spec, name, value, quoted=True)


@contextmanager
def _named(file: str, prefix: str = "") -> Iterator[None]:
    """Errors about settings name the file too."""
    try:
        yield
    except ConfigError:
        raise
    except SettingsError as error:
        raise ConfigError.of(error, file, prefix) from error


# --- Variables of the environment ----------------------------------------------------------------------


def setting_overrides(file: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Fields of `Settings` that the environment decides."""
    return _read(file, environment, _SETTINGS)


def tool_overrides(file: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Keys of `[tools]` that the environment decides."""
    return _read(file, environment, _TOOLS)


def log_overrides(file: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Keys of `[log]` that the environment decides."""
    return _read(file, environment, _LOG)


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
    """`false` turns the whole search off."""
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

_LOG: tuple[_Row, ...] = (
    ("STREAMCORD_METRICS_PORT", "metrics_port", _whole, "a whole number"),
    ("STREAMCORD_METRICS_HOST", "metrics_host", str, "an IP address"),
)


def _read(file: str, environment: Mapping[str, str], rows: tuple[_Row, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, key, read, allowed in rows:
        text = environment.get(name, "").strip()
        if not text:
            continue
        try:
            values[key] = read(text)
        except (KeyError, ValueError):
            raise ConfigError(file, f"{name} of the environment", allowed, text) from None
    return values
