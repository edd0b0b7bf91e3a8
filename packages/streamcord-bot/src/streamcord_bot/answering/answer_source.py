"""Ask the model for one answer, or for the rest of an interrupted one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import cast

from streamcord import AnswerContext, Ask, Decision, Finish, Message, ProviderEvent, Settings
from streamcord.providers import (
    CHOICES_TOOL,
    Options,
    Prompt,
    Provider,
    TextChoices,
    Tool,
    ToolLimits,
    drop_overlap,
    make_choices,
    user,
    with_tools,
)
from streamcord.records import StreamPosition
from streamcord.store import TurnJournal
from streamcord.utils import SecretFilter, clean_tool_text, make_links_safe

from ..budget.budget import Budget
from ..budget.limits import Payer
from ..budget.metered_provider import MeteredProvider
from ..budget.pricing import show_money
from ..config import BotConfig
from ..i18n import translate
from ..ops.connectivity import DiscordClock
from ..ops.metrics import Metrics
from ..policy.tool_access import may_call
from ..prompt.prompt_builder import CONTINUE
from ..state import BotState
from .answer_checks import requester_in
from .answer_plan import AnswerPlan
from .builtin_tools import Tools, make_table_source
from .continuation import CallLog, continue_answer, describe_calls, record_calls
from .mcp_tools import McpToolbox
from .steering import FollowUps
from .tool_approvals import Approver
from .tool_asks import AnswerAsks, CallAsker

FIRST_TOOLS_TIMEOUT_S = 5.0
"""How long the first answers wait for the tools of MCP servers."""
TOOLS_TIMEOUT_S = 60.0
"""How long an answer waits for them whose decided call may need them."""


class AnswerSources:
    """Opens the model for answers, on the budget of the person who asked."""

    def __init__(  # noqa: PLR0913, PLR0917 - a model, its tools, and what both cost
        self,
        config: BotConfig,
        providers: Mapping[str, Provider],
        tools: Tools,
        budget: Budget,
        state: BotState,
        metrics: Metrics,
        clock: DiscordClock,
        asks: AnswerAsks,
        mcp: McpToolbox,
        follow_ups: FollowUps,
    ) -> None:
        self.config = config
        self.tools = tools
        self.mcp = mcp
        self.metrics = metrics
        self.clock = clock
        self.asks = asks
        self.follow_ups = follow_ups
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
        # Follow-ups that reached the model in this attempt and in earlier ones.
        self._heard = Prompt()

    async def prepare(self) -> None:
        """Wait briefly for tools that are not known yet; for long if a decision about one waits for it."""
        seconds = TOOLS_TIMEOUT_S if self._plan.question.ask else FIRST_TOOLS_TIMEOUT_S
        await self._sources.mcp.wait_known(seconds)

    def begin(
        self, prompt: Prompt, journal: TurnJournal | None
    ) -> tuple[AsyncIterator[ProviderEvent | Message], Settings, AnswerContext]:
        """Return the model's text, or the rest of it, and the settings and context with which it began."""
        plan = self._plan
        # An attempt after an empty one knows what was said meanwhile.
        prompt += self._heard
        if journal is None or journal.saved is None:
            return self._stream(prompt, journal), plan.settings, plan.answer_context
        # From here on another process, or an earlier attempt, has written a part of the answer.
        self._sources.metrics.record_recovery("recovered", self._sources.clock() - journal.saved.updated_at)
        source = continue_answer(
            lambda asked, position: self._stream(asked, journal, position),
            prompt,
            self._sources.provider(plan.channel_config.model),
            journal.text,
            # An answer that has asked people ends there, even if the journal does not say so any more.
            complete=journal.saved.complete or _ends_with_question(journal.saved.events),
            calls=describe_calls(journal),
            position=journal.position,
        )
        # The journal holds no secrets, and permissions to mention may have changed since.
        now, saved = plan.settings, journal.saved
        settings = replace(saved.settings, secrets=now.secrets, mentions=now.mentions)
        return source, settings, saved.context

    def _stream(
        self, prompt: Prompt, journal: TurnJournal | None, position: StreamPosition | None = None
    ) -> AsyncIterator[ProviderEvent | Message]:
        source = self._ask(prompt, journal, position)
        if not self._plan.channel_config.answer.drop_overlap:
            return source
        # The wrapper takes plain text, too, which no provider of the bot yields.
        return cast("AsyncIterator[ProviderEvent | Message]", drop_overlap(source))

    def _ask(
        self, prompt: Prompt, journal: TurnJournal | None, position: StreamPosition | None
    ) -> AsyncIterator[ProviderEvent | Message]:
        config, plan = self._sources.config, self._plan
        model = config.model(plan.channel_config.model) if config.models else None
        options = model.options if model else Options()
        # What is set for the persona of the file counts more than what is set for its model.
        persona = config.persona(plan.channel_config.persona.name)
        options = replace(options, **persona.options) if persona else options
        # Names are not among them: a server would end the answer at `User:` in a code example, too. The speaker
        # guard closes the connection at the first line of another speaker, so few tokens are wasted.
        options = options.with_stops(plan.settings.stop_strings)
        after_failure = plan.channel_config.answer.after_failure
        options = replace(options, after_failure=after_failure, resume=position)
        log = CallLog()
        tools = self._tools(journal, log)
        limits = self._limits()
        provider, offered = self._caller(tools)
        if plan.question.ask:
            words = self._go_on(prompt, journal, options, tools, limits, log)
        elif offered:
            asker = self._asker()
            words = with_tools(
                provider,
                prompt,
                offered,
                options=options,
                limits=limits,
                ask=asker,
                steering=partial(self._steer, journal),
            )
            words = self._sources.asks.save_questions(words, plan, asker, log)
        else:
            return self.provider.stream(prompt, options)
        return clean_posts(words, plan.settings, plan.answer_context)

    def on_event(self, event: object) -> None:
        """Handle an event of the answer."""
        self._sources.follow_ups.on_event(self._plan.question, event)

    async def _steer(self, journal: TurnJournal | None) -> Prompt:
        """Return what people have said since the last request."""
        said = await self._sources.follow_ups.fetch(self._plan, journal)
        self._heard += said
        return said

    def _tools(self, journal: TurnJournal | None, log: CallLog) -> list[Tool]:
        """Return the tools of this answer; calls are recorded, and some must be approved."""
        config, plan, sources = self._sources.config.tools, self._plan, self._sources
        more = [make_table_source(self._tables(plan.question.channel))]
        if config.choices:
            other = translate(plan.locale, "ask_other")
            more.append(make_choices([plan.question.owner], other=other, expires=config.ask_timeout))
        requester = requester_in(plan.question, plan.channel)
        own = {one.spec.name for one in sources.tools.chosen(lambda _: True, more)}
        more += sources.mcp.tools_for(plan.channel_config.persona.name, requester, own)
        approver = Approver(
            config,
            sources.asks.store,
            plan.question.channel,
            plan.question.owner,
            plan.locale,
            sources.clock,
            SecretFilter(plan.settings.secrets).hide,
            self._describe_cost,
        )
        allowed = partial(may_call, self._sources.config, plan.channel_config.persona.name)
        # Calls are recorded, so that a resumed answer does not repeat their side effects.
        return [approver.wrap(one) for one in record_calls(sources.tools.chosen(allowed, more), journal, log)]

    def _caller(self, tools: Sequence[Tool]) -> tuple[Provider, Sequence[Tool]]:
        """Return the provider that calls tools, and those that it may call.

        Some models reject requests that contain tools; they can only offer choices, as text.
        """
        config = self._sources.config
        if not config.models or config.model(self._plan.channel_config.model).tools:
            return self.provider, tools
        choices = [one for one in tools if one.spec.name == CHOICES_TOOL]
        return (TextChoices(self.provider), choices) if choices else (self.provider, ())

    def _asker(self, call_id: str = "", answered: Sequence[tuple[Ask, Decision]] = ()) -> CallAsker:
        plan = self._plan
        requester = requester_in(plan.question, plan.channel)
        return CallAsker(
            plan.question.owner,
            SecretFilter(plan.settings.secrets).hide,
            call_id,
            answered,
            reader=requester if plan.question.private or not requester.server else None,
            is_seen=partial(self._sources.asks.is_seen, plan.channel),
            locale=plan.locale,
        )

    def _limits(self) -> ToolLimits:
        # A tool that runs must not look like a silent model, however short the idle timeout is.
        limits = self._sources.config.tools.limits
        return replace(limits, keep_alive=min(limits.keep_alive, self._plan.settings.idle_timeout / 3))

    def _describe_cost(self) -> str:
        """Return what the answer has cost so far; empty if that is not known."""
        spent, budget = self.provider.spent, self._sources.config.budget
        if not spent.money:
            return ""
        tokens = translate(self._plan.locale, "footer", tokens=f"{spent.tokens:,}")
        return f"{tokens} · {show_money(spent.money, budget.currency)}"

    async def _go_on(
        self,
        prompt: Prompt,
        journal: TurnJournal | None,
        options: Options,
        tools: Sequence[Tool],
        limits: ToolLimits,
        log: CallLog,
    ) -> AsyncGenerator[ProviderEvent | Message, None]:
        """Make the call that waited for a decision, then let the model continue with its result."""
        asks, plan = self._sources.asks, self._plan
        if journal is not None:
            # Before anything is done: a process that is killed from here on has a successor that says so.
            await journal.flush()
        pending = await asks.begin(plan.question, log)
        if pending is None:
            # Another process continues with it.
            yield Finish()
            return
        if not pending.is_over:
            asker = self._asker(pending.call.id, pending.answered)
            made = asks.make_call(pending, tools, asker, limits, log)
            async with aclosing(asks.save_questions(made, plan, asker, log)) as events:
                async for event in events:
                    yield event
            if not pending.is_over:
                # It has asked again.
                yield Finish()
                return
        prompt += user(f"{log.describe()}\n{CONTINUE}")
        provider, offered = self._caller(tools)
        asker = self._asker()
        words: AsyncIterator[ProviderEvent | Message] = (
            with_tools(provider, prompt, offered, options=options, limits=limits, ask=asker)
            if offered
            else self.provider.stream(prompt, options)
        )
        async with aclosing(asks.save_questions(words, plan, asker, log)) as events:
            async for event in events:
                yield event


def _ends_with_question(events: Sequence[object]) -> bool:
    return bool(events) and isinstance(events[-1], Message) and events[-1].ask is not None


async def clean_posts(
    source: AsyncIterator[ProviderEvent | Message], settings: Settings, context: AnswerContext
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """Yield the events of a source; posts of tools are cleaned like answers, for this turn's people and emoji."""
    try:
        async for event in source:
            if isinstance(event, Message) and event.ask and event.notice:
                # Our own form, around text of a model or of a server.
                yield replace(event, content=make_links_safe(event.content, settings))
            elif isinstance(event, Message):
                content = clean_tool_text(event.content, settings, context=context)
                # Nothing is left of a post that was only a label or an unknown emoji.
                if content or event.files or event.ask:
                    yield replace(event, content=content)
            else:
                yield event
    finally:
        if close := getattr(source, "aclose", None):
            await close()
