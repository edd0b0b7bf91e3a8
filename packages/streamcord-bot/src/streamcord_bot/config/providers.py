"""Build the providers of the configured models: keys in turn, fallbacks, retries."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from streamcord.providers import Provider, rotate_keys, with_fallbacks
from streamcord.settings import read_settings

from .bot_config import BotConfig
from .models import ModelConfig

if TYPE_CHECKING:
    from streamcord.providers import HttpProvider


def build_provider(model: ModelConfig, key: str | None = None) -> HttpProvider:
    """Return the provider of a model, with its first key or with this one; close it with `aclose`."""
    # It needs aiohttp, which the library only has as an extra.
    from streamcord.providers import HttpProvider  # noqa: PLC0415  (an extra)

    return HttpProvider(
        model.provider,
        model=model.model,
        key=model.key if key is None else key,
        base_url=model.base_url,
        allow_http=model.allow_http,
    )


@asynccontextmanager
async def open_providers(config: BotConfig) -> AsyncIterator[dict[str, Provider]]:
    """Open a provider for each model of the file, with its fallbacks; they are closed at the end of the block."""
    # Silence in mid-answer must be noticed before the whole answer is given up.
    idle_timeout = read_settings(config.settings)[0].idle_timeout
    async with AsyncExitStack() as stack:
        opened = {name: await _open_keys(stack, model) for name, model in config.models.items()}
        yield {
            # Models share their connections: each provider is opened once, even as a fallback of several others.
            name: with_fallbacks(
                opened[name],
                *(opened[other] for other in model.fallback),
                names=(name, *model.fallback),
                idle=idle_timeout * 0.75,
            )
            for name, model in config.models.items()
        }


async def _open_keys(stack: AsyncExitStack, model: ModelConfig) -> Provider:
    """Open a provider for each key of a model; several keys are used in turn."""
    opened = [await stack.enter_async_context(build_provider(model, key)) for key in model.keys]
    names = [f"{model.name}, key {number}" for number in range(1, len(opened) + 1)]
    return rotate_keys(*opened, names=names) if len(opened) > 1 else opened[0]
