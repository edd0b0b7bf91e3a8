"""Speaks as others through webhooks: never twice, never in the wrong place, and says so when it cannot.

    webhooks = Webhooks(client)                              # one for the whole bot
    await say(DiscordChannel(channel, webhooks=webhooks), source, settings=Settings(persona=luna))

A webhook's message is sent at most once. If its answer is lost, the channel is read; what can be neither
found nor ruled out is reported as `Uncertain` and not repeated.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import discord

from ..errors import DeliveryError, NoVoice, Unavailable, Uncertain
from ..events import ALT_LENGTH, Attachment, Message, Receipt, Speaker
from .budget import Budget
from .discord_py import as_allowed
from .hooks import NAME, Home, Hook, Hooks
from .listening import Ears
from .lookback import Attempt, describe, find_arrived
from .looks import Costume, Look, NameAndAvatar, find_avatar_url
from .names import ORDINARY, make_safe
from .namesakes import Namesakes, Policy
from .notices import add_notice
from .parcel import Parcel
from .recent import Recent
from .refusals import blame
from .wire import Answer

__all__ = ["Webhooks"]

SETTLE = 1.0
"""Seconds that Discord is given to finish what it did not answer, before the channel is read."""
_CAP = 10_000
_SUPPRESS_EMBEDS = 1 << 2
_USUAL = NameAndAvatar()
_NOBODY = Speaker(ORDINARY)
_LOGGER = logging.getLogger(__name__)


@dataclass(slots=True)
class _Errand:
    """One parcel on its way: where to, how it looks, and what was already tried for it."""

    channel: Any
    home: Home
    parcel: Parcel
    costume: Costume
    changes: tuple[str, ...] = ()
    tried: set[str] = field(default_factory=set)

    @property
    def thread(self) -> dict[str, str]:
        """The query that names the thread, if it is one."""
        return {} if self.channel.id == self.home.id else {"thread_id": str(self.channel.id)}

    def tries(self, remedy: str) -> bool:
        """Whether a remedy is left; each is tried once."""
        fresh = remedy not in self.tried
        self.tried.add(remedy)
        return fresh


class Webhooks:
    """The voices of a bot, in all its channels.

    With a `client`, the gateway's news are used: a webhook that was moved or deleted is noticed before the
    next message, and a message that the gateway shows has arrived, whatever became of its answer. `look` says
    how a speaker is shown, `namesakes` what becomes of one who could be taken for a moderator.
    """

    def __init__(
        self,
        client: discord.Client | None = None,
        *,
        name: str = NAME,
        look: Look = _USUAL,
        namesakes: Policy = "mark",
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._client = client
        self._look = look
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._hooks = Hooks(name, self._clock)
        self._ears = Ears(self._hooks)
        self._namesakes = Namesakes(namesakes, self._clock)
        self._budgets: Recent[int, Budget] = Recent(_CAP)
        self._explained: Recent[int, None] = Recent(_CAP)
        self._last: Recent[int, int] = Recent(_CAP)
        self._doubts: Recent[str, Attempt] = Recent(_CAP)
        self._lanes: weakref.WeakValueDictionary[int, asyncio.Lock] = weakref.WeakValueDictionary()

    def attach(self, client: discord.Client) -> None:
        """Use the news of a client that runs; its own handlers stay as they are."""
        self._ears.attach(client)

    def detach(self) -> None:
        """Listen to no client any more."""
        self._client = None
        self._ears.detach()

    def forget(self, channel_id: int) -> None:
        """Look at a channel's webhook again before it is used; for WEBHOOKS_UPDATE, if nobody listens."""
        self._hooks.doubt(channel_id)

    def pause(self, channel: discord.abc.Messageable, _: Message) -> float:
        """Seconds until Discord takes another message here without a refusal."""
        budget = self._budgets.find(_find_home_id(channel))
        return budget.pause() if budget else 0.0

    async def deliver(
        self, channel: discord.abc.Messageable, parcel: Parcel, *, reply_to: discord.Message | None = None
    ) -> Receipt:
        """Say `parcel.message` as its speaker, once, however often it is asked to."""
        home = _find_home(channel)
        if self._client is not None:
            self.attach(self._client)
        errand = self._dress(channel, home, parcel, reply_to)
        # One at a time through one webhook: headers stay true, and whatever is in doubt is the last message.
        async with self._lanes.setdefault(home.id, asyncio.Lock()):
            if (receipt := await self._look_back(errand)) is not None:
                return receipt
            return await self._post(errand)

    # --- What is sent -----------------------------------------------------------------------------

    def _dress(
        self,
        channel: discord.abc.Messageable,
        home: Home,
        parcel: Parcel,
        reply_to: discord.Message | None,
    ) -> _Errand:
        message = parcel.message
        costume = self._look.dress(message, message.speaker or _NOBODY)
        name = self._namesakes.settle(make_safe(costume.name), home.guild)
        costume = replace(costume, name=name, avatar=find_avatar_url(costume.avatar))
        if reply_to is None:
            return _Errand(channel, home, parcel, costume)
        noticed = add_notice(costume, reply_to, embeds=parcel.previews)
        changes = () if noticed else ("no_reply",)
        return _Errand(channel, home, parcel, noticed or costume, changes)

    def _attempt(self, errand: _Errand, hook: Hook) -> Attempt:
        """What will be in doubt if the answer is lost, and behind which message it would then stand."""
        costume, channel_id = errand.costume, errand.channel.id
        files = len(errand.parcel.message.files)
        body = describe(costume.name, costume.content, costume.embeds, files)
        if (earlier := self._doubts.find(errand.parcel.key)) is not None:
            return Attempt(hook, channel_id, earlier.after, body)
        told = getattr(errand.channel, "last_message_id", None) or 0
        # A channel, and a webhook, are older than what is posted there.
        after = max(self._last.find(channel_id) or 0, told, hook.id if not errand.thread else channel_id)
        return Attempt(hook, channel_id, after, body)

    # --- Sending it -------------------------------------------------------------------------------

    async def _post(self, errand: _Errand) -> Receipt:
        """Ask until it is taken or no remedy is left; only what was certainly refused is asked again."""
        while True:
            hook = await self._hooks.take(errand.home)
            if (seconds := self.pause(errand.channel, errand.parcel.message)) > 0:
                raise Unavailable("the webhook's limit is reached", retry_after=seconds)
            answer = await self._ask(errand, hook)
            if answer is None or answer.is_unclear or (answer.is_done and not _is_message(answer)):
                return await self._settle(errand)
            if answer.is_done:
                if receipt := await self._accept(errand, hook, answer):
                    return receipt
            else:
                self._doubts.drop(errand.parcel.key)
                if not await self._remedy(errand, hook, answer):
                    raise blame(answer)

    async def _ask(self, errand: _Errand, hook: Hook) -> Answer | None:
        """Discord's answer, or nothing if it was lost."""
        key, files = errand.parcel.key, errand.parcel.message.files
        earlier = self._doubts.find(key)
        # Kept before a byte is sent, so that the doubt outlives whoever cancels us.
        self._doubts.keep(key, self._attempt(errand, hook))
        try:
            answer = await hook.wire.ask(
                "POST",
                hook.path,
                _payload(errand),
                [file for file in files if isinstance(file, Attachment)],
                {"wait": "true", **errand.thread},
            )
        except Unavailable:
            if earlier is None:
                self._doubts.drop(key)
            raise
        except Uncertain:
            return None
        home_id = errand.home.id
        (self._budgets.find(home_id) or self._budgets.keep(home_id, Budget(self._clock))).note(answer)
        return answer

    async def _accept(self, errand: _Errand, hook: Hook, answer: Answer) -> Receipt | None:
        """The receipt; or nothing, if the webhook was moved under our hands and it must be said again."""
        message_id, channel_id = int(answer.body["id"]), int(answer.body["channel_id"])
        if channel_id == errand.channel.id:
            return self._receipt(errand, message_id)
        self._hooks.forget(hook)
        self._doubts.drop(errand.parcel.key)
        try:
            await hook.wire.ask("DELETE", f"{hook.path}/messages/{message_id}")
        except DeliveryError:
            _LOGGER.warning(
                "message %d went to channel %d and could not be taken back", message_id, channel_id
            )
        if not errand.tries("moved"):
            raise NoVoice("the webhook is moved again and again")
        return None

    async def _remedy(self, errand: _Errand, hook: Hook, answer: Answer) -> bool:
        """Whether something was done about a refusal, so that it can be asked once more."""
        if answer.code == 10015:
            self._hooks.bury(hook)
            return errand.tries("webhook")
        if answer.code == 50027:
            self._hooks.forget(hook)
            return errand.tries("webhook")
        if answer.code == 10003 and errand.thread and errand.tries("moved"):
            self._hooks.forget(hook)
            return not await self._hooks.is_at(hook, errand.home.id)
        if (
            answer.code == 50035
            and {"username", "avatar_url"} & {*answer.fields}
            and errand.tries("identity")
        ):
            name = ORDINARY if "username" in answer.fields else errand.costume.name
            avatar = None if "avatar_url" in answer.fields else errand.costume.avatar
            errand.costume = replace(errand.costume, name=name, avatar=avatar)
            errand.changes += ("identity",)
            return True
        return False

    # --- When the answer is lost ------------------------------------------------------------------

    async def _settle(self, errand: _Errand) -> Receipt:
        """Find out what became of it; what is not there may be sent again by whoever hears that."""
        await asyncio.sleep(SETTLE)
        if receipt := await self._look_back(errand):
            return receipt
        raise Unavailable("the message did not arrive")

    async def _look_back(self, errand: _Errand) -> Receipt | None:
        """The receipt of an earlier attempt, or nothing if there was none or it did not arrive."""
        attempt = self._doubts.find(errand.parcel.key)
        if attempt is None:
            return None
        rivals = sum(
            (other.channel_id, other.body) == (attempt.channel_id, attempt.body)
            for other in self._doubts.values()
        )
        sighted = self._ears.sightings
        found = await find_arrived(errand.channel, attempt, self._explained, sighted, rivals - 1)
        return None if found is None else self._receipt(errand, found)

    def _receipt(self, errand: _Errand, message_id: int) -> Receipt:
        channel_id = errand.channel.id
        self._doubts.drop(errand.parcel.key)
        self._explained.keep(message_id, None)
        self._last.keep(channel_id, max(message_id, self._last.find(channel_id) or 0))
        url = f"https://discord.com/channels/{errand.home.guild.id}/{channel_id}/{message_id}"
        return Receipt(errand.parcel.message, message_id, url, changes=errand.changes)


