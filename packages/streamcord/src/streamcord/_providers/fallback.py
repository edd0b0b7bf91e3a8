"""Try several providers and models until one answers.

Once a character of an answer is visible, no other candidate is tried. A rate-limited key is left alone until
it may be used again, and other candidates are tried meanwhile. Errors that cannot go away (a wrong key, an
unknown model) are not retried. A parameter that a server rejects by name is left out for it for an hour.
Some servers quote the prompt in their errors, so a name that the prompt contains proves nothing.
Reasoning is buffered until the first text, because the reasoning of a failed attempt must not be shown.

Several keys of one model are a fallback of their own (`rotate_keys`): each request begins with the key that was used
longest ago, and a key that was refused rests for some minutes.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Mapping, Sequence, Set
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from .._events import Citation, GeneratedImage, KeepAlive, ProviderEvent, TextDelta, ThoughtDelta, ToolCall
from .._exceptions import ContentBlocked, ProviderError, RateLimited, Rejected, SettingsError
from .closing import closing
from .prompt import Options, Prompt, Provider, prefill_as_instruction
from .retry_policy import RetryPolicy
from .stop_sequences import stop_at

__all__ = ["Fallback", "rotate_keys", "with_fallbacks"]

_log = logging.getLogger(__name__)

KEEP_ALIVE_INTERVAL_S = 15.0
"""How often a `KeepAlive` is yielded while waiting for a candidate."""

KEY_REST_S = 300.0
"""How long a key rests that a server refused."""

REJECTED_FOR_S = 3600.0
"""How long a parameter is left out that a server rejected."""

MAX_BUFFERED_BYTES = 1024 * 1024
"""Reasoning and sources beyond this is yielded even if no text has come."""

# The names that servers use for a parameter in their errors. The first one that is named and was sent is dropped.
_PARAMETER_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("top_p", re.compile(r"\btop_?p\b")),
    ("temperature", re.compile(r"\btemperature\b")),
    ("max_tokens", re.compile(r"\bmax_?(completion_?|output_?)?tokens\b")),
    ("reasoning", re.compile(r"\b(reasoning|reasoning_effort|thinking|thinking_?config|effort)\b")),
    ("stop", re.compile(r"\bstop(_?sequences|_?strings)?\b")),
    ("tool_choice", re.compile(r"\btool_?choice\b")),
    ("server_tools", re.compile(r"\b(server_?)?tools\b")),
)
PREFILL = "prefill"
# "This model does not support assistant message prefill. The conversation must end with a user message."
_PREFILL_NAMES = re.compile(r"\bprefill|end with a user message|last message must be from the user")
# The values of `Options` that mean "not sent"; None for all others.
_UNSET: Mapping[str, Any] = {"stop": (), "tool_choice": "auto", "server_tools": ()}


@dataclass(slots=True, eq=False)
class _Candidate:
    """A provider (a key) with a model, and what is known about it."""

    provider: Provider
    model: str
    name: str
    """How it is called in logs and explanations."""
    used: int = 0
    """The number of the request that used it last."""
    free_at: float = 0.0
    """The time of the event loop's clock until which it must not be asked."""
    rejected: dict[str, float] = field(default_factory=dict)
    """Names of parameters that it does not accept, and until when they are left out."""

    def options(self, options: Options, also: Set[str] = frozenset()) -> Options:
        """Return the options with this candidate's model and without rejected parameters."""
        rejected = self._rejected_now() | also
        extra = {key: value for key, value in options.extra.items() if key not in rejected}
        unset: dict[str, Any] = {name: _UNSET.get(name) for name, _ in _PARAMETER_NAMES if name in rejected}
        return replace(options, model=self.model or options.model, extra=extra, **unset)

    def prompt(self, prompt: Prompt, also: Set[str] = frozenset()) -> Prompt:
        """Return the prompt, with an instruction in place of a prefill that this candidate rejects."""
        refused = prompt.prefill and PREFILL in self._rejected_now() | also
        return prefill_as_instruction(prompt) if refused else prompt

    def _rejected_now(self) -> set[str]:
        return {name for name, until in self.rejected.items() if until > _now()}


