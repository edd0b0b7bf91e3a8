"""What the readers of agent frameworks share, and which reader belongs to which package.

A framework runs its tools itself: a tool is a place where the text so far may leave (`Flush`), and no `ToolCall`, which
would say that the caller has to run it. Text arrives once, although most frameworks repeat it in a final object.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..._events import Finish, FinishReason, Flush, KeepAlive, ProviderEvent, TextDelta, ThoughtDelta, Usage

KEEP_ALIVE = KeepAlive()
_REASONS = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "max_output_tokens": FinishReason.LENGTH,
    "reason_max_len": FinishReason.LENGTH,
    "max_turns": FinishReason.LENGTH,
    "max_turn_requests": FinishReason.LENGTH,
    "incomplete": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
    "content-filter": FinishReason.FILTERED,
    "refusal": FinishReason.FILTERED,
    "safety": FinishReason.FILTERED,
}


def finish_reason(reason: object) -> FinishReason:
    """Return our reason for a framework's word; unknown words are a normal end."""
    return _REASONS.get(str(reason or "").lower(), FinishReason.STOP)


def read(value: Any, name: str, default: Any = None) -> Any:  # noqa: ANN401 - foreign objects
    """Return a field of an object or of a dict."""
    found = value.get(name, default) if isinstance(value, dict) else getattr(value, name, default)
    return default if found is None else found


def text_events(text: object, thought: object = "") -> list[ProviderEvent]:
    """Return the events of a piece of text and of a piece of reasoning; what is no text is ignored."""
    events: list[ProviderEvent] = []
    if isinstance(thought, str) and thought:
        events.append(ThoughtDelta(thought))
    if isinstance(text, str) and text:
        events.append(TextDelta(text))
    return events or [KEEP_ALIVE]


def usage_of(value: object, given: str, made: str) -> list[ProviderEvent]:
    """Return token counts, if both fields have one."""
    tokens = read(value, given, 0), read(value, made, 0)
    return [Usage(*tokens)] if all(isinstance(one, int) for one in tokens) and any(tokens) else []


class FrameworkReader:
    """Base of the readers: what a stream says, and what its objects must be.

    `package` is the package that defines the objects, and `advice` what to write if they are of a kind that no
    reader knows.
    """

    package: ClassVar[str]
    advice: ClassVar[str]
    ended = False

    def __init__(self) -> None:
        self.reason = FinishReason.STOP
        # Whether text was read since the last flush.
        self._has_text = False
        # Whether an object was of a kind that the reader knows.
        self._is_known = False

    @classmethod
    def fits(cls, chunk: Any) -> bool:  # noqa: ANN401
        """Whether the reader knows this kind of object."""
        raise NotImplementedError

    def read(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        """Return what one object says."""
        raise NotImplementedError

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        """Return what one object says; raise `TypeError` if the reader does not know the first one.

        Later objects of an unknown kind are progress: a new version of the package may have more of them.
        """
        if not self.fits(chunk):
            if self._is_known:
                return [KEEP_ALIVE]
            raise TypeError(self.refusal(chunk))
        self._is_known = True
        events = self.read(chunk)
        self._has_text = self._has_text or any(isinstance(event, TextDelta) for event in events)
        return events or [KEEP_ALIVE]

    def on_tool(self) -> list[ProviderEvent]:
        """Return the events of a tool that the framework runs: the text before it leaves."""
        had_text, self._has_text = self._has_text, False
        return [Flush(), KEEP_ALIVE] if had_text else [KEEP_ALIVE]

    def flush(self) -> list[ProviderEvent]:
        """Return the end of the stream."""
        return [Finish(self.reason)]

    @classmethod
    def refusal(cls, chunk: object) -> str:
        """Return what to write instead."""
        kind = f"{type(chunk).__module__}.{type(chunk).__qualname__}"
        return f"the source yielded {kind} of {cls.package}, which say() does not know: {cls.advice}"
