"""Declare the fields of a settings class as data, and check values against them.

A field is declared with its documentation and range in one place:

    message_length: int = setting(1950, "Maximum characters of one message.", minimum=32, maximum=2000)

The check of a value (from Python, TOML, JSON or a slash command), error messages, `help()`, the file that
`streamcord-bot init` writes, `/settings` and the docs are all derived from that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import IntEnum
from functools import lru_cache
from types import UnionType
from typing import Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from .._exceptions import SettingsError

T = TypeVar("T")
_UNFIT: Any = object()
MAX_LISTED_KEYS = 25
"""An error about an unknown key lists the known ones if there are at most this many."""
_ID_LENGTH = 24
_SOME_ID = "123456789012345678"
_MAX_ID = 2**63 - 1
"""The largest id that a database takes; Discord's have 63 bits."""
_ONE = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_MANY = {int: "whole numbers", float: "numbers", str: "texts"}


def setting(
    default: Any = MISSING,  # noqa: ANN401 - whatever the field holds
    doc: str = "",
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    is_id: bool = False,
    factory: Any = MISSING,  # noqa: ANN401 - as dataclasses.field takes it
    repr: bool = True,  # noqa: A002 - as dataclasses.field calls it
) -> Any:  # noqa: ANN401 - a dataclass takes it for a value of the field's type
    """Declare a field of a settings class with its documentation and range.

    Args:
        default: The default; leave it out if a value is required.
        doc: One sentence for `help()`, error messages and the docs.
        minimum: The smallest allowed number.
        maximum: The largest allowed number.
        is_id: Whether it is a Discord id, which may also be given as text.
        factory: Returns the default, for values that are not constant.
        repr: Whether the value is shown; false for secrets.

    Returns:
        A field for `dataclasses.dataclass`.

    Example:
        @dataclass(frozen=True)
        class CacheConfig:
            size: int = setting(100, "Entries that are kept.", minimum=1, maximum=10_000)

            def __post_init__(self):
                check_fields(self, "cache.")

    """
    metadata = {"doc": doc, "minimum": minimum, "maximum": maximum, "is_id": is_id}
    if factory is not MISSING:
        return field(default_factory=factory, metadata=metadata, repr=repr)
    return field(default=default, metadata=metadata, repr=repr)


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field of a settings class.

    Example:
        >>> fields_of(Settings)["pause_chance"].allowed
        'a number from 0 to 1'

    """

    name: str
    hint: Any
    """The annotation."""
    default: Any
    """`MISSING` if a value is required."""
    doc: str = ""
    minimum: float | None = None
    maximum: float | None = None
    is_id: bool = False

    @property
    def allowed(self) -> str:
        """Return the allowed values as words that follow "must be"."""
        if self.is_id:
            one = f"an id, such as {_SOME_ID}" + ("" if self.minimum else ", or 0 for none")
            return f'a list of ids, such as ["{_SOME_ID}"]' if get_origin(self.hint) is tuple else one
        return _describe(self.hint) + self.range

    @property
    def range(self) -> str:
        """Return the allowed range as the end of a sentence."""
        if self.minimum is None:
            return ""
        maximum = None if self.maximum == float("inf") else self.maximum
        # Floats without their ".0".
        minimum, maximum = (int(one) if one and one == int(one) else one for one in (self.minimum, maximum))
        return f" of at least {minimum}" if maximum is None else f" from {minimum} to {maximum}"


def fields_of(cls: type[Any]) -> Mapping[str, FieldSpec]:
    """Return the fields of a settings class, by name.

    Args:
        cls: A dataclass whose fields were declared with `setting`.

    Example:
        >>> fields_of(Settings)["degree"].default
        <Degree.MEDIUM: 2>

    """
    return _KNOWN.get(cls) or _KNOWN.setdefault(cls, _read_fields(cls))


_KNOWN: dict[type[Any], Mapping[str, FieldSpec]] = {}


def _read_fields(cls: type[Any]) -> Mapping[str, FieldSpec]:
    hints = get_type_hints(cls)
    return {
        spec.name: FieldSpec(
            spec.name,
            _kept_hint(hints[spec.name]),
            spec.default_factory() if spec.default_factory is not MISSING else spec.default,
            **spec.metadata,
        )
        for spec in fields(cls)
        if spec.init
    }


def _kept_hint(hint: Any) -> Any:  # noqa: ANN401
    """Return the main type of a field: `Degree` for `Degree | Literal[0, 1]`, which also accepts numbers."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, IntEnum)), hint)