def with_fallbacks(
    *providers: Provider,
    models: Sequence[str] = (),
    retry: RetryPolicy | None = None,
    random: Random | None = None,
    names: Sequence[str] = (),
) -> Fallback:
    """Return a provider that tries several others: for each model every provider, which means every key.

    Args:
        *providers: The providers, in order of preference.
        models: The models, in order of preference; by default each provider's own.
        retry: How often and how long to retry.
        random: Varies the pauses, so that several clients do not retry at the same time.
        names: How the providers are called in `TurnResult.attempts`; by default by their models.

    Returns:
        The provider; keep it, because it remembers which of the others are rate-limited.

    Raises:
        SettingsError: No provider was given.

    Example:
        provider = with_fallbacks(HttpProvider("openai", model="gpt-5"), HttpProvider("anthropic", model=claude))
        await say(channel, provider.stream(user(question)))

    """
    if not providers:
        raise SettingsError("providers", "at least one")
    return Fallback(providers, models or ("",), retry or RetryPolicy(), random or Random(), names)


def rotate_keys(*providers: Provider, names: Sequence[str] = ()) -> Fallback:
    """Return a provider that uses several keys of one model in turn; give it to `with_fallbacks` for retries.

    Each request begins with the key that was used longest ago. If it fails, the others are tried once each. A key that
    is rate-limited or refused rests meanwhile.

    Args:
        *providers: One provider for each key.
        names: How the keys are called in `TurnResult.attempts` and in the log.

    Returns:
        The provider; keep it, because it remembers which keys rest.

    Raises:
        SettingsError: No provider was given.

    Example:
        keys = [HttpProvider("openai", key=key) for key in os.environ["KEYS"].split()]
        provider = with_fallbacks(rotate_keys(*keys))

    """
    if not providers:
        raise SettingsError("providers", "at least one")
    return Fallback(providers, ("",), RetryPolicy(max_attempts=1), Random(), names, rotates=True)


