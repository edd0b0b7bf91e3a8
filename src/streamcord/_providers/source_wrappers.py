"""Sources around sources: one is closed for certain, ended at a stop string, or the first that answers.

Several keys and models are asked until one answers; once a word is visible, nobody is asked again. A key that
must rest is left alone until it may be used, and whoever else is free is asked meanwhile. What can never
succeed (a wrong key, an unknown model) is not asked twice. A parameter that a server refuses by name is left
out for it from then on. Thoughts wait for the first word, since those of a failed try belong to nobody.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, TypeVar

from .._errors import ContentBlocked, ProviderError, RateLimited, Rejected, SettingsError
from .._events import Finish, KeepAlive, ProviderEvent, TextDelta, ThoughtDelta, ToolCall, Usage
from .prompt import Options, Prompt, Provider

__all__ = [
    "Fallback",
    "Patience",
    "StopCutter",
    "closing",
    "end_at",
    "first_that_answers",
]


T = TypeVar("T")


@asynccontextmanager
async def closing(source: AsyncIterable[T]) -> AsyncIterator[AsyncIterator[T]]:
    """The source's iterator, closed at the end of the block if it can be."""
    events = aiter(source)
    try:
        yield events
    finally:
        if close := getattr(events, "aclose", None):
            await close()


# --- Stop strings -------------------------------------------------------------------------------------

_ASIDE = (KeepAlive, ThoughtDelta, Usage)
"""What may overtake words that are held."""


class StopCutter:
    """Lets text pass up to the first stop string; only what may be the beginning of one is held.

    Servers take four stop strings, or one, or none, and some models refuse them all. So the server gets as
    many as it takes, which saves tokens, and here the answer ends at any of them, which keeps the promise. It
    ends at the stop string that is complete first; neither it nor anything behind it is said.
    """

    def __init__(self, strings: Sequence[str]) -> None:
        self.found = False
        self._strings = tuple(strings)
        self._beginnings = frozenset(text[:end] for text in strings for end in range(1, len(text)))
        self._reach = max(map(len, strings), default=1) - 1
        self._first = re.compile("[" + re.escape("".join({text[0] for text in strings}) or "\0") + "]")
        self._held = ""

    def feed(self, text: str) -> str:
        """What may be said for certain; after a stop string nothing more."""
        if self.found:
            return ""
        text = self._held + text
        ends = ((at + len(stop), at) for stop in self._strings if (at := text.find(stop)) >= 0)
        _, cut = min(ends, default=(0, -1))
        self.found = cut >= 0
        if not self.found:
            cut = self._hold_from(text)
        self._held = "" if self.found else text[cut:]
        return text[:cut]

    def flush(self) -> str:
        """What was held, now that nothing follows it."""
        held, self._held = self._held, ""
        return held

    def _hold_from(self, text: str) -> int:
        """Where the longest end of the text starts with which a stop string begins."""
        for first in self._first.finditer(text, max(0, len(text) - self._reach)):
            if text[first.start() :] in self._beginnings:
                return first.start()
        return len(text)


async def end_at(
    source: AsyncIterable[T], strings: Sequence[str]
) -> AsyncGenerator[T | TextDelta | Finish, None]:
    """The source up to the first of these texts; then it is closed.

    A source of typed events is finished as a server would do it, with `Finish`. Thoughts are not searched.
    """
    cutter = StopCutter(strings)
    wrap: Callable[[str], Any] = str
    async with closing(source) as events:
        try:
            async for event in events:
                if not isinstance(event, str | TextDelta):
                    # Whatever stands between the words keeps its place.
                    if not isinstance(event, _ASIDE) and (held := cutter.flush()):
                        yield wrap(held)
                    yield event
                    continue
                wrap = type(event)
                if said := cutter.feed(event if isinstance(event, str) else event.text):
                    yield wrap(said)
                if cutter.found:
                    break
        except Exception:
            # Words that were held come before the bad news.
            if held := cutter.flush():
                yield wrap(held)
            raise
    if held := cutter.flush():
        yield wrap(held)
    if cutter.found and wrap is TextDelta:
        yield Finish()


# --- Several providers behind one ----------------------------------------------------------------------


SIGN_OF_LIFE = 15.0
HELD_CAP = 1024 * 1024

