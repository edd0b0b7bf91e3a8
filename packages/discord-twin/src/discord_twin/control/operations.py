"""Operations of the control API: what each takes, and how a request finds its operation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from typing import TypeAlias, TypeVar

    from ..server import Twin
    from ..state.models import Json
    from .reset import Baseline

    Handler: TypeAlias = "Callable[[ControlCall], Awaitable[Json | None]]"
    HandlerT = TypeVar("HandlerT", bound=Handler)


class ControlError(Exception):
    """A request to the control API that cannot be carried out.

    Args:
        status: Of HTTP.
        message: Why, in one sentence.

    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True, eq=False)
class ControlCall:
    """One request to an operation; body and query were checked."""

    twin: Twin
    baseline: Baseline
    ids: Mapping[str, str]
    body: Json
    query: Json


@dataclass(frozen=True, slots=True)
class Operation:
    """One method and path below `/control`; `{names}` in the path are its parameters."""

    method: str
    path: str
    summary: str
    answer: Handler
    # Schemas of the fields; the body is an object with these fields and no others.
    body: Json = field(default_factory=dict)
    required: tuple[str, ...] = ()
    query: Json = field(default_factory=dict)
    returns: str = ""
    """The name of a schema in `openapi.SCHEMAS`, with `[]` for a list; empty if nothing is returned."""
    is_any_body: bool = False
    """Whether the body is an object of any fields."""

    @property
    def segments(self) -> tuple[str, ...]:
        """The parts of the path."""
        return tuple(self.path.strip("/").split("/"))


class OperationList(list[Operation]):
    """The operations of one module."""

    def add(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        required: tuple[str, ...] = (),
        query: Json | None = None,
        returns: str = "",
        is_any_body: bool = False,
    ) -> Callable[[HandlerT], HandlerT]:
        """Return a decorator that adds a handler as an operation; the first line of its docstring is the summary."""

        def decorate(handler: HandlerT) -> HandlerT:
            summary = (handler.__doc__ or "").partition("\n")[0].removesuffix(".")
            self.append(
                Operation(
                    method, path, summary, handler, body or {}, required, query or {}, returns, is_any_body
                )
            )
            return handler

        return decorate


class OperationTable:
    """Finds the operation of a request."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self.operations = tuple(operations)

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]]:
        """Return the operation and the parameters of a path.

        Raises:
            ControlError: There is none.

        """
        segments = tuple(path.strip("/").split("/"))
        fitting = [(one, ids) for one in self.operations if (ids := _match(one, segments)) is not None]
        if not fitting:
            raise ControlError(404, "the control API has no such path; see /control/openapi.json")
        for operation, ids in fitting:
            if operation.method == method:
                return operation, ids
        raise ControlError(405, f"use {' or '.join(sorted({one.method for one, _ in fitting}))}")


def _match(operation: Operation, segments: tuple[str, ...]) -> dict[str, str] | None:
    if len(segments) != len(operation.segments):
        return None
    ids = {}
    for mine, theirs in zip(operation.segments, segments, strict=True):
        if mine.startswith("{"):
            ids[mine[1:-1]] = theirs
        elif mine != theirs:
            return None
    return ids
