"""Read tables of the configuration file and variables of the environment into configuration values.

`read_table` converts a table to a dataclass by the annotations of its fields. Errors name the file and the key.
Secrets come from the environment only.
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

T = TypeVar("T")


TOKEN_NAME = "DISCORD_TOKEN"  # noqa: S105  (a name, not a token)
KEY_NAME = "STREAMCORD_API_KEY"
"""The variable of the API key for providers that have no usual name for it."""
STORE_NAME = "STREAMCORD_STORE"


SECRET_KEYS = frozenset(
    {"api_key", "api_keys", "apikey", "key", "keys", "more_keys", "password", "secret", "token"}
)
"""Keys that are refused in the file: the error says where secrets belong and never quotes the value."""


class ConfigError(SettingsError):
    """The configuration cannot be used; names the file, the key and the allowed values."""

    def __init__(self, file: str, key: str, allowed: str, *value: object) -> None:
        super().__init__(key, allowed, *value)
        self.args = (f"{file}: {self}",)
        self.file = file

    @classmethod
    def of(cls, error: SettingsError, file: str, prefix: str = "") -> ConfigError:
        """Return the same error with the name of the file, and `prefix` before the field."""
        made = cls(file, prefix + error.field, error.allowed)
        made.args = (f"{file}: {prefix}{error}",)
        return made


# Capitals only: a key or token pasted here by mistake is recognized as such.
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")


# The files in `locales/`.
LANGUAGES = ("en", "de", "es", "fr", "ja", "ko", "pt", "ru", "zh")


def check_locale(locale: str) -> None:
    """Raise `SettingsError` for a language without translations; `de-AT` counts as `de`."""
    if locale.partition("-")[0].lower() not in LANGUAGES:
        raise SettingsError("locale", "one of " + ", ".join(LANGUAGES), locale)


def check_variable(field: str, name: str) -> None:
    """Raise `SettingsError` for an invalid variable name, without quoting it: it may be the key itself."""
    if name and (not _VARIABLE.fullmatch(name) or find_secrets(name)):
        allowed = (
            "the name of an environment variable in capitals, such as OPENAI_API_KEY; never the key itself"
        )
        raise SettingsError(field, allowed)


# --- Tables of the file --------------------------------------------------------------------------------


def read_table(cls: type[T], file: str, where: str, table: object, /, **given: object) -> T:
    """Build an instance of `cls` from a table of the file.

    Args:
        cls: the dataclass.
        file: the name of the file, for errors.
        where: the name of the table, for errors.
        table: the parsed table.
        given: fields that do not come from the file.

    Raises:
        ConfigError: a key is unknown, missing, a secret, or has a wrong value.

    """
    if not isinstance(table, Mapping):
        raise ConfigError(file, where, "a table", table)
    specs = {name: spec for name, spec in fields_of(cls).items() if name not in given}
    values = dict(given)
    for key, value in table.items():
        name = f"{where}.{key}" if where else str(key)
        # Checked first, so that no later error can quote the secret.
        if str(key).lower() in SECRET_KEYS:
            raise ConfigError(file, name, "left out: a secret belongs into the environment, not into a file")
        with _named(file):
            if key not in specs:
                raise unknown_key(where or "the file", key, _names_in_file(cls, given))
            values[str(key)] = _read_value(specs[key], file, name, value)
    for name, spec in specs.items():
        if spec.default is MISSING and name not in values:
            raise ConfigError(file, f"{where}.{name}".lstrip("."), "present")
    with _named(file, f"{where}." if where else ""):
        return cls(**values)


def _names_in_file(cls: type[object], given: Mapping[str, object]) -> list[str]:
    """Return the keys that a table of the file may have, to suggest one for a misspelled key."""
    # These fields are filled in by the program and are not keys of the file.
    elsewhere = {*SECRET_KEYS, "file", "overrides", *({"name", "model"} & given.keys())}
    return [name for name in fields_of(cls) if name not in elsewhere]


def _read_value(spec: FieldSpec, file: str, name: str, value: object) -> Any:  # noqa: ANN401
    """Convert a value of the file for its field; errors name the whole path of nested tables."""
    inner = next(iter(get_args(spec.hint)), None)
    # A nested table, or a list of tables.
    if is_dataclass(spec.hint):
        return read_table(spec.hint, file, name, value)  # type: ignore[arg-type]
    if is_dataclass(inner) and isinstance(value, list):
        return tuple(read_table(inner, file, name, one) for one in value)  # type: ignore[arg-type]
    return convert(spec, name, value, quoted=True)


@contextmanager
def _named(file: str, prefix: str = "") -> Iterator[None]:
    """Turn a `SettingsError` into a `ConfigError` that names the file."""
    try:
        yield
    except ConfigError:
        raise
    except SettingsError as error:
        raise ConfigError.of(error, file, prefix) from error


# --- Variables of the environment ----------------------------------------------------------------------


def setting_overrides(file: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of `Settings` that the environment sets."""
    return _read(file, environment, _SETTINGS)


def tool_overrides(file: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the keys of `[tools]` that the environment sets."""
    return _read(file, environment, _TOOLS)


def log_overrides(file: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the keys of `[log]` that the environment sets."""
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
    """Return the default look-back, or 0 for `false`, which turns the search off."""
    return _DEFAULT_LOOKBACK_MESSAGES if _flag(text) else 0


_DEFAULT_LOOKBACK_MESSAGES = 5
# Variable, key of the table, parser, and the allowed values in words.
_Row = tuple[str, str, Callable[[str], object], str]
# Later rows win: a look-back distance is more specific than on or off.
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
