"""The buttons below an answer: stop while it is written, again and continue afterwards.

Everything that a press needs stands in the button itself: what to do, whose answer it is, and which turn or
question is meant.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, Self

import discord

from streamcord import Asker, Receipt, StopAnswer, StoreError

from ..budget.spending_rules import Payer
from ..conversation.channel_config import place_of
from ..conversation.channel_queue import AnswerKind, Question, QueueResult
from ..conversation.chat_message import MessageReader
from ..notices import NO_PINGS, REQUEST_ERRORS, refusal_text, reply_privately, translate
from ..rights.powers import may_ping_roles
from ..services import Services
from .recent_answers import table_source

if TYPE_CHECKING:
    from ..notices import MessageEditor

__all__ = ["AnswerButton", "ButtonPresses", "StopButton", "asker_of", "make_buttons"]


_EMOJI = {"stop": "⏹️", "again": "🔁", "more": "⏩", "table": "📄"}


class AnswerButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=re.compile(
        r"sc:(?P<action>stop|again|more|table):(?P<owner>[0-9]{1,20}):(?P<target>[0-9a-f]{1,20})"
    ),
):
    """One button below an answer."""

    def __init__(self, action: str, owner: int, target: str, locale: str = "en") -> None:
        self.action = action
        self.owner = owner
        self.target = target
        super().__init__(
            discord.ui.Button(
                label=translate(locale, action),
                emoji=_EMOJI[action],
                style=discord.ButtonStyle.secondary,
                custom_id=f"sc:{action}:{owner}:{target}",
            )
        )

    @classmethod
    async def from_custom_id(
        cls, _: discord.Interaction[Any], __: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Rebuild a button from its id, after a restart too."""
        return cls(match["action"], int(match["owner"]), match["target"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Pass the press on to the bot."""
        await interaction.client.press(interaction, self.action, self.owner, self.target)


def make_buttons(*buttons: AnswerButton) -> discord.ui.View:
    """A row of buttons that works as long as its message exists."""
    view = discord.ui.View(timeout=None)
    for button in buttons:
        view.add_item(button)
    return view


class ButtonMark(Protocol):
    """Is told of a message before it gets a stop button."""

    def __call__(self, message: int, *, by_webhook: bool) -> None:
        """A stop button is put below this message."""
        ...


class StopButton:
    """The buttons of one answer: its first message is made with a stop, which it loses at the end.

    The last message is made with those that stand below a complete answer, where it is known to be the last.
    So an answer costs at most two requests more than its messages, and mostly one or none.
    """

    def __init__(
        self,
        editor: MessageEditor,
        channel: discord.abc.Messageable,
        stop: AnswerButton,
        mark: ButtonMark | None = None,
        last: Sequence[AnswerButton] = (),
    ) -> None:
        self._mark = mark
        self.view = make_buttons(stop)
        """What the first message is made with."""
        self.last_view = make_buttons(*last) if last else None
        """What the last message is made with, if the answer ends well."""
        self._usual = _ids(last)
        self.transport: Any = None
        """Where the answer goes; it knows which message was made so."""
        self._editor = editor
        self._channel = channel
        self._first: Receipt | None = None
        self._last: Receipt | None = None

    def note(self, event: object) -> None:
        """Note an event of the turn; a receipt is a new message, or one that has grown."""
        if isinstance(event, Receipt):
            self._last = event
            if self._first is None and self._mark is not None:
                self._mark(event.id, by_webhook=_is_by_webhook(event))
            if self._first is None or self._first.id == event.id:
                self._first = event

    async def finish(self, *buttons: AnswerButton) -> None:
        """Put these buttons below the complete answer, in the place of the stop button."""
        first, last = self._first, self._last
        if first is None or last is None:
            return
        ended = getattr(self.transport, "ended", 0)
        if first.id not in {last.id, ended}:
            await self._dress(first, None)
        has = self._usual if ended == last.id else ["stop"] if first.id == last.id else []
        if has != _ids(buttons):
            await self._dress(last, make_buttons(*buttons) if buttons else None)

    async def _dress(self, receipt: Receipt, view: discord.ui.View | None) -> None:
        changes, message = receipt.changes, receipt.message
        # With a speaker, more may stand there than the words: a name, or a link to what is answered.
        more = bool({"card", "unsure"} & {*changes}) or ("v2" in changes and message.speaker is not None)
        await self._editor.set_buttons(
            self._channel,
            receipt.id,
            view,
            by_webhook=_is_by_webhook(receipt),
            words=message.content if "v2" in changes else "",
            card=more,
        )


def _ids(buttons: Iterable[AnswerButton]) -> list[str]:
    return [button.custom_id for button in buttons]


def _is_by_webhook(receipt: Receipt) -> bool:
    return receipt.message.speaker is not None and "no_voice" not in receipt.changes


ANSWER_CAP = 50
"""Messages that an answer from before a restart may have."""
_KINDS = {"again": AnswerKind.REGENERATE, "more": AnswerKind.CONTINUE}


_REFUSED = {QueueResult.FULL: "full", QueueResult.CROWDED: "crowded"}


class ButtonPresses:
    """Does what people want who press a button."""

    def __init__(self, services: Services, reader: MessageReader) -> None:
        self._services = services
        self._reader = reader
        self._pressed = services.pressed

    async def press(
        self, interaction: discord.Interaction[Any], action: str, owner: int, target: str
    ) -> None:
        """Do what a button is for, if the person who pressed it may: the answer's owner, or a moderator."""
        locale, asker = str(interaction.locale), asker_of(interaction)
        if action == "stop":
            await self._stop(interaction, target, locale)
        elif action == "table":
            await self._show_table(interaction, locale)
        elif asker.id != owner and not asker.moderator:
            await reply_privately(interaction, translate(locale, "not_yours", owner=f"<@{owner}>"))
        else:
            await self._press_once(interaction, action, owner, int(target, 16))

    async def _stop(self, interaction: discord.Interaction[Any], turn: str, locale: str) -> None:
        services = self._services
        channel, token = services.turns.get(turn, (0, 0))
        answer = await services.stops.ask(channel, asker_of(interaction), token=token)
        if turn not in services.turns and services.cluster is not None:
            here = interaction.channel_id or 0
            answer = await services.cluster.stop_elsewhere(here, asker_of(interaction))
        if answer is StopAnswer.ACCEPTED:
            await interaction.response.defer()
            return
        key = "nothing" if answer is StopAnswer.NOTHING else "not_yours"
        await reply_privately(interaction, translate(locale, key, owner=translate(locale, "who_asked")))

    async def _show_table(self, interaction: discord.Interaction[Any], locale: str) -> None:
        """Show the Markdown of a table to whoever asks; after a restart the store knows it."""
        pressed = interaction.message
        # The store may take longer than the three seconds that Discord waits.
        await interaction.response.defer(ephemeral=True, thinking=True)
        answered = self._services.recent_answers.find(pressed.id) if pressed else None
        source = table_source(answered, pressed.id) if answered and pressed else ""
        if not source and pressed is not None:
            with suppress(StoreError):
                source = await self._services.store.find_table(pressed.id) or ""
        if not source:
            await reply_privately(interaction, translate(locale, "too_old"))
            return
        with suppress(*REQUEST_ERRORS):
            file = discord.File(io.BytesIO(source.encode("utf-8", "replace")), "table.md")
            await interaction.followup.send(file=file, ephemeral=True, allowed_mentions=NO_PINGS)

    async def _press_once(
        self, interaction: discord.Interaction[Any], action: str, owner: int, question: int
    ) -> None:
        """Ask, but for one press of one message only; whoever is refused may press again later."""
        pressed, person = interaction.message, interaction.user.id
        first = pressed is not None and self._pressed.claim(pressed.id)
        # It may take longer than Discord waits, and nothing new is to be shown.
        await interaction.response.defer()
        if pressed is None or not first:
            return
        locale, budget = str(interaction.locale), self._services.budget
        refusal = await budget.check(Payer(person, interaction.guild_id or 0))
        if refusal is not None:
            self._pressed.release(pressed.id)
            self._services.metrics.note_refusal(refusal.reason)
            if budget.should_tell(person, refusal):
                await reply_privately(interaction, refusal_text(locale, refusal))
            return
        reason = await self._ask(interaction, pressed, action, owner, question)
        if reason:
            self._pressed.release(pressed.id)
        if reason and budget.should_tell_briefly(person, reason):
            await reply_privately(interaction, translate(locale, reason))

    async def _ask(
        self,
        interaction: discord.Interaction[Any],
        pressed: discord.Message,
        action: str,
        owner: int,
        question: int,
    ) -> str:
        """Answer the question again, or continue its answer; returns the key of what stood in the way."""
        channel, person = interaction.channel, interaction.user.id
        if not isinstance(channel, discord.abc.Messageable):
            return ""
        try:
            message = await channel.fetch_message(question)
        except REQUEST_ERRORS:
            return "no_question"
        answered = self._services.recent_answers.find(pressed.id)
        ids = answered.ids if answered else await self._find_answer(channel, question, pressed.id)
        channel_config = await self._services.channel_configs.find_cached(*place_of(channel))
        asked_by = 0 if person == owner else person
        # Discord tells the roles of whoever presses, but not those of an author whose message is fetched.
        asked = replace(
            self._reader.read(message),
            roles=asker_of(interaction).roles,
            pings_roles=may_ping_roles(interaction.user, channel),
            reads_back=interaction.guild_id is None or interaction.permissions.read_message_history,
        )
        heard = self._services.dispatcher.put(
            Question(owner, [asked], _KINDS[action], replaces=ids, asked_by=asked_by), channel_config
        )
        if heard in _REFUSED:
            return _REFUSED[heard]
        # Who looks later finds no button that does nothing.
        await self._services.editor.set_buttons(
            channel, pressed.id, None, by_webhook=pressed.webhook_id is not None, shown=pressed
        )
        return ""

    async def _find_answer(
        self, channel: discord.abc.Messageable, question: int, last: int
    ) -> tuple[int, ...]:
        """The messages of an answer from before a restart: all of ours since the question."""
        after, before = discord.Object(question), discord.Object(last + 1)
        between = [one async for one in channel.history(limit=ANSWER_CAP, after=after, before=before)]
        return tuple(one.id for one in between if self._reader.is_own(one) and one.content)


def asker_of(interaction: discord.Interaction[Any]) -> Asker:
    """Who used a command or pressed a button, and whether they may manage messages."""
    person = interaction.user
    roles = frozenset(role.id for role in person.roles) if isinstance(person, discord.Member) else frozenset()
    moderator = interaction.guild is not None and interaction.permissions.manage_messages
    return Asker(person.id, moderator, roles, person.bot)