class Fallback:
    """A provider that tries several others; it remembers which of them are rate-limited.

    `with_fallbacks` makes one.

    Example:
        provider = with_fallbacks(first, second, retry=RetryPolicy(max_attempts=2))
        await say(channel, provider.stream(user(question)))

    """

    def __init__(
        self,
        providers: Sequence[Provider],
        models: Sequence[str],
        retry: RetryPolicy,
        random: Random,
        names: Sequence[str] = (),
        *,
        rotates: bool = False,
    ) -> None:
        self._candidates = [
            _Candidate(provider, model, _name_of(provider, model, number, names))
            for model in models
            for number, provider in enumerate(providers)
        ]
        self._retry = retry
        self._random = random
        # Whether the candidates are keys of one model, which are used in turn.
        self._rotates = rotates
        # Requests so far.
        self._requests = 0

    async def stream(
        self, prompt: Prompt, options: Options | None = None, /
    ) -> AsyncGenerator[ProviderEvent, None]:
        """Yield the answer of the first candidate that has one.

        Raises:
            ProviderError: The error of the last candidate, if none of them answered.

        """
        attempts = dict.fromkeys(self._candidates, 0)
        # Parameters that are left out of this request only.
        left_out: set[str] = set()
        errors: list[ProviderError] = []
        while candidate := self._next(attempts):
            async with aclosing(_wait(candidate.free_at - _now())) as keep_alives:
                async for keep_alive in keep_alives:
                    yield keep_alive
            attempts[candidate] += 1
            self._requests += 1
            candidate.used = self._requests
            attempt = _Attempt(candidate, prompt, options or Options(), left_out)
            async with aclosing(attempt.run()) as events:
                async for event in events:
                    yield event
            # A candidate of several keys tells of its own attempts.
            is_single = not isinstance(candidate.provider, Fallback)
            if attempt.error is None:
                if errors and is_single:
                    yield KeepAlive(attempt=f"{candidate.name}: answered")
                return
            if is_single:
                # A failed request costs money, too, so a meter has to know of it.
                how = f"{candidate.name}: {type(attempt.error).__name__}"
                yield KeepAlive(failed_attempt=True, was_started=attempt.was_started, attempt=how)
            errors.append(attempt.error)
            self._handle_failure(candidate, attempt, attempts, left_out)
        raise _combine_errors(errors, min(one.free_at for one in self._candidates) - _now())

    def _next(self, attempts: Mapping[_Candidate, int]) -> _Candidate | None:
        """Return the candidate that is free first; among equals, the one with fewer attempts, then by order.

        Keys of one model are taken in turn.
        """
        now = _now()
        available = [
            candidate
            for candidate, count in attempts.items()
            if count < self._retry.max_attempts and candidate.free_at - now <= self._retry.max_pause
        ]
        return min(
            available,
            key=lambda one: (max(one.free_at, now), attempts[one], one.used if self._rotates else 0),
            default=None,
        )

    def _handle_failure(
        self,
        candidate: _Candidate,
        attempt: _Attempt,
        attempts: dict[_Candidate, int],
        left_out: set[str],
    ) -> None:
        """Decide whether and when the candidate is tried again."""
        error = attempt.error
        if isinstance(error, ContentBlocked):
            raise error  # the prompt is refused, so another key would not help
        if isinstance(error, Rejected) and (found := _find_rejected_parameter(error, attempt)):
            # Try again at once without the parameter; this attempt does not count.
            name, is_certain = found
            left_out.add(name)
            if is_certain:
                candidate.rejected[name] = _now() + REJECTED_FOR_S
            attempts[candidate] -= 1
            return
        if self._rotates and isinstance(error, Rejected):
            if not error.refuses_key:
                raise error  # every key would get the same answer
            _log.warning("%s was refused and rests for %g s: %s", candidate.name, KEY_REST_S, error)
            candidate.free_at = _now() + KEY_REST_S
        if isinstance(error, Rejected) or not (error and error.retryable):
            attempts[candidate] = self._retry.max_attempts
            return
        pause = self._retry.pause * 2 ** (attempts[candidate] - 1) * self._random.uniform(0.75, 1.25)
        pause = min(pause, self._retry.max_pause) if error.retry_after is None else error.retry_after
        candidate.free_at = _now() + pause


class _Attempt:
    """One request to one candidate."""

    def __init__(self, candidate: _Candidate, prompt: Prompt, options: Options, left_out: Set[str]) -> None:
        self.error: ProviderError | None = None
        """Why the attempt failed before anything was visible."""
        self.was_started = False
        """Whether the server began to answer or let us wait until the timeout."""
        self.options = candidate.options(options, left_out)
        self._stop = options.stop
        self._candidate = candidate
        self.prompt = candidate.prompt(prompt, left_out)

    async def run(self) -> AsyncGenerator[ProviderEvent, None]:
        """Yield the answer; an error after its first visible character is raised, an earlier one is kept."""
        buffered: list[ProviderEvent] = []
        length, visible = 0, False
        try:
            answer = self._candidate.provider.stream(self.prompt, self.options)
            # If the server rejects stop sequences, they still end the answer here.
            own_stops = self._stop if not self.options.stop else ()
            async with closing(stop_at(answer, own_stops) if own_stops else answer) as events:
                async for event in events:
                    self.was_started = True
                    if not visible:
                        length += _size(event)
                        visible = _is_visible(event) or length > MAX_BUFFERED_BYTES
                        if not visible:
                            yield _buffer(event, buffered)
                            if size := _size(event):
                                yield KeepAlive(buffered=size)
                            continue
                        for earlier in buffered:
                            yield earlier
                    yield event
        except ProviderError as error:
            if visible:
                raise
            self.error = error
            self.was_started = self.was_started or isinstance(error.__cause__, TimeoutError)
            return
        if not visible:
            for earlier in buffered:
                yield earlier


