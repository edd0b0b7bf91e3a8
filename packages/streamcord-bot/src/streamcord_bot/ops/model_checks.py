"""Check a model: whether it answers, whether its provider still offers it, and what takes its place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from datetime import UTC, date, datetime
from difflib import get_close_matches

from streamcord import ProviderError, SettingsError
from streamcord.providers import PRESETS, AvailableModel, Options, user

from ..config import ModelConfig, build_provider
from ..config.known_models import Retirement, find_retirement, suggested_models
from .check_result import REQUEST_TIMEOUT_S, CheckResult

LIST_TIMEOUT_S = 10.0


async def check_model(model: ModelConfig, *, online: bool = True, today: date | None = None) -> CheckResult:
    """Ask for one word, since nothing else proves that address, key and model fit together."""
    subject = f"model {model.name}"
    today = today or datetime.now(UTC).date()
    if model.needs_key and not model.key:
        advice = f"Get a key from {model.provider}; then: export {model.secret_name}=..."
        return CheckResult(subject, ok=False, words=f"{model.secret_name} is not set", advice=advice)
    if not (model.base_url or PRESETS[model.provider].base_url):
        advice = f'Add base_url = "https://host/v1" to [models.{model.name}] in the file.'
        return CheckResult(subject, ok=False, words=f"{model.provider} has no address", advice=advice)
    # Another server may offer a model for longer than its provider.
    retirement = None if model.base_url else find_retirement(model.provider, model.model)
    if not online:
        if retirement is not None and retirement.day <= today:
            return _gone(model, f"was switched off on {retirement.day}", retirement.successor)
        words = f"{model.provider} {model.model} (not asked){_end_notice(retirement, today)}"
        return CheckResult(subject, ok=True, words=words)
    return await _ask_each_key(model, retirement, today)


async def _ask_each_key(model: ModelConfig, retirement: Retirement | None, today: date) -> CheckResult:
    subject = f"model {model.name}"
    for number, key in enumerate(model.keys, 1):
        which = f"key {number} of {len(model.keys)}: " if model.more_keys else ""
        try:
            await asyncio.wait_for(_ask_for_one_word(model, key), REQUEST_TIMEOUT_S)
        except (ProviderError, TimeoutError) as error:
            offered = await find_models(model, key)
            if (gone := _find_gone(model, offered, retirement, today)) is not None:
                return gone
            words = _describe_failure(error)
            return CheckResult(subject, ok=False, words=which + words, advice=_advise(model, error))
        except SettingsError as error:
            advice = f"See [models.{model.name}] in the file."
            return CheckResult(subject, ok=False, words=which + str(error), advice=advice)
    if retirement is None:
        retirement = await _ask_for_end(model)
    words = f"{model.provider} {model.model} answers{_end_notice(retirement, today)}"
    return CheckResult(subject, ok=True, words=words)


async def find_models(model: ModelConfig, key: str) -> tuple[AvailableModel, ...]:
    """Return the models that the provider offers; empty if it cannot be asked."""
    try:
        async with asyncio.timeout(LIST_TIMEOUT_S), build_provider(model, key) as provider:
            return await provider.list_models()
    except (ProviderError, SettingsError, TimeoutError):
        # A list is a help only: some servers have none.
        return ()


def _find_gone(
    model: ModelConfig, offered: Sequence[AvailableModel], retirement: Retirement | None, today: date
) -> CheckResult | None:
    """Return the result for a model that does not answer because it does not exist, or `None`."""
    names = [one.name for one in offered]
    successor = retirement.successor if retirement else ""
    if retirement is not None and retirement.day <= today and model.model not in names:
        return _gone(model, f"was switched off on {retirement.day}", _choose(successor, model, names))
    # An alias is not in every list, so only the list and the failure together mean that there is no such model.
    if names and model.model not in names:
        return _gone(model, "is not offered", _choose(successor, model, names))
    return None


def _choose(successor: str, model: ModelConfig, names: Sequence[str]) -> str:
    """Return what to write instead: the known successor, a similar name, or what `init` suggests."""
    similar = get_close_matches(model.model[:100], names[:2000], 1)
    usual = suggested_models().get(model.provider, "")
    wanted = (successor, *similar, usual, *names[:1])
    return next((name for name in wanted if name and (not names or name in names)), successor)


def _gone(model: ModelConfig, what: str, successor: str) -> CheckResult:
    advice = f'Write model = "{successor}" in [models.{model.name}].'
    return CheckResult(
        f"model {model.name}", ok=False, words=f"{model.provider} {model.model} {what}", advice=advice
    )


async def _ask_for_end(model: ModelConfig) -> Retirement | None:
    """Return when the provider says that a model ends, without a successor."""
    ends = next((one.ends for one in await find_models(model, model.key) if one.name == model.model), "")
    try:
        return Retirement(date.fromisoformat(ends), "") if ends else None
    except ValueError:
        return None


def _end_notice(retirement: Retirement | None, today: date) -> str:
    if retirement is None or retirement.day <= today:
        return ""
    then = f", then write {retirement.successor}" if retirement.successor else ""
    return f"; it is switched off on {retirement.day}{then}"


def _describe_failure(error: ProviderError | TimeoutError) -> str:
    """Return what happened, with the words of the provider: only the operator sees them here."""
    if isinstance(error, TimeoutError):
        return f"no answer in {REQUEST_TIMEOUT_S:.0f} seconds"
    said = str(error)
    return error.user_message if said == error.user_message else f"{error.user_message} ({said})"


def _advise(model: ModelConfig, error: ProviderError | TimeoutError) -> str:
    """Return what to do about a model that does not answer."""
    # A server that answers with a status is running.
    is_running = getattr(error, "status", None) is not None
    if not model.needs_key and not PRESETS[model.provider].key_name and not is_running:
        where = model.base_url or PRESETS[model.provider].base_url
        return (
            f"Start {model.provider} (it is expected at {where}), or see [models.{model.name}] in the file."
        )
    return f"See [models.{model.name}] in the file, and {model.secret_name} in the environment."


async def _ask_for_one_word(model: ModelConfig, key: str) -> None:
    async with (
        build_provider(model, key) as provider,
        aclosing(provider.stream(user("Say hi."), Options(max_tokens=64))) as events,
    ):
        async for _ in events:
            return