def _payload(errand: _Errand) -> dict[str, Any]:
    """The body; every field that has a default which pings or previews is said."""
    parcel, costume = errand.parcel, errand.costume
    payload: dict[str, Any] = {
        "content": costume.content,
        "username": costume.name,
        "allowed_mentions": as_allowed(replace(parcel.pings, replied_user=False)).to_dict(),
    }
    if costume.avatar:
        payload["avatar_url"] = costume.avatar
    if costume.embeds:
        payload["embeds"] = [*costume.embeds]
    elif not parcel.previews:
        payload["flags"] = _SUPPRESS_EMBEDS
    files = [file for file in parcel.message.files if isinstance(file, Attachment)]
    if files:
        payload["attachments"] = [
            {
                "id": number,
                "filename": file.name,
                **({"description": file.alt[:ALT_LENGTH]} if file.alt else {}),
            }
            for number, file in enumerate(files)
        ]
    return payload


def _is_message(answer: Answer) -> bool:
    return all(str(answer.body.get(name, "")).isdecimal() for name in ("id", "channel_id"))


def _find_home(channel: discord.abc.Messageable) -> Home:
    """The channel whose webhooks serve this one; direct messages have none."""
    home = channel.parent if isinstance(channel, discord.Thread) else channel
    if isinstance(home, Home):
        return home
    raise NoVoice("this kind of channel has no webhooks")


def _find_home_id(channel: discord.abc.Messageable) -> int:
    if isinstance(channel, discord.Thread):
        return channel.parent_id
    return getattr(channel, "id", 0)