# How servers call what they refuse; the first that is named and was asked for goes.
_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("top_p", re.compile(r"\btop_?p\b")),
    ("temperature", re.compile(r"\btemperature\b")),
    ("max_tokens", re.compile(r"\bmax_?(completion_?|output_?)?tokens\b")),
    ("reasoning", re.compile(r"\b(reasoning|reasoning_effort|thinking|thinking_?config|effort)\b")),
    ("stop", re.compile(r"\bstop(_?sequences|_?strings)?\b")),
    ("tool_choice", re.compile(r"\btool_?choice\b")),
)
_LEFT_OUT: Mapping[str, Any] = {"stop": (), "tool_choice": "auto"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often and how long one goes on asking."""

    tries: int = 3
    """Times that each key and model is asked."""
    pause: float = 1.0
    """Seconds before the second time; doubled for each further one."""
    pause_cap: float = 60.0
    """The longest pause; who wants a longer one is not waited for."""

    def __post_init__(self) -> None:
        for name in ("tries", "pause", "pause_cap"):
            if not getattr(self, name) > 0:
                raise SettingsError(name, "more than 0", getattr(self, name))


@dataclass(slots=True, eq=False)
class _Candidate:
    """A key with a model, and what we have learned about it."""

    provider: Provider
    model: str
    free_at: float = 0.0
    refused: set[str] = field(default_factory=set)

    def options(self, options: Options) -> Options:
        """The options for it: its model, and nothing that it refuses."""
        kept = {key: value for key, value in options.extra.items() if key not in self.refused}
        left_out: dict[str, Any] = {name: _LEFT_OUT.get(name) for name, _ in _NAMES if name in self.refused}
        return replace(options, model=self.model or options.model, extra=kept, **left_out)


def first_that_answers(
    *providers: Provider,
    models: Sequence[str] = (),
    patience: Patience | None = None,
    random: Random | None = None,
) -> Fallback:
    """A provider that asks these one after the other: for each model every provider, which is every key.

    Without `models`, each provider is asked for its own.
    """
    if not providers:
        raise SettingsError("providers", "at least one")
    return Fallback(providers, models or ("",), patience or Patience(), random or Random())


class Fallback:
    """Several providers behind one; it remembers who must rest."""

    def __init__(
        self, providers: Sequence[Provider], models: Sequence[str], patience: Patience, random: Random
    ) -> None:
        self._candidates = [_Candidate(provider, model) for model in models for provider in providers]
        self._patience = patience
        self._random = random

    async def stream(
        self, prompt: Prompt, options: Options | None = None, /
    ) -> AsyncGenerator[ProviderEvent, None]:
        """The answer of the first that has one; raises the last error if nobody has."""
        tries = dict.fromkeys(self._candidates, 0)
        errors: list[ProviderError] = []
        while candidate := self._next(tries):
            async with aclosing(_wait(candidate.free_at - _now())) as signs:
                async for sign in signs:
                    yield sign
            tries[candidate] += 1
            attempt = _Attempt(candidate, prompt, options or Options())
            async with aclosing(attempt.run()) as events:
                async for event in events:
                    yield event
            if attempt.error is None:
                return
            errors.append(attempt.error)
            self._learn(candidate, attempt, tries)
        raise _summed_up(errors)

    def _next(self, tries: Mapping[_Candidate, int]) -> _Candidate | None:
        """Whoever is free first; the order decides between equals."""
        now = _now()
        left = [
            candidate
            for candidate, count in tries.items()
            if count < self._patience.tries and candidate.free_at - now <= self._patience.pause_cap
        ]
        return min(left, key=lambda one: (max(one.free_at, now), tries[one]), default=None)

    def _learn(self, candidate: _Candidate, attempt: _Attempt, tries: dict[_Candidate, int]) -> None:
        """What a failure means for the next try."""
        error = attempt.error
        if isinstance(error, ContentBlocked):
            raise error  # it is the question that is refused, not who asks
        if name := _find_refused(error, attempt.options):
            candidate.refused.add(name)
            tries[candidate] -= 1
            return
        if isinstance(error, Rejected) or not (error and error.retryable):
            tries[candidate] = self._patience.tries
            return
        pause = self._patience.pause * 2 ** (tries[candidate] - 1) * self._random.uniform(0.75, 1.25)
        pause = min(pause, self._patience.pause_cap) if error.retry_after is None else error.retry_after
        candidate.free_at = _now() + pause


class _Attempt:
    """One question to one candidate; `error` is why it said nothing."""

    def __init__(self, candidate: _Candidate, prompt: Prompt, options: Options) -> None:
        self.error: ProviderError | None = None
        self.options = candidate.options(options)
        self._stop = options.stop
        self._candidate = candidate
        self._prompt = prompt

    async def run(self) -> AsyncGenerator[ProviderEvent, None]:
        """The answer; after its first visible character an error is raised, before it is kept."""
        held: list[ProviderEvent] = []
        length, visible = 0, False
        try:
            answer = self._candidate.provider.stream(self._prompt, self.options)
            # Who refuses stop strings is held to them all the same.
            refused = self._stop if not self.options.stop else ()
            async with closing(end_at(answer, refused) if refused else answer) as events:
                async for event in events:
                    if not visible:
                        length += len(getattr(event, "text", ""))
                        visible = _is_visible(event) or length > HELD_CAP
                        if not visible:
                            yield _hold(event, held)
                            continue
                        for earlier in held:
                            yield earlier
                    yield event
        except ProviderError as error:
            if visible:
                raise
            self.error = error
            return
        if not visible:
            for earlier in held:
                yield earlier


def _hold(event: ProviderEvent, held: list[ProviderEvent]) -> ProviderEvent:
    """Keep it for later, and say so: a thought that waits is progress all the same."""
    if isinstance(event, KeepAlive):
        return event
    held.append(event)
    return ThoughtDelta("") if isinstance(event, ThoughtDelta) else KeepAlive()


def _is_visible(event: ProviderEvent) -> bool:
    return isinstance(event, ToolCall) or (isinstance(event, TextDelta) and bool(event.text.strip()))


def _find_refused(error: ProviderError | None, options: Options) -> str | None:
    """The parameter that a server refuses, if it names one that we sent."""
    if not isinstance(error, Rejected):
        return None
    words = str(error).lower()
    for name, pattern in _NAMES:
        if getattr(options, name) != _LEFT_OUT.get(name) and pattern.search(words):
            return name
    return next((key for key in options.extra if key.lower() in words), None)


def _summed_up(errors: Sequence[ProviderError]) -> ProviderError:
    """The last error, with a note about those before it."""
    if not errors:
        return RateLimited(
            "Every key must rest for longer than we wait.",
            user_message="The provider asks us to slow down. Try again in a few minutes.",
        )
    *earlier, last = errors
    for error in earlier:
        last.add_note(f"before that: {type(error).__name__}: {error}")
    return last


async def _wait(seconds: float) -> AsyncGenerator[KeepAlive, None]:
    """Wait, with signs of life."""
    until = _now() + seconds
    while (left := until - _now()) > 0:
        yield KeepAlive()
        await asyncio.sleep(min(left, SIGN_OF_LIFE))


def _now() -> float:
    return asyncio.get_running_loop().time()
