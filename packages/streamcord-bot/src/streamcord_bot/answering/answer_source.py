"""Ask the model for one answer, or for the rest of an interrupted one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from streamcord import (
    AnswerContext,
    Message,
    ProviderEvent,
    Settings,
    clean_tool_text,
)
from streamcord.providers import Options, Prompt, Provider, drop_overlap, with_tools
from streamcord.store import TurnJournal

from ..budget.budget import Budget
from ..budget.limits import Payer
from ..budget.metered_provider import MeteredProvider
from ..config import BotConfig
from ..ops.connectivity import DiscordClock
from ..ops.metrics import Metrics
from ..state import BotState
from .answer_plan import AnswerPlan
from .builtin_tools import Tools, make_table_source
from .continuation import continue_answer, describe_calls, record_calls

__all__ = ["AnswerSource", "AnswerSources", "clean_posts"]


class AnswerSources:
    """Opens the model for answers, on the budget of the person who asked."""

    def __init__(
        self,
        config: BotConfig,
        providers: Mapping[str, Provider],
        tools: Tools,
        budget: Budget,
        state: BotState,
        metrics: Metrics,
        clock: DiscordClock,
    ) -> None:
        self.config = config
        self.tools = tools
        self.metrics = metrics
        self.clock = clock
        self._providers = providers
        self._budget = budget
        self._state = state

    def provider(self, model: str = "") -> Provider:
        """Return the provider of a model, or the first one."""
        return self._providers.get(model) or next(iter(self._providers.values()))

    def open(self, plan: AnswerPlan, tables: Callable[[int], Sequence[str]]) -> AnswerSource:
        """Return the source of one answer; `tables` returns those shown in a channel."""
        name = plan.channel_config.model
        metered = MeteredProvider(
            self.provider(name),
            self._budget,
            Payer(plan.question.payer, plan.channel_config.place.guild),
            name or next(iter(self.config.models), ""),
            self.config.prices_of(name),
            self._state.run_later,
            self.metrics.record_request,
        )
        return AnswerSource(self, plan, metered, tables)


class AnswerSource:
    """The model's text for one answer."""

    def __init__(
        self,
        sources: AnswerSources,
        plan: AnswerPlan,
        provider: MeteredProvider,
        tables: Callable[[int], Sequence[str]],
    ) -> None:
        self.provider = provider
        self._sources = sources
        self._plan = plan
        self._tables = tables

    def begin(
        self, prompt: Prompt, journal: TurnJournal | None
    ) -> tuple[AsyncIterator[ProviderEvent | Message], Settings, AnswerContext]:
        """Return the model's text, or the rest of it, and the settings and context with which it began."""
        plan = self._plan
        if journal is None or journal.saved is None:
            return self._stream(prompt, journal), plan.settings, plan.answer_context
        # From here on another process, or an earlier attempt, has written a part of the answer.
        self._sources.metrics.record_recovery("recovered", self._sources.clock() - journal.saved.updated_at)
        source = continue_answer(
            lambda asked: self._stream(asked, journal),
            prompt,
            self._sources.provider(plan.channel_config.model),
            journal.text,
            complete=journal.saved.complete,
            calls=describe_calls(journal),
        )
        # The journal holds no secrets, and permissions to mention may have changed since.
        now, saved = plan.settings, journal.saved
        settings = replace(saved.settings, secrets=now.secrets, mentions=now.mentions)
        return source, settings, saved.context

    def _stream(self, prompt: Prompt, journal: TurnJournal | None) -> AsyncIterator[ProviderEvent | Message]:
        source = self._ask(prompt, journal)
        if not self._plan.channel_config.answer.drop_overlap:
            return source
        # The wrapper takes plain text, too, which no provider of the bot yields.
        return cast("AsyncIterator[ProviderEvent | Message]", drop_overlap(source))

    def _ask(self, prompt: Prompt, journal: TurnJournal | None) -> AsyncIterator[ProviderEvent | Message]:
        config, plan = self._sources.config, self._plan
        model = config.model(plan.channel_config.model) if config.models else None
        options = model.options if model else Options()
        # Names are not among them: a server would end the answer at `User:` in a code example, too. The speaker
        # guard closes the connection at the first line of another speaker, so few tokens are wasted.
        options = options.with_stops(plan.settings.stop_strings)
        if model is not None and not model.tools:
            # Some models reject requests that contain tools.
            return self.provider.stream(prompt, options)
        tools = self._sources.tools.chosen(
            config.tools.enabled, [make_table_source(self._tables(plan.question.channel))]
        )
        # Calls are recorded, so that a resumed answer does not repeat their side effects.
        kept = record_calls(tools, journal)
        # A tool that runs must not look like a silent model, however short the idle timeout is.
        keep_alive = min(config.tools.limits.keep_alive, plan.settings.idle_timeout / 3)
        limits = replace(config.tools.limits, keep_alive=keep_alive)
        words = with_tools(self.provider, prompt, kept, options=options, limits=limits)
        return clean_posts(words, plan.settings, plan.answer_context)


async def clean_posts(
    source: AsyncIterator[ProviderEvent | Message], settings: Settings, context: AnswerContext
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """Yield the events of a source; posts of tools are cleaned like answers, for this turn's people and emoji."""
    try:
        async for event in source:
            if isinstance(event, Message):
                content = clean_tool_text(event.content, settings, context=context)
                # Nothing is left of a post that was only a label or an unknown emoji.
                if content or event.files:
                    yield replace(event, content=content)
            else:
                yield event
    finally:
        if close := getattr(source, "aclose", None):
            await close()