def _buffer(event: ProviderEvent, buffered: list[ProviderEvent]) -> ProviderEvent:
    """Keep the event for later and return an empty one: buffered reasoning counts as progress."""
    if isinstance(event, KeepAlive):
        return event
    buffered.append(event)
    return ThoughtDelta("") if isinstance(event, ThoughtDelta) else KeepAlive()


def _size(event: ProviderEvent) -> int:
    """Return the bytes of a buffered event, for a meter and for the limit of what is buffered."""
    match event:
        case TextDelta(text) | ThoughtDelta(text):
            return len(text.encode("utf-8", "replace"))
        case Citation():
            return len(event.url) + len(event.title) + len(event.quote)
        case _:
            return 0


def _is_visible(event: ProviderEvent) -> bool:
    return isinstance(event, ToolCall | GeneratedImage) or (
        isinstance(event, TextDelta) and bool(event.text.strip())
    )


def _find_rejected_parameter(error: Rejected, attempt: _Attempt) -> tuple[str, bool] | None:
    """Return the parameter that a server rejects, if it was sent, and whether that is certain.

    It is certain if the server names it in a field of its own, or in words that cannot be a quote of the prompt.
    Otherwise a user could write "max_tokens" and have it left out of everybody's requests.
    """
    sent = [name for name, _ in _PARAMETER_NAMES if getattr(attempt.options, name) != _UNSET.get(name)]
    patterns = [(name, pattern) for name, pattern in _PARAMETER_NAMES if name in sent]
    patterns += [(key, re.compile(re.escape(key.lower()))) for key in attempt.options.extra]
    if attempt.prompt.prefill:
        patterns.append((PREFILL, _PREFILL_NAMES))
    if error.parameter:
        # A path such as `generation_config.temperature` or `stop[0]`.
        parts = re.split(r"[.\[\]]+", error.parameter.lower())
        named = (name for name, pattern in patterns if any(map(pattern.fullmatch, parts)))
        if (name := next(named, None)) is not None:
            return name, True
        # The field of a refused prefill is that of all messages.
        if not (attempt.prompt.prefill and parts[0] in {"messages", "input", "contents"}):
            return None
        patterns = [(PREFILL, _PREFILL_NAMES)]
    message = str(error).lower()
    prompt = ""
    for name, pattern in patterns:
        if found := pattern.search(message):
            prompt = prompt or _letters(_words_of(attempt.prompt))
            is_certain = _letters(found[0]) not in prompt
            # Without this one an answer may cost any amount, so a possible quote is not enough.
            return (name, is_certain) if is_certain or name != "max_tokens" else None
    return None


def _words_of(prompt: Prompt) -> str:
    """Return everything that a server could quote, without the names of our own fields."""
    return repr((prompt.system, prompt.prefill, prompt.messages, prompt.tools))


def _letters(text: str) -> str:
    """Return only the letters and digits: a server may quote `max_tokens` escaped or in other cases."""
    return re.sub(r"[\W_]+", "", text.lower())


def _name_of(provider: Provider, model: str, number: int, names: Sequence[str]) -> str:
    """Return the name of a candidate: as given, or its model."""
    given = names[number] if number < len(names) else ""
    return (
        " ".join(filter(None, (given, model))) or getattr(provider, "model", "") or f"provider {number + 1}"
    )


def _combine_errors(errors: Sequence[ProviderError], rest: float) -> ProviderError:
    """Return the last error, with the earlier ones as notes; `rest` is how long the first key rests."""
    if not errors:
        return RateLimited(
            "All keys are rate-limited for longer than the longest pause.",
            user_message="The provider asks us to slow down. Try again in a few minutes.",
            retry_after=rest,
        )
    *earlier, last = errors
    for error in earlier:
        last.add_note(f"before that: {type(error).__name__}: {error}")
    return last


async def _wait(seconds: float) -> AsyncGenerator[KeepAlive, None]:
    """Wait, and yield keep-alives meanwhile."""
    until = _now() + seconds
    while (left := until - _now()) > 0:
        yield KeepAlive()
        await asyncio.sleep(min(left, KEEP_ALIVE_INTERVAL_S))


def _now() -> float:
    return asyncio.get_running_loop().time()
