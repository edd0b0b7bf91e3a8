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
from contextlib import suppress
from dataclasses import replace

import discord

from ..._cache import Recent
from ..._delivery.parcel import Parcel
from ..._errors import NoVoice, Unavailable, Uncertain
from ..._events import Message, Receipt, Speaker
from ..channel_limits import find_office
from ..global_limit import Rank
from ..library_internals import find_http
from ..request import Answer
from .appearance import Look, NameAndAvatar
from .avatars import Avatars
from .misplaced import recall, take_back
from .namesakes import Namesakes, Policy
from .reply_notice import add_notice
from .unconfirmed import Doubts
from .webhook_cache import NAME, Home, Hook, Hooks
from .webhook_errors import blame
from .webhook_events import Ears
from .webhook_limits import Budget, is_ban
from .webhook_message import Errand
from .webhook_names import ORDINARY, make_safe

__all__ = ["Webhooks"]

SETTLE = 1.0
"""Seconds that Discord is given to finish what it did not answer, before the channel is read."""
_RESTLESS = "the webhook is moved again and again"
_CAP = 10_000
_USUAL = NameAndAvatar()
_NOBODY = Speaker(ORDINARY)
_LOGGER = logging.getLogger(__name__)


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
        self._doubts = Doubts(lambda: self._ears.sightings)
        self._avatars = Avatars()
        self._namesakes = Namesakes(namesakes, self._clock)
        self._budgets: Recent[int, Budget] = Recent(_CAP)
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
        home_id = channel.parent_id if isinstance(channel, discord.Thread) else getattr(channel, "id", 0)
        budget = self._budgets.find(home_id)
        return budget.pause() if budget else 0.0

    async def deliver(
        self, channel: discord.abc.Messageable, parcel: Parcel, *, reply_to: discord.Message | None = None
    ) -> Receipt:
        """Say `parcel.message` as its speaker, once, however often it is asked to."""
        errand = self._dress(channel, parcel, reply_to)
        if self._client is not None:
            self.attach(self._client)
        # One at a time through one webhook: headers stay true, and whatever is in doubt is the last message.
        async with self._lanes.setdefault(errand.home.id, asyncio.Lock()):
            return await self._find(errand) or await self._post(errand)

    def _dress(
        self, channel: discord.abc.Messageable, parcel: Parcel, reply_to: discord.Message | None
    ) -> Errand:
        home, message = _find_home(channel), parcel.message
        costume = self._look.dress(message, message.speaker or _NOBODY)
        costume = replace(costume, name=self._namesakes.settle(make_safe(costume.name), home.guild))
        if reply_to is None:
            return Errand(channel, home, parcel, costume)
        noticed = add_notice(costume, reply_to, embeds=parcel.previews)
        return Errand(channel, home, parcel, noticed or costume, () if noticed else ("no_reply",))

    async def find(self, channel: discord.abc.Messageable, parcel: Parcel) -> Receipt | None:
        """The receipt of a parcel that was delivered, or nothing if it certainly was not."""
        errand = self._dress(channel, parcel, None)
        async with self._lanes.setdefault(errand.home.id, asyncio.Lock()):
            return await self._find(errand)

    # --- Sending it -------------------------------------------------------------------------------

    async def _post(self, errand: Errand) -> Receipt:
        """Ask until it is taken or no remedy is left; only what was certainly refused is asked again."""
        while True:
            hook = await self._hooks.take(errand.home)
            if (seconds := self.pause(errand.channel, errand.parcel.message)) > 0:
                raise Unavailable("the webhook's limit is reached", retry_after=seconds)
            answer = await self._ask(errand, hook)
            if answer is None or answer.is_unclear:
                return await self._settle(errand)
            if answer.is_done and not _is_message(answer):
                return await self._identify(errand, hook)
            if answer.is_done:
                if receipt := await self._accept(errand, hook, answer):
                    return receipt
            elif not await self._remedy(errand, hook, answer):
                raise blame(answer)

    async def _ask(self, errand: Errand, hook: Hook) -> Answer | None:
        """Discord's answer, or nothing if it was lost."""
        rank = Rank.FIRST if errand.parcel.message.reply else Rank.USUAL
        await find_office(find_http(errand.channel)).admit(rank)
        avatar = await self._choose_avatar(errand, hook)
        earlier = self._doubts.begin(errand.key, errand.channel, hook, errand.body)
        query = {"wait": "true", **errand.thread}
        try:
            answer = await hook.wire.ask("POST", hook.path, errand.payload(avatar), errand.files, query)
        except Unavailable:
            self._doubts.withdraw(errand.key, earlier)
            raise
        except Uncertain:
            return None
        if not (answer.is_done or answer.is_unclear):
            self._doubts.withdraw(errand.key, earlier)
        self._note(errand, answer)
        return answer

    def _note(self, errand: Errand, answer: Answer) -> None:
        """Learn what an answer says about the next request, here and everywhere."""
        home_id = errand.home.id
        budget = self._budgets.find(home_id) or self._budgets.keep(home_id, Budget(self._clock))
        budget.note(answer)
        if is_ban(answer) or answer.body.get("global") is True:
            error = Unavailable(str(blame(answer)))
            find_office(find_http(errand.channel)).shut(error, budget.pause())

    async def _choose_avatar(self, errand: Errand, hook: Hook) -> str | None:
        if "avatar" in errand.tried:
            return None
        spare = errand.home.guild.me.display_avatar.url
        return await self._avatars.settle(hook, errand.costume.avatar, spare)

    async def _accept(self, errand: Errand, hook: Hook, answer: Answer) -> Receipt | None:
        """The receipt; or nothing, if the webhook was moved under our hands and it must be said again."""
        message_id, channel_id = int(answer.body["id"]), int(answer.body["channel_id"])
        if channel_id == errand.channel.id:
            return self._receipt(errand, message_id)
        self._hooks.forget(hook)
        self._doubts.withdraw(errand.key, None)
        if not await take_back(hook, message_id, errand.home.guild, channel_id):
            _LOGGER.warning("message %d stands in channel %d, where it must not", message_id, channel_id)
        if not errand.tries("move"):
            raise NoVoice(_RESTLESS)
        return None

    async def _remedy(self, errand: Errand, hook: Hook, answer: Answer) -> bool:
        """Whether something was done about a refusal, so that it can be asked once more."""
        match answer.code:
            case 10015:
                self._hooks.bury(hook)
                return errand.tries("webhook")
            case 50027:
                self._hooks.forget(hook)
                return errand.tries("webhook")
            case 10003 if errand.thread:
                self._hooks.forget(hook)
                if await self._hooks.find_place(hook) == errand.home.id:
                    return False
                # It was moved: the thread is there, but not for this webhook.
                if not errand.tries("move"):
                    raise NoVoice(_RESTLESS)
                return True
            case 50035 if "username" in answer.fields and errand.tries("name"):
                errand.costume = replace(errand.costume, name=ORDINARY)
            case 50035 if "avatar_url" in answer.fields and errand.tries("avatar"):
                pass
            case _:
                return False
        errand.changes += ("identity",)
        return True

    # --- When the answer is lost ------------------------------------------------------------------

    async def _settle(self, errand: Errand) -> Receipt:
        """Find out what became of it; what is not there may be sent again by whoever hears that."""
        await asyncio.sleep(SETTLE)
        if receipt := await self._find(errand):
            return receipt
        raise Unavailable("the message did not arrive")

    async def _identify(self, errand: Errand, hook: Hook) -> Receipt:
        """The receipt of what certainly arrived, under an id that the answer did not tell."""
        try:
            receipt = await self._find(errand)
        except Uncertain:
            if await self._hooks.find_place(hook) not in {None, errand.home.id}:
                raise
            receipt = None
        if receipt is not None:
            return receipt
        if self._doubts.find_hook(errand.key) is None:
            return await self._say_again(errand)
        self._doubts.withdraw(errand.key, None)
        return Receipt(errand.parcel.message, 0, changes=(*errand.changes, "unseen"))

    async def _say_again(self, errand: Errand) -> Receipt:
        """What was taken back from a wrong place is said in the right one."""
        if not errand.tries("move"):
            raise NoVoice(_RESTLESS)
        return await self._post(errand)

    async def _find(self, errand: Errand) -> Receipt | None:
        """The receipt of an earlier attempt, or nothing if there was none or it did not arrive."""
        hook = self._doubts.find_hook(errand.key)
        if hook is None:
            return None
        try:
            found = await self._doubts.look(errand.key, errand.channel)
        except Uncertain:
            with suppress(Uncertain):
                if await recall(errand, hook, self._hooks, self._doubts):
                    return None
            raise
        if found is not None:
            return self._receipt(errand, found)
        await recall(errand, hook, self._hooks, self._doubts)
        return None

    def _receipt(self, errand: Errand, message_id: int) -> Receipt:
        channel_id = errand.channel.id
        self._doubts.resolve(errand.key, channel_id, message_id)
        url = f"https://discord.com/channels/{errand.home.guild.id}/{channel_id}/{message_id}"
        return Receipt(errand.parcel.message, message_id, url, changes=errand.changes)


def _is_message(answer: Answer) -> bool:
    return all(str(answer.body.get(name, "")).isdecimal() for name in ("id", "channel_id"))


def _find_home(channel: discord.abc.Messageable) -> Home:
    """The channel whose webhooks serve this one; direct messages have none."""
    home = channel.parent if isinstance(channel, discord.Thread) else channel
    if isinstance(home, Home):
        return home
    raise NoVoice("this kind of channel has no webhooks")
