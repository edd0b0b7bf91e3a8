"""Reads one table of the configuration file into a frozen class, and says plainly what is wrong with it.

What a key may hold follows from the annotation of the field of its name, so that a new setting is one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from streamcord import SettingsError

__all__ = ["SECRET_KEYS", "ConfigError", "read_table", "read_value"]

T = TypeVar("T")

SECRET_KEYS = frozenset({"api_key", "apikey", "key", "password", "secret", "token"})
"""Whoever writes one of these into the file is told where secrets belong; the value is never quoted."""

_NAMES: Mapping[object, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


class ConfigError(SettingsError):
    """The configuration cannot be used; names the file, the key and what is allowed."""

    def __init__(self, file: str, key: str, allowed: str, *value: object) -> None:
        super().__init__(key, allowed, *value)
        self.args = (f"{file}: {self}",)
        self.file = file


def read_table(cls: type[T], file: str, where: str, table: object, /, **given: object) -> T:
    """An instance of `cls` from a table of the file; `given` are fields that the file does not hold."""
    if not isinstance(table, Mapping):
        raise ConfigError(file, where, "a table", table)
    hints = get_type_hints(cls)
    assert is_dataclass(cls)
    allowed = [spec.name for spec in fields(cls) if spec.init and spec.name not in given]
    allowed = [name for name in allowed if name not in SECRET_KEYS]
    values: dict[str, Any] = dict(given)
    for key, value in table.items():
        name = f"{where}.{key}" if where else str(key)
        if str(key).lower() in SECRET_KEYS:
            hint = "left out: a secret belongs into the environment, not into a file"
            raise ConfigError(file, name, hint)
        if key not in allowed:
            raise ConfigError(file, where or "the file", _known(str(key), allowed), key)
        values[str(key)] = read_value(hints[key], file, name, value)
    for spec in fields(cls):
        if spec.default is MISSING and spec.default_factory is MISSING and spec.name not in values:
            raise ConfigError(file, f"{where}.{spec.name}".lstrip("."), "there")
    try:
        return cls(**values)
    except SettingsError as error:
        field = f"{where}.{error.field}" if where else error.field
        raise ConfigError(file, field, error.allowed, table.get(error.field)) from error


def read_value(hint: Any, file: str, name: str, value: object) -> Any:  # noqa: ANN401 - follows the hint
    """A value of the file as the annotation wants it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(file, name, " or ".join(map(str, arguments)), value)
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(file, name, f"a list, each {_NAMES.get(arguments[0], 'a table')}", value)
        return tuple(read_value(arguments[0], file, name, one) for one in value)
    if origin in (Union, UnionType):
        return read_value(next(kind for kind in arguments if kind is not type(None)), file, name, value)
    if isinstance(hint, type) and is_dataclass(hint):
        return read_table(hint, file, name, value)
    if origin is not None:
        if not isinstance(value, Mapping):
            raise ConfigError(file, name, "a table", value)
        return dict(value)
    return _plain(hint, file, name, value)


def _plain(hint: type, file: str, name: str, value: object) -> Any:  # noqa: ANN401 - follows the hint
    # Ids pass what a float of JSON keeps, and people quote them; a whole number is a number too.
    if hint is int and isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 25:
        return int(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise ConfigError(file, name, _NAMES[hint], value)
    return value


def _known(key: str, allowed: list[str]) -> str:
    near = get_close_matches(key, allowed, n=1)
    return f"a table of known keys (did you mean {near[0]}?)" if near else "made of " + ", ".join(allowed)