def describe_fields(cls: type[Any]) -> str:
    """Return the fields as the section `Args:` of a docstring, so that `help()` documents them."""
    lines = [f"{one.name}: {one.metadata['doc']}" for one in fields(cls)]
    return "\n".join(["", "    Args:", *(f"        {line}" for line in lines), "", "    "])


# --- Checking ------------------------------------------------------------------------------------------


def check_fields(owner: object, prefix: str = "") -> None:
    """Check and convert every field of a frozen value, for `__post_init__`.

    Args:
        owner: The value.
        prefix: Put before the names of fields in errors, such as `cache.`.

    Raises:
        SettingsError: A value is not allowed.

    Example:
        def __post_init__(self):
            check_fields(self, "cache.")

    """
    for name, spec in fields_of(type(owner)).items():
        object.__setattr__(owner, name, convert(spec, f"{prefix}{name}", getattr(owner, name)))


def build(cls: type[T], where: str, values: object) -> T:
    """Build a settings class from a TOML or JSON table.

    Args:
        cls: The class.
        where: The name of the table, for errors.
        values: The table.

    Returns:
        An instance of the class.

    Raises:
        SettingsError: It is no table, a key is unknown or missing, or a value does not fit.

    Example:
        >>> build(Settings, "settings", {"degree": 0}).degree
        <Degree.NONE: 0>

    """
    if not isinstance(values, Mapping):
        raise SettingsError(where, "a table", values)
    specs = fields_of(cls)
    for key in values:
        if key not in specs:
            raise unknown_key(where, key, specs)
    for name, spec in specs.items():
        if spec.default is MISSING and name not in values:
            raise SettingsError(f"{where}.{name}", "there")
    return cls(**values)


class UnknownKey(SettingsError):
    """A table has an unknown key.

    Args:
        where: The name of the table.
        key: The unknown key.
        known: The known keys.
        hint: What to do, for the message.
        is_slip: Whether the key is spelled almost like a known one.

    Example:
        >>> Settings.from_mapping({"degre": 1})
        Traceback (most recent call last):
        ...
        streamcord._common.fields.UnknownKey: settings has no key 'degre': did you mean degree?

    """

    def __init__(self, where: str, key: object, known: Sequence[str], hint: str, *, is_slip: bool) -> None:
        super().__init__(where, "made of " + ", ".join(known), key)
        self.args = (f"{where} has no key {str(key)!r:.80}: {hint}",)
        self.key = str(key)
        self.is_slip = is_slip


def unknown_key(where: str, key: object, known: Iterable[str]) -> UnknownKey:
    """Return the error for an unknown key, with the closest known key as a suggestion.

    Args:
        where: The name of the table.
        key: The unknown key.
        known: The known keys.

    Example:
        >>> unknown_key("cache", "siz", ["size", "lifetime"]).is_slip
        True

    """
    from difflib import get_close_matches  # noqa: PLC0415  (only errors need it)

    names = list(known)
    near = get_close_matches(str(key), names, n=1)
    if near:
        hint = f"did you mean {near[0]}?"
    elif len(names) > MAX_LISTED_KEYS:
        hint = "docs/settings.md lists the keys"
    else:
        hint = "there are " + ", ".join(names)
    is_slip = bool(get_close_matches(str(key), names, n=1, cutoff=0.8))
    return UnknownKey(where, key, names, hint, is_slip=is_slip)


