"""What a model says to one question: asked anew, or what is left of an answer that broke off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import replace

from streamcord import Message, ProviderEvent, Settings, TextDelta, stop_strings
from streamcord.providers import Options, Prompt, with_tools
from streamcord.store import TurnJournal

from ..budget.metered import MeteredProvider
from ..budget.spending_rules import Payer
from ..durability.continuing import continue_answer, keep_calls, tell_calls
from ..services import Services
from .answer_plan import AnswerPlan
from .builtin_tools import make_table_source

__all__ = ["AnswerSource", "delay_words"]


class AnswerSource:
    """Asks the model of one answer, on the budget of whoever asked; `tables` are those shown in a channel."""

    def __init__(self, services: Services, plan: AnswerPlan, tables: Callable[[int], Sequence[str]]) -> None:
        self._services = services
        self._plan = plan
        self._tables = tables
        self.provider = _make_provider(services, plan)

    def begin(
        self, prompt: Prompt, journal: TurnJournal | None
    ) -> tuple[AsyncIterator[ProviderEvent | Message], Settings]:
        """The model's words, or what is left of them, and the settings under which they began."""
        plan = self._plan
        if journal is None or journal.saved is None:
            return delay_words(self._stream(prompt, journal), plan.question.hold), plan.settings
        self._services.metrics.note_recovery("recovered", self._services.clock() - journal.saved.touched)
        source = continue_answer(
            lambda asked: self._stream(asked, journal),
            prompt,
            self._services.provider(plan.channel_config.model),
            journal.text,
            complete=journal.saved.complete,
            calls=tell_calls(journal),
        )
        # Keys stand in no journal, and who may be pinged is asked now.
        now = plan.settings
        return source, replace(journal.saved.settings, secrets=now.secrets, mentions=now.mentions)

    def _stream(self, prompt: Prompt, journal: TurnJournal | None) -> AsyncIterator[ProviderEvent | Message]:
        services, config, plan = self._services, self._services.config, self._plan
        model = config.model(plan.channel_config.model) if config.models else None
        options = model.options if model else Options()
        options = options.with_stops(stop_strings(plan.settings))
        if model is not None and not model.tools:
            return self.provider.stream(prompt, options)
        tools = services.tools.chosen(
            config.tools.enabled, [make_table_source(self._tables(plan.question.channel))]
        )
        kept = keep_calls(tools, journal)
        return with_tools(self.provider, prompt, kept, options=options, limits=config.tools.limits)


def _make_provider(services: Services, plan: AnswerPlan) -> MeteredProvider:
    """The model that was chosen, on the budget of whoever asks."""
    name = plan.channel_config.model
    payer = Payer(plan.question.payer, plan.channel_config.place.guild)
    model = name or next(iter(services.config.models), "")
    return MeteredProvider(
        services.provider(name),
        services.budget,
        payer,
        model,
        services.config.prices_of(name),
        services.run_later,
        services.metrics.note_request,
    )


async def delay_words(
    source: AsyncIterator[ProviderEvent | Message], until: float
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """The same events, but text is held back until this loop time; the model goes on meanwhile."""
    clock = asyncio.get_running_loop().time
    try:
        async for event in source:
            if isinstance(event, TextDelta | Message) and (wait := until - clock()) > 0:
                await asyncio.sleep(wait)
            yield event
    finally:
        if close := getattr(source, "aclose", None):
            await close()
