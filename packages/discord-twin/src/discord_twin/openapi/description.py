"""Read an OpenAPI document: which operation a request belongs to, and whether a value fits a schema.

Discord publishes such a document: https://github.com/discord/discord-api-spec . It is not part of this package, so
a check needs the file, and `jsonschema-rs` to judge values by it (the extra `check`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import jsonschema_rs

_DIALECT = "https://json-schema.org/draft/2020-12/schema"  # what OpenAPI 3.1 uses
_ROOT = "urn:discord-api"
_JSON = "application/json"
_METHODS = frozenset({"get", "put", "post", "patch", "delete"})
MAX_MESSAGE_CHARS = 200
"""A longer message of the validator is cut: it may repeat a whole body."""


class DescriptionError(ValueError):
    """The file is no OpenAPI document, or the package that judges values by it is missing.

    Example:
        try:
            description = ApiDescription.read("openapi.json")
        except DescriptionError as error:
            pytest.skip(str(error))

    """


class Mismatch(NamedTuple):
    """One part of a value that does not fit its schema.

    Args:
        at: Where, as a JSON pointer; empty for the whole value.
        message: What is wrong with it.

    """

    at: str
    message: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One method and path of the document."""

    method: str
    path: str
    # References to schemas: of the request's JSON, then of the response's JSON by status.
    request: str | None
    responses: Mapping[str, str]
    segments: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", tuple(self.path.strip("/").split("/")))

    def response(self, status: int) -> str | None:
        """Return the schema of a response: of its status, else of all like it (`4XX`), else of the rest."""
        names = (str(status), f"{status // 100}XX", "default")
        return next((self.responses[name] for name in names if name in self.responses), None)

    def specificity(self, segments: tuple[str, ...]) -> int:
        """Return how many segments of a path are this operation's own words; -1 if the path is not its own."""
        if len(segments) != len(self.segments):
            return -1
        own = 0
        for mine, theirs in zip(self.segments, segments, strict=True):
            if mine == theirs:
                own += 1
            elif not mine.startswith("{"):
                return -1
        return own


class ApiDescription:
    """An OpenAPI 3.1 document.

    Args:
        document: The parsed JSON.

    Raises:
        DescriptionError: It is no OpenAPI document, or `jsonschema-rs` is not installed.

    Example:
        description = ApiDescription.read("openapi.json")
        async with Twin() as twin:
            check = twin.check_against(description)
            ...
            assert check.violations == []

    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        paths, components = document.get("paths"), document.get("components")
        if not isinstance(paths, dict) or not isinstance(components, dict) or "openapi" not in document:
            raise DescriptionError("not an OpenAPI document: it needs the keys openapi, paths and components")
        self.operations = [*_read_operations(paths)]
        paths, components = _relax_unions(paths), _relax_unions(components)
        self._schemas = components.get("schemas", {})
        # Compiled when they are first needed: most runs use few of the 500 schemas.
        self._validators: dict[str, jsonschema_rs.Draft202012Validator] = {}
        try:
            import jsonschema_rs  # noqa: PLC0415 - an extra
        except ImportError:
            raise DescriptionError('a check needs jsonschema-rs: pip install "discord-twin[check]"') from None
        self._compile = jsonschema_rs.Draft202012Validator
        # `paths` are in it because schemas of requests and responses are in place there.
        resource = {"$schema": _DIALECT, "components": components, "paths": paths}
        self._registry = jsonschema_rs.Registry([(_ROOT, resource)])

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a file.

        Raises:
            DescriptionError: The file cannot be read, or is no OpenAPI document.

        """
        try:
            document = json.loads(Path(path).read_bytes())
        except OSError as error:
            raise DescriptionError(f"cannot read {path}: {error.strerror}") from None
        except ValueError:
            raise DescriptionError(f"{path} is not JSON") from None
        if not isinstance(document, dict):
            raise DescriptionError(f"{path} is not an OpenAPI document")
        return cls(document)

    def find(self, method: str, path: str) -> Operation | None:
        """Return the operation of a request: `find("GET", "channels/1/messages")`."""
        segments = tuple(path.strip("/").split("/"))
        fitting = [one for one in self.operations if one.method == method and one.specificity(segments) >= 0]
        # `/messages/pins` is both a path of its own and `/messages/{message_id}`: literal words win.
        return max(fitting, key=lambda one: one.specificity(segments), default=None)

    def mismatches(self, schema: str, value: object) -> list[Mismatch]:
        """Return what of a value does not fit a schema.

        Args:
            schema: The name of a schema, or a reference as in `Operation.request`.
            value: Parsed JSON.

        """
        reference = schema if schema.startswith("#") else f"#/components/schemas/{schema}"
        validator = self._validators.get(reference)
        if validator is None:
            validator = self._validators[reference] = self._compile(
                {"$ref": f"{_ROOT}{reference}"}, registry=self._registry, validate_formats=False
            )
        if validator.is_valid(value):
            return []
        return [found for error in validator.iter_errors(value) for found in _explain(error)]