def convert(spec: FieldSpec, where: str, value: object, *, quoted: bool = False) -> Any:  # noqa: ANN401
    """Convert a value to the type of its field.

    Args:
        spec: The field.
        where: The name of the field in errors.
        value: The value to convert.
        quoted: Whether a whole number may be given as text.

    Returns:
        The converted value.

    Raises:
        SettingsError: The value is not allowed.

    Example:
        >>> convert(fields_of(Settings)["degree"], "degree", "heavy")
        <Degree.HEAVY: 3>

    """
    kept = _make_fit(spec.hint)(where, value, quoted or spec.is_id)
    if kept is _UNFIT or (spec.minimum is not None and not _is_in_range(spec, kept)):
        raise SettingsError(where, spec.allowed, value)
    return kept


def _is_in_range(spec: FieldSpec, value: object) -> bool:
    minimum, maximum = spec.minimum or 0, spec.maximum
    if maximum is None:
        maximum = _MAX_ID if spec.is_id else float("inf")
    # Written so that NaN is in no range.
    return all(minimum <= one <= maximum for one in (value if isinstance(value, tuple) else (value,)))


_Fit: TypeAlias = Callable[[str, object, bool], Any]
"""Convert a value, given the field's name for errors, the value and `quoted`; `_UNFIT` if it does not fit."""


@lru_cache(maxsize=256)
def _make_fit(hint: Any) -> _Fit:  # noqa: ANN401
    """Return the converter of an annotation; cached, because settings are built for every answer."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return lambda _, value, __: value if isinstance(value, str) and value in arguments else _UNFIT
    if origin is tuple:
        return _fit_list(_make_fit(arguments[0]))
    if origin in (Union, UnionType):
        inner = _make_fit(next(kind for kind in arguments if kind is not type(None)))
        return lambda where, value, quoted: None if value is None else inner(where, value, quoted)
    if origin is not None:
        return lambda _, value, __: dict(value) if isinstance(value, Mapping) else _UNFIT
    return _fit_plain(hint)


def _fit_plain(hint: Any) -> _Fit:  # noqa: ANN401
    if is_dataclass(hint):
        return lambda where, value, _: (
            build(hint, where, value) if isinstance(value, Mapping) else _instance(hint, value)  # type: ignore[arg-type]
        )
    if issubclass(hint, IntEnum):
        return lambda _, value, __: _fit_enum(hint, value)
    if hint is int:
        return lambda _, value, quoted: _fit_whole(value, quoted=quoted)
    if hint is float:
        return lambda _, value, __: float(value) if type(value) is int else _instance(float, value)
    return lambda _, value, __: _instance(hint, value)


def _instance(hint: type, value: object) -> Any:  # noqa: ANN401
    return value if isinstance(value, hint) else _UNFIT


def _fit_list(inner: _Fit) -> _Fit:
    def fit(where: str, value: object, quoted: bool) -> Any:  # noqa: ANN401
        if not isinstance(value, list | tuple):
            return _UNFIT
        kept = tuple(inner(where, one, quoted) for one in value)
        return _UNFIT if any(one is _UNFIT for one in kept) else kept

    return fit


def _fit_whole(value: object, *, quoted: bool) -> Any:  # noqa: ANN401
    if isinstance(value, int):
        return value if not isinstance(value, bool) else _UNFIT
    if quoted and isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value) if len(value) <= _ID_LENGTH else _UNFIT
    return _UNFIT


def _fit_enum(hint: type[IntEnum], value: object) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return hint.__members__.get(value.upper(), _UNFIT)
    if isinstance(value, int) and not isinstance(value, bool) and value in {*hint}:
        return hint(value)
    return _UNFIT


# --- In words ------------------------------------------------------------------------------------------


def _describe(hint: Any) -> str:  # noqa: ANN401
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " or ".join(arguments)
    if origin is tuple:
        kind = arguments[0]
        return f"a list of {_MANY.get(kind) or f'{kind.__name__} or of tables of its fields'}"
    if origin in (Union, UnionType):
        return _describe(next(kind for kind in arguments if kind is not type(None)))
    return "a table" if origin is not None else _describe_plain(hint)


def _describe_plain(hint: type) -> str:
    if is_dataclass(hint):
        return f"a {hint.__name__} or a table of its fields"
    if issubclass(hint, IntEnum):
        return f"{min(hint)} to {max(hint)}, or {', '.join(one.name for one in hint)}"
    return _ONE[hint]
