"""One answer, from the question to what is remembered of it."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import TypeVar

import discord

from streamcord import (
    DeliveryError,
    Emoji,
    Ending,
    Message,
    ProviderEvent,
    RateLimited,
    Receipt,
    Settings,
    SettingsError,
    Speaker,
    Stop,
    TurnResult,
    say,
    stop_strings,
)
from streamcord.discord import DiscordChannel, has_request_slot, wait_for_request_slot
from streamcord.providers import Options, Prompt, user, with_tools

from ..conversation.channel_queue import Ask, Kind
from ..conversation.context_messages import Conversation, Listener
from ..conversation.instructions import CONTINUE, NUDGE, instruct
from ..conversation.prompt_history import build_prompt, chain_of
from ..conversation.scene import Scene, place_of
from ..services import Services
from .after_answer import Keeper, or_else
from .builtin_tools import make_table_source
from .buttons import Row, TurnButton
from .delayed_source import hold_back
from .job import Job
from .notices import name_of_error, word
from .progress import Progress
from .recent_answers import Answered
from .request_failures import TROUBLE
from .send_notice import tell

__all__ = ["Answerer"]

TYPING_SHOWN = 5.0
"""Seconds for which people need not be shown again that somebody is typing."""
TYPING_TIMEOUT = 2.0
LOOK_AGE = 600.0
"""Seconds for which the last look is handed on to the next answer."""
LOOK_CAP = 1000
_TOLD = {Ending.EMPTY_RESPONSE: "empty", Ending.TIMEOUT: "timeout", Ending.TRUNCATED: "truncated"}
_UNTOLD = {Ending.STOPPED_BY_USER, Ending.FOLLOW_UP_INTERRUPT, Ending.CANCELLED}

_log = logging.getLogger("streamcord._bot")
T = TypeVar("T")


class Answerer:
    """Answers what lanes hand to it."""

    def __init__(self, services: Services, listener: Listener) -> None:
        self._services = services
        self._listener = listener
        self._looks: dict[int, tuple[float, Speaker | None]] = {}
        self._keeper = Keeper(services)

    async def show(self, ask: Ask) -> None:
        """Let people see from the first moment that they were heard."""
        now = asyncio.get_running_loop().time()
        channel = self._find_channel(ask)
        if channel is None or now - ask.seen_at < TYPING_SHOWN:
            return
        ask.seen_at = now
        # Not cancelled when it takes long: discord.py does not take that well while it waits for a limit.
        await asyncio.wait({self._services.later(_type(channel))}, timeout=TYPING_TIMEOUT)

    async def run(self, ask: Ask, stop: Stop) -> None:
        """Answer, and whatever happens tell it to the right people."""
        channel = self._find_channel(ask)
        if channel is None:
            return
        turn = secrets.token_hex(4)
        _log.info("turn %s begins: channel %s, person %s, %s", turn, ask.channel, ask.owner, ask.kind)
        try:
            job, _ = await asyncio.gather(self._prepare(turn, ask, channel), self.show(ask))
            await self._answer(job, stop)
        except Exception:
            _log.exception("turn %s failed", turn)
            locale = self._services.locale(getattr(channel, "guild", None))
            await tell(channel, word(locale, "failed", turn=turn))

    def _find_channel(self, ask: Ask) -> discord.abc.MessageableChannel | None:
        channel = self._services.client.get_channel(ask.channel)
        if channel is None and ask.remarks[-1].dm:
            # discord.py forgets direct messages that it was not asked to keep.
            return self._services.client.get_partial_messageable(ask.channel)
        return channel if isinstance(channel, discord.abc.Messageable) else None

    # --- Before the first word -------------------------------------------------------------------

    async def _prepare(self, turn: str, ask: Ask, channel: discord.abc.MessageableChannel) -> Job:
        place, parent = place_of(channel)
        guild = getattr(channel, "guild", None)
        locale = self._services.locale(guild)
        scene, stored = await self._services.scenes.find_or_default(place, parent)
        if not stored:
            await tell(channel, word(locale, "store"))
        talk = await self._listener.listen(channel, ask, scene.context)
        settings = self._settings(scene, talk, guild, ask)
        prompt = await self._prompt(ask, scene, talk, settings)
        return Job(turn, ask, channel, scene, talk, settings, prompt, locale)

    def _settings(self, scene: Scene, talk: Conversation, guild: discord.Guild | None, ask: Ask) -> Settings:
        """The scene's settings with what this conversation adds: people, emoji, our last messages."""
        settings = scene.settings
        return replace(
            settings,
            people=talk.people,
            emoji=_emoji_of(guild),
            recent_messages=talk.recent(settings.emoji_unique_lookback),
            last_look=self._last_look(ask),
        )

    def _last_look(self, ask: Ask) -> Speaker | None:
        at, speaker = self._looks.get(ask.channel, (0.0, None))
        fresh = asyncio.get_running_loop().time() - at < LOOK_AGE
        # Whoever asks wrote in between; only what is continued follows our own message.
        return speaker if fresh and ask.kind is Kind.CONTINUE else None

    async def _prompt(self, ask: Ask, scene: Scene, talk: Conversation, settings: Settings) -> Prompt:
        asked = [remark.id for remark in ask.remarks]
        remarks = list(talk.remarks)
        if scene.context.source == "replies" and ask.kind is Kind.ANSWER:
            known = {remark.id: remark for remark in remarks}
            remarks = [*(known[id_] for id_ in asked), *chain_of(known[asked[-1]], remarks)]
        # Of this channel alone: what was said in a closed one must not come up in another.
        memories = await or_else(self._services.store.recall(scene.persona.name, scene.place), ())
        memories = memories[-scene.context.memory :] if scene.context.memory else ()
        # An answer that is replaced is as good as gone.
        shown = {remark.id for remark in remarks} | set(ask.replaces)
        system = instruct(scene.persona, scene.speaker.prompt, memories, shown, settings.emoji)
        prompt = build_prompt(remarks, asked, scene.context, system)
        if ask.kind is Kind.CONTINUE:
            prompt += user(CONTINUE)
        return replace(prompt, prefill=settings.prefill) if settings.prefill else prompt

    # --- Speaking --------------------------------------------------------------------------------

    async def _answer(self, job: Job, stop: Stop) -> None:
        progress = Progress(job.channel, job.locale)
        row = Row(self._services.hand, job.channel, TurnButton("stop", job.ask.owner, job.turn, job.locale))
        watchers: list[Callable[[object], None]] = [
            progress.note,
            *([row.note] if job.scene.answer.buttons else []),
        ]
        error: Exception | None = None
        self._services.turns[job.turn] = (job.ask.channel, stop.token)
        try:
            result = await self._speak(job, stop, watchers)
        except Exception as raised:
            error, result = raised, getattr(raised, "result", None) or TurnResult(Ending.ERROR)
        finally:
            del self._services.turns[job.turn]
            await progress.close()
        answered = self._note(job, result)
        self._services.metrics.note(result, error)
        _log_end(job.turn, result, error)
        if self._services.config.log.text:
            _log.info("turn %s said: %r", job.turn, result.text)
        await row.finish(*(self._buttons(job, answered) if not job.ask.discarded else ()))
        await self._tell(job, result, error)
        await self._keeper.keep(job, result)

    async def _speak(self, job: Job, stop: Stop, watchers: list[Callable[[object], None]]) -> TurnResult:
        """Say it; an empty answer is asked for again."""
        prompt, dropped = job.prompt, False

        def observe(event: object) -> None:
            nonlocal dropped
            for watch in watchers:
                watch(event)
            if isinstance(event, Receipt) and job.ask.kind is Kind.REGENERATE and not dropped:
                dropped = True
                self._services.later(self._services.hand.take_back(job.channel, job.ask.replaces))

        tries = 1 + job.scene.answer.empty_retries
        while True:
            tries -= 1
            transport = DiscordChannel(
                job.channel,
                reply_to=job.talk.question if job.ask.kind is not Kind.CONTINUE else None,
                webhooks=self._services.webhooks,
            )
            source = hold_back(self._source(job, prompt), job.ask.hold)
            result = await say(transport, source, settings=job.settings, stop=stop, observe=observe)
            if result.ending is not Ending.EMPTY_RESPONSE or not tries:
                return result
            _log.info("turn %s was empty and is tried again", job.turn)
            prompt = job.prompt + user(NUDGE)

    def _source(self, job: Job, prompt: Prompt) -> AsyncIterator[ProviderEvent | Message]:
        services, config = self._services, self._services.config
        model = config.model(job.scene.model) if config.models else None
        options = model.options if model else Options()
        options = options.with_stops(stop_strings(job.settings))
        provider = services.provider(job.scene.model)
        if model is not None and not model.tools:
            return provider.stream(prompt, options)
        tools = services.tools.chosen(
            config.tools.enabled, [make_table_source(self._keeper.tables_of(job.ask.channel))]
        )
        return with_tools(provider, prompt, tools, options=options, limits=config.tools.limits)

    # --- Afterwards ------------------------------------------------------------------------------

    def _note(self, job: Job, result: TurnResult) -> Answered:
        asked = tuple(remark.id for remark in job.ask.remarks)
        answered = Answered(
            job.turn, job.ask.channel, job.ask.owner, asked, job.scene.model, job.settings, result
        )
        self._services.archive.keep(answered)
        if result.receipts:
            now = asyncio.get_running_loop().time()
            self._looks[job.ask.channel] = (now, result.receipts[-1].message.speaker)
            if len(self._looks) > LOOK_CAP:
                del self._looks[next(iter(self._looks))]
        return answered

    def _buttons(self, job: Job, answered: Answered) -> list[TurnButton]:
        if not job.scene.answer.buttons or answered.result.ending is Ending.FOLLOW_UP_INTERRUPT:
            return []
        acts = ["again", *(["more"] if answered.can_go_on else [])]
        mark = f"{answered.asked[-1]:x}"
        return [TurnButton(act, job.ask.owner, mark, job.locale) for act in acts]

    async def _tell(self, job: Job, result: TurnResult, error: Exception | None) -> None:
        """What people must know; a stop needs no words."""
        key = name_of_error(error) if error is not None else _TOLD.get(result.ending, "")
        if not key or result.ending in _UNTOLD:
            return
        wait = error.retry_after if isinstance(error, RateLimited) else None
        text = word(job.locale, key, turn=job.turn, seconds=max(1, round(wait or 30)))
        await tell(job.channel, text, job.talk.question)


async def _type(channel: discord.abc.Messageable) -> None:
    if not (has_request_slot(channel) and await wait_for_request_slot(channel)):
        return
    try:
        await channel.typing()
    except TROUBLE as error:
        _log.debug("typing was refused: %s", type(error).__name__)


def _emoji_of(guild: discord.Guild | None) -> tuple[Emoji, ...]:
    found = []
    for one in guild.emojis if guild else ():
        try:
            found.append(Emoji(one.name, one.id, one.animated))
        except SettingsError:
            continue
    return tuple(found)


def _log_end(turn: str, result: TurnResult, error: Exception | None) -> None:
    """How it went, in numbers; what people and models said is not for logs."""
    counts = result.counts
    _log.info(
        "turn %s ended: %s, %d messages, %d of %d characters, first after %s s",
        turn,
        result.ending,
        counts.messages,
        counts.shown,
        counts.received,
        "-" if counts.first_message is None else f"{counts.first_message:.2f}",
    )
    if error is None:
        return
    if name_of_error(error) == "failed" and not isinstance(error, DeliveryError):
        _log.error("turn %s failed", turn, exc_info=error)
    else:
        _log.warning("turn %s: %s: %s", turn, type(error).__name__, error)