def _relax_unions(node: Any) -> Any:  # noqa: ANN401 - any part of a JSON document
    """Return the document with `anyOf` for each `oneOf`.

    Discord writes `oneOf` where several members fit: its errors, and objects that differ in optional fields only.
    """
    if isinstance(node, dict):
        return {("anyOf" if key == "oneOf" else key): _relax_unions(value) for key, value in node.items()}
    return [_relax_unions(value) for value in node] if isinstance(node, list) else node


def _explain(error: jsonschema_rs.ValidationError) -> Iterator[Mismatch]:
    """Yield an error; of a union, the errors of the member that was most likely meant."""
    members: list[list[jsonschema_rs.ValidationError]] | None = getattr(error.kind, "context", None)
    if not members:
        yield Mismatch("".join(f"/{part}" for part in error.instance_path), _shorten(error.message))
        return
    own = len(error.instance_path)
    for inner in min(
        members, key=lambda errors: (_is_other_type(errors, own), _is_null(errors), len(errors))
    ):
        yield from _explain(inner)


def _is_other_type(errors: list[jsonschema_rs.ValidationError], depth: int) -> bool:
    """Return whether a member of a union is excluded by the value's JSON type, or by its field `type`."""
    return any(
        list(error.instance_path[depth:]) == ["type"]
        or (len(error.instance_path) == depth and error.kind.name in {"type", "const", "enum"})
        for error in errors
    )


def _is_null(errors: list[jsonschema_rs.ValidationError]) -> bool:
    """Return whether a member of a union is only there to allow `null`."""
    return any(error.message.endswith('is not of type "null"') for error in errors)


def _read_operations(paths: Mapping[str, Any]) -> Iterator[Operation]:
    for path, item in paths.items():
        for method, operation in item.items():
            if method in _METHODS:
                yield _read_operation(path, method, operation)


def _read_operation(path: str, method: str, operation: Mapping[str, Any]) -> Operation:
    place = f"#/paths/{_escape(path)}/{method}"
    request = None
    if _JSON in operation.get("requestBody", {}).get("content", {}):
        request = f"{place}/requestBody/content/{_escape(_JSON)}/schema"
    responses = {}
    for status, response in operation.get("responses", {}).items():
        if "$ref" in response:
            responses[status] = f"{response['$ref']}/content/{_escape(_JSON)}/schema"
        elif _JSON in response.get("content", {}):
            responses[status] = f"{place}/responses/{status}/content/{_escape(_JSON)}/schema"
    return Operation(method.upper(), path, request, responses)


def _escape(part: str) -> str:
    """Return a part of a JSON pointer as it is written in the fragment of an address."""
    escaped = part.replace("~", "~0").replace("/", "~1")
    return escaped.replace("{", "%7B").replace("}", "%7D")


def _shorten(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE_CHARS else f"{message[: MAX_MESSAGE_CHARS - 1]}…"
