"""Tool calls that arrive in pieces.

Servers that imitate OpenAI number the pieces as they like: without an index (SamSaffron/term-llm#314), all
with 0 (BerriAI/litellm#33678), from 1 (BerriAI/litellm#32759), the id late or never. So a piece is matched by
its id first, then by its index, then by being next to the one before.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from .._events import ToolCall
from .._exceptions import ProviderError

INVALID_ARGUMENTS = "__invalid__"
MAX_ARGUMENT_CHARS = 1024 * 1024
MAX_CALLS = 256


@dataclass(slots=True, eq=False)
class _Call:
    """A call that is still being written."""

    id: str = ""
    name: str = ""
    signature: str | None = None
    arguments: list[str] = field(default_factory=list)


class CallAssembler:
    """Collects pieces of calls; `flush` returns the calls in the order in which they began.

    Arguments that are not a JSON object come out as `{"__invalid__": what was sent}`, so that the code that runs
    the tools can tell the model.
    """

    def __init__(self) -> None:
        self.turn = ""
        """The id of the answer; it makes ids for calls that have none, alike in every run."""
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[int | str | None, _Call] = {}
        self._length = 0
        self._made = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    @property
    def total(self) -> int:
        """How many calls have come out so far."""
        return self._made

    def feed(
        self,
        *,
        index: object = None,
        id: str = "",  # noqa: A002
        name: str = "",
        arguments: object = "",
        signature: str | None = None,
    ) -> None:
        """One piece; whatever is missing is taken from what came before."""
        text = _as_json(arguments)
        key = _key(index)
        call = self._find(key, id, name, text) or self._open()
        if key is not None:
            self._by_index[key] = call
            if len(self._by_index) > MAX_CALLS:
                raise _endless(f"more than {MAX_CALLS} indexes")
        if id and not call.id:
            self._by_id[id] = call
            call.id = self._keep(id)
        if name and not call.name:
            call.name = self._keep(name)
        if signature and not call.signature:
            call.signature = self._keep(signature)
        if text:
            call.arguments.append(self._keep(text))

    def pop(self, index: object, arguments: object = "") -> list[ToolCall]:
        """The call at an index, which is complete; `arguments` are its own if no pieces came."""
        call = self._by_index.pop(_key(index), None)
        if call is None or call not in self._calls:
            return []
        if not call.arguments:
            call.arguments.append(self._keep(_as_json(arguments)))
        self._calls.remove(call)
        return [self._finish(call)]

    def flush(self) -> list[ToolCall]:
        """All calls that have not been taken; the assembler is empty afterwards."""
        calls = [self._finish(call) for call in self._calls]
        self._calls = []
        self._by_id.clear()
        self._by_index.clear()
        return calls

    def _find(self, key: int | str | None, id: str, name: str, text: str) -> _Call | None:  # noqa: A002
        """The call that a piece belongs to, or `None` if it begins one."""
        if id and id in self._by_id:
            return self._by_id[id]
        last = self._calls[-1] if self._calls else None
        call = last if key is None else self._by_index.get(key)
        if call is None:
            return None
        if id:
            return None if call.id else call  # a late id, or a new call under an old index
        if name and call.name and call.arguments and text.lstrip().startswith("{"):
            return None  # a name and the opening of an object begin a call
        if key is None and name and call.name and name != call.name:
            return None
        return call

    def _open(self) -> _Call:
        if len(self._calls) >= MAX_CALLS:
            raise _endless(f"more than {MAX_CALLS} calls")
        self._calls.append(call := _Call())
        return call

    def _keep(self, text: str) -> str:
        """Return the text, or nothing above the size limit."""
        self._length += len(text)
        if self._length > MAX_ARGUMENT_CHARS:
            raise _endless(f"more than {MAX_ARGUMENT_CHARS} characters of arguments")
        return text

    def _finish(self, call: _Call) -> ToolCall:
        self._made += 1
        made = f"{self.turn or 'call'}-{self._made}"
        return ToolCall(call.id or made, call.name, read_arguments("".join(call.arguments)), call.signature)


def read_arguments(raw: str) -> dict[str, Any]:
    """The arguments in a text; no text at all is a call without arguments."""
    if not raw.strip():
        return {}
    try:
        arguments = json.loads(raw)
    except (ValueError, RecursionError):
        arguments = INVALID_ARGUMENTS
    if arguments is None:
        return {}
    return arguments if isinstance(arguments, dict) else {INVALID_ARGUMENTS: raw}


def _key(index: object) -> int | str | None:
    return index if isinstance(index, int | str) else None


def _as_json(arguments: object) -> str:
    """Arguments as text; some servers send the object itself."""
    if isinstance(arguments, str) or arguments is None:
        return arguments or ""
    try:
        return json.dumps(arguments)
    except (ValueError, RecursionError):
        return "?"  # nested beyond reason: comes out as invalid


def _endless(what: str) -> ProviderError:
    return ProviderError(
        f"The model sent {what} for its tools.",
        user_message="The model's tool call did not end. Ask again, or for less at once.",
        retryable=True,
    )
