"""Try several providers and models until one answers.

A rate-limited key is left alone until it may be used again, and other candidates are tried meanwhile. Errors that
cannot go away (a wrong key, an unknown model) are not retried. A parameter that a server rejects by name is left out
for it for an hour.

Words that were shown stay. If an answer is cut off after its first character, `after_failure` decides: another attempt
continues it or begins it once more, or the error is raised. Calls of tools that came before the failure are made as if
the answer had ended there, so no call is lost and none is made twice.

Several keys of one model are a fallback of their own (`rotate_keys`): each request begins with the key that was used
longest ago, and a key that was refused rests for some minutes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from random import Random
from typing import get_args

from .._events import Finish, FinishReason, KeepAlive, ProviderEvent, StreamPosition
from .._exceptions import ContentBlocked, ProviderError, RateLimited, RequestRejected, SettingsError
from .fallback_answer import AnswerState
from .fallback_attempt import Attempt, Candidate
from .prompt import AfterFailure, Options, Prompt, Provider
from .rejected_parameters import PREFILL, find_rejected_parameter
from .retry_policy import RetryPolicy

_log = logging.getLogger(__name__)

KEEP_ALIVE_INTERVAL_S = 15.0
"""How often a `KeepAlive` is yielded while waiting for a candidate."""

KEY_REST_S = 300.0
"""How long a key rests that a server refused."""

REJECTED_FOR_S = 3600.0
"""How long a parameter is left out that a server rejected."""

MID_ANSWER_IDLE_S = 90.0
"""An answer that may continue is given up after this much silence."""


def with_fallbacks(
    *providers: Provider,
    models: Sequence[str] = (),
    retry: RetryPolicy | None = None,
    random: Random | None = None,
    names: Sequence[str] = (),
    after_failure: AfterFailure = "stop",
    idle: float = MID_ANSWER_IDLE_S,
) -> Fallback:
    """Return a provider that tries several others: for each model every provider, which means every key.

    Args:
        *providers: The providers, in order of preference.
        models: The models, in order of preference; by default each provider's own.
        retry: How often and how long to retry.
        random: Varies the pauses, so that several clients do not retry at the same time.
        names: How the providers are called in `TurnResult.attempts`; by default by their models.
        after_failure: What happens when an answer is cut off in the middle. `continue`: the same provider, then the
            others, are asked to continue it, and words that were shown stay. `restart`: they begin it once more, in a
            new message. `stop`: the error is raised.
        idle: Seconds of silence in the middle of an answer after which it counts as broken off, unless it stops then
            anyway; less than `Settings.idle_timeout`.

    Returns:
        The provider; keep it, because it remembers which of the others are rate-limited.

    Raises:
        SettingsError: No provider was given, or `after_failure` is unknown.

    Example:
        provider = with_fallbacks(HttpProvider("openai", model="gpt-5"), HttpProvider("anthropic", model=claude))
        await say(channel, provider.stream(user(question)))

    """
    if not providers:
        raise SettingsError("providers", "at least one")
    if after_failure not in get_args(AfterFailure):
        raise SettingsError("after_failure", " or ".join(get_args(AfterFailure)), after_failure)
    return Fallback(
        providers,
        models or ("",),
        retry or RetryPolicy(),
        random or Random(),
        names,
        after_failure=after_failure,
        idle=idle,
    )


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

    def __init__(  # noqa: PLR0913 - `with_fallbacks` is what callers use
        self,
        providers: Sequence[Provider],
        models: Sequence[str],
        retry: RetryPolicy,
        random: Random,
        names: Sequence[str] = (),
        *,
        rotates: bool = False,
        after_failure: AfterFailure = "stop",
        idle: float = 0.0,
    ) -> None:
        self._candidates = [
            Candidate(provider, model, _name_of(provider, model, number, names))
            for model in models
            for number, provider in enumerate(providers)
        ]
        self._retry = retry
        self._random = random
        # Whether the candidates are keys of one model, which are used in turn.
        self._rotates = rotates
        self._after_failure: AfterFailure = after_failure
        self._idle = idle
        # Requests so far.
        self._requests = 0

    @property
    def continues(self) -> bool:
        """Whether all models continue a prefill exactly where it ends, instead of answering it."""
        return all(candidate.continues() for candidate in self._candidates)

    async def stream(
        self, prompt: Prompt, options: Options | None = None, /
    ) -> AsyncGenerator[ProviderEvent, None]:
        """Yield the answer of the first candidate that has one; another continues if it is cut off.

        Raises:
            ProviderError: The error of the last candidate, if none of them answered, or the one that cut off an
                answer which no one continued.

        """
        options = options or Options()
        answer = AnswerState(options.after_failure or self._after_failure)
        try:
            async with aclosing(self._stream(prompt, options, answer)) as events:
                async for event in events:
                    yield event
        except ProviderError:
            for told in answer.take_reports(with_word=True):
                yield told
            raise

    async def _stream(
        self, prompt: Prompt, options: Options, answer: AnswerState
    ) -> AsyncGenerator[ProviderEvent, None]:
        errors: list[ProviderError] = []
        if options.resume is not None:
            async with aclosing(self._resume(prompt, options, answer, errors)) as events:
                async for event in events:
                    yield event
            if answer.last_break is None:
                return
        options = replace(options, resume=None)
        async with aclosing(self._answer(prompt, options, answer, errors)) as events:
            async for event in events:
                yield event

    async def _answer(
        self, prompt: Prompt, options: Options, answer: AnswerState, errors: list[ProviderError]
    ) -> AsyncGenerator[ProviderEvent, None]:
        """Yield the answer, or the rest of one that was cut off."""
        attempts = dict.fromkeys(self._candidates, 0)
        # Parameters that are left out of this request only.
        left_out: set[str] = set()
        while candidate := answer.same or self._next(attempts):
            # An answer that starts over leaves its first part with the word inside of which it was cut off.
            restarts = answer.after_failure == "restart" and answer.was_visible
            for event in answer.take_reports(with_word=restarts):
                yield event
            async with aclosing(_wait(0 if answer.same else candidate.free_at - _now())) as keep_alives:
                async for keep_alive in keep_alives:
                    yield keep_alive
            attempts[candidate] += 1
            self._requests += 1
            candidate.used = self._requests
            attempt = Attempt(
                candidate, prompt, options, left_out, answer.last_break, answer.idle(self._idle)
            )
            async with aclosing(attempt.run()) as events:
                async for event in events:
                    yield answer.record(event)
            if attempt.error is None:
                for told in _report(candidate, attempt) if errors else ():
                    yield told
                return
            answer.on_cut(attempt)
            if attempt.is_visible and not answer.can_go_on:
                raise answer.first_error or attempt.error
            answer.reports = _report(candidate, attempt)
            if attempt.is_visible and answer.partial.has_calls:
                # The calls that came are made; then the model is asked again anyway.
                for event in answer.take_reports(with_word=True):
                    yield event
                yield Finish(FinishReason.TOOL_CALLS)
                return
            errors.append(attempt.error)
            if answer.on_failure(candidate, attempt):
                attempts[candidate] -= 1
            else:
                self._handle_failure(candidate, attempt, attempts, left_out, answer.first_error)
        rest = min(one.free_at for one in self._candidates) - _now()
        raise _combine_errors(errors, rest, answer.first_error)

    def owns(self, position: StreamPosition) -> bool:
        """Return whether one of the candidates may take up a stream at this position."""
        return any(candidate.owns(position) for candidate in self._candidates)

    async def cancel(self, position: StreamPosition) -> bool:
        """End an answer that one of the providers would generate to its end; see `HttpProvider.cancel`.

        Args:
            position: The last position of the stream.

        Example:
            await provider.cancel(last)

        """
        for candidate in self._candidates:
            if candidate.owns(position) and await candidate.cancel(position):
                return True
        return False

    async def _resume(
        self, prompt: Prompt, options: Options, answer: AnswerState, errors: list[ProviderError]
    ) -> AsyncGenerator[ProviderEvent, None]:
        """Yield the rest of a stream that one of the candidates takes up.

        Raises:
            ProviderError: None of them has it, or it was cut off again and no one may continue with it.

        """
        assert options.resume is not None
        for candidate in [one for one in self._candidates if one.owns(options.resume)]:
            for told in answer.take_reports():
                yield told
            attempt = Attempt(candidate, prompt, options, set(), None, answer.idle(self._idle))
            async with aclosing(attempt.run()) as events:
                async for event in events:
                    yield answer.record(event)
            if attempt.error is None:
                return
            answer.on_cut(attempt)
            answer.reports = _report(candidate, attempt)
            errors.append(attempt.error)
            if attempt.is_visible:
                if not answer.can_go_on or answer.partial.has_calls:
                    raise attempt.error
                answer.on_failure(candidate, attempt)
                return
        raise errors[-1] if errors else RequestRejected("No provider can take up this stream.")

    def _next(self, attempts: Mapping[Candidate, int]) -> Candidate | None:
        """Return the candidate that is free first; among equals, the one with fewer attempts, then by order.

        Keys of one model are taken in turn.
        """
        now = _now()
        available = [
            candidate
            for candidate, count in attempts.items()
            if self._retry.allows(count, candidate.free_at - now)
        ]
        return min(
            available,
            key=lambda one: (max(one.free_at, now), attempts[one], one.used if self._rotates else 0),
            default=None,
        )

    def _handle_failure(
        self,
        candidate: Candidate,
        attempt: Attempt,
        attempts: dict[Candidate, int],
        left_out: set[str],
        broke_off: ProviderError | None,
    ) -> None:
        """Decide whether and when the candidate is tried again."""
        error = attempt.error
        if isinstance(error, ContentBlocked):
            raise broke_off or error  # the prompt is refused, so another key would not help
        if isinstance(error, RequestRejected) and (
            found := find_rejected_parameter(error, attempt.prompt, attempt.options)
        ):
            # Try again at once without the parameter; this attempt does not count.
            name, is_certain = found
            left_out.add(name)
            if is_certain:
                candidate.rejected[name] = _now() + REJECTED_FOR_S
            attempts[candidate] -= 1
            return
        if isinstance(error, RequestRejected) and attempt.is_exact and not attempt.is_visible:
            # Perhaps the prefill was refused: ask in words.
            left_out.add(PREFILL)
            attempts[candidate] -= 1
            return
        if self._rotates and isinstance(error, RequestRejected):
            if not error.refuses_key:
                raise error  # every key would get the same answer
            _log.warning("%s was refused and rests for %g s: %s", candidate.name, KEY_REST_S, error)
            candidate.free_at = _now() + KEY_REST_S
        if isinstance(error, RequestRejected) or not (error and error.retryable):
            attempts[candidate] = self._retry.max_attempts
            return
        pause = self._retry.next_pause(attempts[candidate], error.retry_after, self._random)
        candidate.free_at = _now() + pause


def _report(candidate: Candidate, attempt: Attempt) -> tuple[KeepAlive, ...]:
    """Return the event that tells how an attempt ended; a candidate of several keys tells of its own attempts."""
    if isinstance(candidate.provider, Fallback) and (attempt.error is None or attempt.provider_failed):
        return ()
    if attempt.error is None:
        return (KeepAlive(attempt=f"{candidate.name}: answered"),)
    # A failed request costs money, too, so a meter has to know of it.
    how = f"{candidate.name}: {type(attempt.error).__name__}"
    return (KeepAlive(failed_attempt=True, was_started=attempt.was_started, attempt=how),)


def _name_of(provider: Provider, model: str, number: int, names: Sequence[str]) -> str:
    """Return the name of a candidate: as given, or its model."""
    given = names[number] if number < len(names) else ""
    return (
        " ".join(filter(None, (given, model))) or getattr(provider, "model", "") or f"provider {number + 1}"
    )


def _combine_errors(
    errors: Sequence[ProviderError], rest: float, broke_off: ProviderError | None
) -> ProviderError:
    """Return the error that cut off the answer, or the last one, with the others as notes.

    `rest` is how long the first key rests.
    """
    if broke_off is not None:
        for error in errors:
            if error is not broke_off:
                broke_off.add_note(f"after that: {type(error).__name__}: {error}")
        return broke_off
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
