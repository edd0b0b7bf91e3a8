"""Field types for validating request bodies: texts, numbers, lists, objects, and the problems they report.

A field type checks a value and reports the codes of Discord, such as `BASE_TYPE_MAX_LENGTH`, with the path of
the field. All problems of a body are found, not only the first, as Discord does
(https://docs.discord.com/developers/reference#error-messages).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

from ..state.models import Json

Path: TypeAlias = "tuple[str, ...]"
Size: TypeAlias = "Callable[[str], int]"
"""How a text is measured: in code points, or in UTF-16 units."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where."""

    path: Path
    code: str
    message: str


def nest_errors(problems: Sequence[Problem]) -> Json:
    """Return the `errors` of a 50035: problems under the names that lead to them."""
    errors: Json = {}
    for problem in problems:
        place = errors
        for name in problem.path:
            place = place.setdefault(name, {})
        place.setdefault("_errors", []).append({"code": problem.code, "message": problem.message})
    return errors


class Field(Protocol):
    """The type of a value; `str()` describes it for the printed table."""

    def validate(self, value: Any, path: Path, size: Size) -> Iterator[Problem]:  # noqa: ANN401 - any JSON
        """Yield the problems of a value that is not null."""

    def read(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return a valid value in its own type: Discord reads `"5"` as a number and `5` as a text."""


@dataclass(frozen=True, slots=True)
class TextField:
    """A text of limited length; white space at its ends does not count."""

    minimum: int = 0
    maximum: int | None = None
    pattern: re.Pattern[str] | None = None
    code: str = "STRING_TYPE_REGEX"
    """What Discord says when the pattern does not match."""
    message: str = "String value did not match validation regex."
    trim: bool = True

    def validate(self, value: Any, path: Path, size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Length and pattern; numbers are read as text, as Discord does."""
        if isinstance(value, list | dict):
            yield Problem(path, "STRING_TYPE_CONVERT", f'Could not interpret "{str(value)[:60]}" as string.')
            return
        text = str(value).strip() if self.trim else str(value)
        length = size(text)
        if self.maximum is not None and (length > self.maximum or length < self.minimum):
            yield _wrong_length(path, self.minimum, self.maximum, length)
        elif length < self.minimum:
            yield Problem(path, "BASE_TYPE_MIN_LENGTH", f"Must be {self.minimum} or more in length.")
        elif self.pattern is not None and not self.pattern.fullmatch(text):
            yield Problem(path, self.code, self.message)

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the text."""
        return str(value)

    def __str__(self) -> str:
        said = _between("characters", self.minimum, self.maximum)
        return f"text, {said}" + (f", matching `{self.pattern.pattern}`" if self.pattern else "")


def _wrong_length(path: Path, minimum: int, maximum: int, length: int) -> Problem:
    if length == 0 and minimum == 1:
        return Problem(path, "BASE_TYPE_REQUIRED", "This field is required")
    if minimum:
        return Problem(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {minimum} and {maximum} in length.")
    return Problem(path, "BASE_TYPE_MAX_LENGTH", f"Must be {maximum} or fewer in length.")


def _between(what: str, minimum: int, maximum: int | None) -> str:
    if maximum is None:
        return f"{minimum} or more {what}" if minimum else f"any number of {what}"
    return f"{minimum} to {maximum} {what}" if minimum else f"at most {maximum} {what}"


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number between two others; a text of digits is one, too."""

    minimum: int | None = None
    maximum: int | None = None

    def validate(self, value: Any, path: Path, _size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Return whether it is a number, and its size."""
        try:
            number = int(value)
            is_whole = not isinstance(value, float) or number == value
        except (TypeError, ValueError, OverflowError):
            number, is_whole = 0, False
        if not is_whole:
            yield Problem(path, "NUMBER_TYPE_COERCE", f'Value "{str(value)[:60]}" is not int.')
            return
        yield from _bounds(number, self.minimum, self.maximum, path, "int")

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the number."""
        return int(value)

    def __str__(self) -> str:
        return f"whole number{_range(self.minimum, self.maximum)}"


@dataclass(frozen=True, slots=True)
class Number:
    """A number, whole or not."""

    minimum: float | None = None
    maximum: float | None = None

    def validate(self, value: Any, path: Path, _size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Return whether it is a number, and its size."""
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            yield Problem(path, "NUMBER_TYPE_COERCE", f'Value "{str(value)[:60]}" is not float.')
            return
        yield from _bounds(number, self.minimum, self.maximum, path, "float")

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the number."""
        return value if isinstance(value, int | float) else float(value)

    def __str__(self) -> str:
        return f"number{_range(self.minimum, self.maximum)}"


def _bounds(
    number: float, minimum: float | None, maximum: float | None, path: Path, word: str
) -> Iterator[Problem]:
    if minimum is not None and number < minimum:
        yield Problem(path, "NUMBER_TYPE_MIN", f"{word} value should be greater than or equal to {minimum}.")
    if maximum is not None and number > maximum:
        yield Problem(path, "NUMBER_TYPE_MAX", f"{word} value should be less than or equal to {maximum}.")


def _range(minimum: float | None, maximum: float | None) -> str:
    if maximum is None:
        return "" if minimum is None else f", {minimum} or more"
    return f", {minimum} to {maximum}" if minimum is not None else f", at most {maximum}"


@dataclass(frozen=True, slots=True)
class Id:
    """A snowflake, as a text or a number."""

    def validate(self, value: Any, path: Path, _size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Return whether it is one."""
        text = str(value)
        if isinstance(value, bool) or not (text.isascii() and text.isdecimal() and len(text) <= 20):
            yield Problem(path, "NUMBER_TYPE_COERCE", f'Value "{text[:60]}" is not snowflake.')

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the id as a text."""
        return str(value)

    def __str__(self) -> str:
        return "id"


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def validate(self, value: Any, path: Path, _size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Return whether it is one of both."""
        if value not in {True, False, "true", "false"} if not isinstance(value, list | dict) else True:
            yield Problem(path, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.")

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the truth value."""
        return value in {True, "true"}

    def __str__(self) -> str:
        return "true or false"


@dataclass(frozen=True, slots=True)
class OneOf:
    """One value of a few."""

    values: Collection[Any]

    def validate(self, value: Any, path: Path, _size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Return whether it is among them."""
        texts = [str(one) for one in self.values]
        if isinstance(value, bool | list | dict) or str(value) not in texts:
            yield Problem(path, "BASE_TYPE_CHOICES", f"Value must be one of ({', '.join(texts)}).")

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the value as it is listed."""
        return next(one for one in self.values if str(one) == str(value))

    def __str__(self) -> str:
        return "one of " + ", ".join(str(one) for one in self.values)


@dataclass(frozen=True, slots=True)
class Url:
    """An address that begins with one of these schemes."""

    schemes: tuple[str, ...] = ("http", "https")
    maximum: int = 2048

    def validate(self, value: Any, path: Path, size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Scheme, host and length."""
        if not isinstance(value, str):
            yield Problem(path, "STRING_TYPE_CONVERT", f'Could not interpret "{str(value)[:60]}" as string.')
            return
        try:
            parts = urlsplit(value.strip())
        except ValueError:
            parts = urlsplit("")
        if size(value) > self.maximum:
            yield Problem(path, "BASE_TYPE_MAX_LENGTH", f"Must be {self.maximum} or fewer in length.")
        elif not parts.scheme or " " in value.strip():
            yield Problem(path, "URL_TYPE_INVALID_URL", "Not a well formed URL.")
        elif parts.scheme not in self.schemes:
            known = ", ".join(repr(one) for one in self.schemes)
            said = f'Scheme "{parts.scheme}" is not supported. Scheme must be one of ({known}).'
            yield Problem(path, "URL_TYPE_INVALID_SCHEME", said)
        elif not parts.netloc or (parts.scheme in {"http", "https"} and not _is_host(parts.hostname)):
            yield Problem(path, "URL_TYPE_INVALID_URL", "Not a well formed URL.")

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the address."""
        return value

    def __str__(self) -> str:
        return f"address ({', '.join(self.schemes)}), at most {self.maximum} characters"


def _is_host(name: str | None) -> bool:
    # A name without a dot is no host of the internet; the twin's own CDN is.
    return bool(name) and ("." in str(name) or name == "localhost" or ":" in str(name))


@dataclass(frozen=True, slots=True)
class Time:
    """A moment in ISO 8601."""

    def validate(self, value: Any, path: Path, _size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Return whether it can be read."""
        try:
            datetime.fromisoformat(str(value))
        except ValueError:
            said = f"Could not parse {str(value)[:60]}. Should be ISO8601."
            yield Problem(path, "DATE_TIME_TYPE_PARSE", said)

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the time as a text."""
        return str(value)

    def __str__(self) -> str:
        return "time in ISO 8601"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of values of one type, with a limited length."""

    item: Field
    minimum: int = 0
    maximum: int | None = None

    def validate(self, value: Any, path: Path, size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Yield a problem of the length, or the problems of each entry."""
        if not isinstance(value, list | tuple):
            yield Problem(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
            return
        if self.maximum is not None and not self.minimum <= len(value) <= self.maximum:
            yield _wrong_length(path, self.minimum, self.maximum, len(value))
            return
        for index, one in enumerate(value):
            yield from self.item.validate(one, (*path, str(index)), size)

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the list of values in their types."""
        return [self.item.read(one) for one in value]

    def __str__(self) -> str:
        name = getattr(self.item, "name", None) or str(self.item)
        return f"list, {_between('entries', self.minimum, self.maximum)}; each: {name}"


@dataclass(frozen=True, slots=True)
class AnyObject:
    """An object whose fields are checked elsewhere, or are not kept."""

    def validate(self, value: Any, path: Path, _size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Return whether it is an object."""
        if not isinstance(value, dict):
            yield Problem(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the object."""
        return value

    def __str__(self) -> str:
        return "object"


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object whose names are free and whose values are of one type, such as translations."""

    item: Field

    def validate(self, value: Any, path: Path, size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Yield the problems of each value."""
        if not isinstance(value, dict):
            yield Problem(path, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
            return
        for name, one in value.items():
            if one is not None:
                yield from self.item.validate(one, (*path, name), size)

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the object with its values in their type."""
        return {name: None if one is None else self.item.read(one) for name, one in value.items()}

    def __str__(self) -> str:
        return f"object of any names; each value: {_name(self.item)}"


@dataclass(frozen=True, slots=True)
class Required:
    """A field that must be there."""

    kind: Field

    def validate(self, value: Any, path: Path, size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Yield the problems of the inner type."""
        return self.kind.validate(value, path, size)

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the value of the inner type."""
        return self.kind.read(value)

    def __str__(self) -> str:
        return f"required; {_name(self.kind)}"


@dataclass(frozen=True, slots=True)
class CrossFieldRule:
    """A rule about several fields at once; it runs if every field alone is valid."""

    says: str
    find: Callable[[Any, Path], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Object:
    """A JSON object and its fields; unknown fields are ignored, as on Discord."""

    name: str
    source: str
    """The documentation of the object."""
    fields: Mapping[str, Field] = field(default_factory=dict)
    rules: tuple[CrossFieldRule, ...] = ()

    def validate(self, value: Any, path: Path, size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Yield the problems of its fields; if there are none, those of its cross-field rules."""
        if not isinstance(value, dict):
            yield Problem(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
            return
        found = [one for name in self.fields for one in self._validate_field(value, name, path, size)]
        yield from found or (one for rule in self.rules for one in rule.find(value, path))

    def _validate_field(self, value: Json, name: str, path: Path, size: Size) -> Iterator[Problem]:
        kind, given = self.fields[name], value.get(name)
        if given is not None:
            yield from kind.validate(given, (*path, name), size)
        elif isinstance(kind, Required):
            yield Problem((*path, name), "BASE_TYPE_REQUIRED", "This field is required")

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the object with the known fields in their types."""
        known = {
            name: self.fields[name].read(one) for name, one in value.items() if _is_known(self, name, one)
        }
        return {**value, **known}

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Typed:
    """One of several objects, told apart by their `type`."""

    name: str
    kinds: Mapping[int, Field]

    def validate(self, value: Any, path: Path, size: Size) -> Iterator[Problem]:  # noqa: ANN401
        """Yield the problems of the object that its `type` selects."""
        if not isinstance(value, dict):
            yield Problem(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
            return
        type_ = value.get("type")
        kind = self.kinds.get(type_) if isinstance(type_, int) and not isinstance(type_, bool) else None
        if kind is None:
            known = ", ".join(map(str, self.kinds)) + ("," if len(self.kinds) == 1 else "")
            yield Problem(path, "UNION_TYPE_CHOICES", f'Value of field "type" must be one of ({known}).')
        else:
            yield from kind.validate(value, path, size)

    def read(self, value: Any) -> Any:  # noqa: ANN401
        """Return the object that its `type` selects, with its fields in their types."""
        return self.kinds[value["type"]].read(value)

    def __str__(self) -> str:
        return self.name


def _is_known(kind: Object, name: str, value: object) -> bool:
    return name in kind.fields and value is not None


def _name(kind: Field) -> str:
    return getattr(kind, "name", None) or str(kind)
