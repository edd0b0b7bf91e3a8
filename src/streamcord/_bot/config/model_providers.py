"""Providers for the models of a configuration."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from streamcord.providers import Provider, first_that_answers

from .config import BotConfig
from .sections import ModelConfig

if TYPE_CHECKING:
    from streamcord.providers import HttpProvider

__all__ = ["build_provider", "open_providers"]


def build_provider(model: ModelConfig) -> HttpProvider:
    """The provider that speaks to a model; close it with `aclose`."""
    from streamcord.providers import HttpProvider  # noqa: PLC0415  (an extra)

    return HttpProvider(
        model.provider,
        model=model.model,
        key=model.key,
        base_url=model.base_url,
        allow_http=model.allow_http,
    )


@asynccontextmanager
async def open_providers(config: BotConfig) -> AsyncIterator[dict[str, Provider]]:
    """A provider for each model of the file, with its fallbacks, closed at the end of the block."""
    async with AsyncExitStack() as stack:
        opened = {
            name: await stack.enter_async_context(build_provider(model))
            for name, model in config.models.items()
        }
        yield {
            name: first_that_answers(opened[name], *(opened[other] for other in model.fallback))
            for name, model in config.models.items()
        }
