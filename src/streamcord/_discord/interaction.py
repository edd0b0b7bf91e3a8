"""The answer to a slash command or a button as a transport.

Discord wants a first sign within three seconds and closes the door after fifteen minutes
(https://docs.discord.com/developers/interactions/receiving-and-responding). So it is deferred at once, the
first message fills the waiting one, and further ones follow it. Before the door closes, or where it is
closed, the rest are messages of the channel; what only one person may see never is. Where the bot is no
member there is no channel to write to, and few follow-ups: the rest is a file of the last one (`overflow`).

Follow-ups know no nonce, so they are asked once (`request.py`) and looked for when their answer is lost.

At the end stands which transport a channel, message, interaction or command context of discord.py is.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import replace
from typing import Any, TypeAlias, cast

import aiohttp
import discord

from .._delivery import Seen, Transport
from .._delivery.error_codes import ErrorCode
from .._delivery.outbox import Parcel, Pings, Rate, seal
from .._errors import DeliveryError, NotAllowed, NoVoice, Refused, Uncertain
from .._events import Attachment, Message, Receipt
from .._settings import LIVE_LIMIT
from . import Voices
from .api_errors import webhook_error
from .channel import DiscordChannel
from .component_cards import as_card_json
from .overflow import FOLLOW_UPS, Overflow, is_guest
from .plain_http import Answer, PlainHttp
from .replies import look_until_known, read_replies, time_left
from .request import as_allowed, as_named_files, content_with_name, describe_files, find_client, put_name
from .revisions import V2_FLAG, as_revision_json, is_rich, note_rich

__all__ = ["DiscordInteraction", "Target", "find_transport"]

TRIES, TRY_PAUSE = 4, 0.3
"""Of the acknowledgement, which must be there in three seconds."""
_CLOSED = frozenset({ErrorCode.UNKNOWN_INTERACTION, ErrorCode.TOO_MANY_FOLLOW_UPS})
_EPHEMERAL, _SUPPRESS_EMBEDS, _SILENT = 1 << 6, 1 << 2, 1 << 12


class DiscordInteraction:
    """A slash command or button press as a transport; make one for each turn.

    Call `defer` as soon as it arrives, if the answer takes longer than a second. With `ephemeral` only the
    person who asked sees the answer. `webhooks`, `mentions` and `table_view` are those of `DiscordChannel`.
    """

    has_keys = False  # follow-ups know no nonce

    def __init__(
        self,
        interaction: discord.Interaction[Any],
        *,
        ephemeral: bool = False,
        webhooks: Voices | None = None,
        mentions: Pings | None = None,
        table_view: discord.ui.View | None = None,
    ) -> None:
        self._interaction = interaction
        self._ephemeral = ephemeral
        self._voices = webhooks
        self._mentions = mentions
        self._channel = DiscordChannel(
            cast("discord.abc.Messageable", interaction.channel),
            webhooks=webhooks,
            mentions=mentions,
            table_view=table_view,
        )
        self._table_view = table_view
        self._until = asyncio.get_running_loop().time() + time_left(interaction)
        self.anchor = interaction.id
        self._acknowledging = asyncio.Lock()
        self._waiting = interaction.response.type is discord.InteractionResponseType.deferred_channel_message
        self._acknowledged = self._closed = False
        self._overflow = Overflow() if is_guest(interaction) else None
        self._followed = 0
        self._named: str | None = None
        self._fronts: dict[int, str] = {}  # names that stand before messages
        # Follow-ups: five in two seconds, one of them left free.
        self._rate = Rate(4, 0.4)
        self._turn = secrets.token_hex(8)
        self._sent = 0

    async def defer(self) -> None:
        """Acknowledge the interaction, if nobody has yet, so that people see that an answer will come."""
        async with self._acknowledging:
            if self._acknowledged or self._closed or self._interaction.response.is_done():
                return
            self._waiting = self._acknowledged = await self._acknowledge()
            self._closed = not self._waiting

    async def _acknowledge(self) -> bool:
        """Acknowledge; says whether Discord took it. It refuses a second one, so trying again is safe."""
        for _ in range(TRIES):
            try:
                await self._interaction.response.defer(thinking=True, ephemeral=self._ephemeral)
            except discord.InteractionResponded:
                return True
            except discord.HTTPException as error:
                if error.status < 500:
                    # Then the answer to an earlier try was lost, and it had arrived.
                    return error.code == ErrorCode.ALREADY_ACKNOWLEDGED
            except (aiohttp.ClientError, OSError, ValueError, KeyError, TypeError):
                await asyncio.sleep(TRY_PAUSE)
            else:
                return True
        return False

    # --- What every transport does --------------------------------------------------------------

    async def send(self, message: Message) -> Receipt:
        """Send one message and return once it is acknowledged."""
        receipt = await self.deliver(seal(self._turn, self._sent, message))
        self._sent += 1
        return receipt

    async def typing(self) -> None:
        """Acknowledge the interaction: Discord itself then shows that an answer will come."""
        await self.defer()

    # --- What a reliable transport does ---------------------------------------------------------

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Fill the deferred message, send a follow-up, or send to the channel if the interaction is over."""
        if self._overflow is not None:
            # A file that joins a card later would not be seen.
            parcel = replace(parcel, card=False)
        if self._is_public(parcel.message):
            return await self._say_in_channel(parcel)
        if self._is_used_up:
            return await self._say_in_file(parcel)
        if not self._closed:
            await self.defer()
        if not self._closed:
            try:
                return await (self._fill(parcel) if self._waiting else self._follow(parcel))
            except NoVoice:
                self._closed = True
            except Refused as error:
                if error.code not in _CLOSED:
                    raise
                self._closed = True
        if self._is_used_up:
            return await self._say_in_file(parcel)
        return await self._say_in_channel(parcel)

    async def find(self, parcel: Parcel) -> Receipt | None:
        """Read the channel back; an answer that only one person sees cannot be found there."""
        if self._waiting or self._is_used_up:
            # Whether it was filled or not: filling it again is the same.
            return None
        if self._overflow is not None:
            raise Uncertain("the bot is no member here and cannot read back what it said")
        if self._ephemeral:
            raise Uncertain("a private answer cannot be read back")
        return await self._channel.find(parcel)

    async def read_back(self, after: int) -> list[Seen]:
        """Our own messages after this one, oldest first."""
        if self._ephemeral or self._overflow is not None:
            raise Uncertain("this reply cannot be read back")
        seen, filled = await read_replies(self._interaction, self._channel, after)
        self._waiting = self._waiting and not filled
        return seen

    def pause(self, message: Message) -> float:
        """Seconds until the rate limit allows this message."""
        if (self._closed and self._overflow is None) or self._is_public(message):
            return self._channel.pause(message)
        return self._rate.pause(asyncio.get_running_loop().time())

    def lock(self) -> AbstractAsyncContextManager[object]:
        """One message at a time in this channel, whoever sends it."""
        return self._channel.lock()

    # --- Messages that grow ---------------------------------------------------------------------

    async def revise(self, receipt: Receipt, parcel: Parcel) -> Receipt:
        """Make a message say this; what stands in the channel is changed there."""
        if "channel" in receipt.changes:
            return await self._channel.revise(receipt, parcel)
        if "file" in receipt.changes or asyncio.get_running_loop().time() >= self._until:
            raise Refused("the interaction is over", code=ErrorCode.TOO_MANY_EDITS)
        self._rate.take(asyncio.get_running_loop().time())
        message = parcel.message
        content = put_name(self._fronts.get(receipt.id, ""), message.content)
        parcel = replace(parcel, below=self._table_view)
        body = as_revision_json(content, parcel, rich=is_rich(receipt, content, message))
        body["allowed_mentions"] = as_allowed(self._mentions or parcel.pings).to_dict()
        path, files = f"{self._path}/messages/{receipt.id}", as_named_files(message.files)
        answer = await self._plain_http.request("PATCH", path, body, files)
        if answer.is_unclear:
            raise Uncertain(f"Discord failed ({answer.status})", retryable=True)
        if not answer.is_done:
            raise webhook_error(answer)
        return note_rich(receipt, content, message)

    def may_attach(self, message: Message) -> bool:
        """Whether an edit may bring files; not where the rest of the answer may have to be sent as a file."""
        if self._is_public(message):
            return self._channel.may_attach(message)
        return self._overflow is None

    async def read_growth(self, receipt: Receipt) -> Seen | None:
        """A message as it is now; `None` if nobody can tell."""
        return await self._channel.read_growth(receipt) if not self._ephemeral else None

    def edit_pause(self, receipt: Receipt) -> float:
        """Seconds until the rate limit allows an edit and still a message besides."""
        if "channel" in receipt.changes:
            return self._channel.edit_pause(receipt)
        return self._rate.pause(asyncio.get_running_loop().time(), 2)

    def watch_growth(self) -> AbstractContextManager[Callable[[], int]]:
        """Count one more message that grows in this channel."""
        return self._channel.watch_growth()

    def growth_limit(self, message: Message) -> int:
        """Characters up to which a message can be made to grow."""
        return self._channel.growth_limit(message) if self._is_public(message) else LIVE_LIMIT

    # --- The three ways -------------------------------------------------------------------------

    def _is_public(self, message: Message) -> bool:
        """Whether it goes to the channel: it has another speaker, or the interaction is over."""
        voiced = message.speaker is not None and self._voices is not None and not self._ephemeral
        late = asyncio.get_running_loop().time() >= self._until
        return late or (voiced and self._overflow is None)

    @property
    def _is_used_up(self) -> bool:
        """Whether Discord takes no further reply, and the bot may not write into the channel."""
        if self._overflow is None or not self._overflow.message_id:
            return False
        return self._closed or self._followed >= FOLLOW_UPS

    async def _say_in_channel(self, parcel: Parcel) -> Receipt:
        if self._ephemeral:
            raise NotAllowed("the interaction is over, and its answer is for one person only")
        if self._overflow is not None:
            raise NotAllowed("the interaction is over, and the bot is no member of the channel")
        receipt = await self._channel.deliver(parcel)
        if self._waiting and not self._closed:
            self._waiting = False
            await self._take_back()
        return replace(receipt, changes=(*receipt.changes, "channel"))

    async def _say_in_file(self, parcel: Parcel) -> Receipt:
        """Put a message into the file of the last one; done twice, it stands there once."""
        assert self._overflow is not None
        self._overflow.add(parcel)
        files = self._overflow.uploads
        self._rate.take(asyncio.get_running_loop().time())
        path = f"{self._path}/messages/{self._overflow.message_id}"
        body = self._overflow.body(files)
        body["allowed_mentions"] = as_allowed(self._mentions or parcel.pings).to_dict()
        try:
            answer = await self._plain_http.request("PATCH", path, body, files)
        except Uncertain as error:
            raise Uncertain(str(error), retryable=True) from error
        if answer.is_unclear or (answer.is_done and not _is_message(answer)):
            raise Uncertain(f"Discord failed ({answer.status})", retryable=True)
        if not answer.is_done:
            raise webhook_error(answer)
        return replace(self._receipt(parcel, answer), changes=("file",))

    async def _take_back(self) -> None:
        """Delete the deferred message, which would say for ever that an answer will come."""
        try:
            await self._plain_http.request("DELETE", f"{self._path}/messages/@original")
        except DeliveryError:
            return

    async def _fill(self, parcel: Parcel) -> Receipt:
        """Make the deferred message the first one; done twice, it is still one message."""
        try:
            answer = await self._ask("PATCH", f"{self._path}/messages/@original", parcel)
        except Uncertain as error:
            raise Uncertain(str(error), retryable=True) from error
        if answer.status >= 500 or (answer.is_done and not _is_message(answer)):
            raise Uncertain(f"Discord failed ({answer.status})", retryable=True)
        if not answer.is_done:
            raise webhook_error(answer)
        self._waiting = False
        return self._receipt(parcel, answer)

    async def _follow(self, parcel: Parcel) -> Receipt:
        """Send a follow-up, once; if its answer is lost, look for it."""
        try:
            answer = await self._ask("POST", self._path, parcel)
        except Uncertain:
            return await self._settle(parcel)
        if answer.is_unclear or (answer.is_done and not _is_message(answer)):
            return await self._settle(parcel)
        if not answer.is_done:
            raise webhook_error(answer)
        self._followed += 1
        return self._receipt(parcel, answer)

    async def _settle(self, parcel: Parcel) -> Receipt:
        return await look_until_known(lambda: self.find(parcel))

    # --- Requests -------------------------------------------------------------------------------

    @property
    def _path(self) -> str:
        return f"/webhooks/{self._interaction.application_id}/{self._interaction.token}"

    @property
    def _plain_http(self) -> PlainHttp:
        webhook = self._interaction.followup
        return PlainHttp(webhook.session, webhook.proxy, webhook.proxy_auth)

    async def _ask(self, method: str, path: str, parcel: Parcel) -> Answer:
        self._rate.take(asyncio.get_running_loop().time())
        files = as_named_files(parcel.message.files)
        query = {"wait": "true"} if method == "POST" else None
        payload = self._payload(parcel, files)
        if parcel.silent and method == "POST":
            payload["flags"] |= _SILENT
        return await self._plain_http.request(method, path, payload, files, query)

    def _payload(self, parcel: Parcel, files: list[Attachment]) -> dict[str, Any]:
        speaker = parcel.message.speaker
        name = speaker.name if speaker else ""
        content = content_with_name(name if name != self._named else "", parcel.message.content)
        flags = (_EPHEMERAL if self._ephemeral else 0) | (0 if parcel.previews else _SUPPRESS_EMBEDS)
        parcel = replace(parcel, below=self._table_view)
        words = as_card_json(content, parcel) if parcel.card else {"content": content}
        return {
            **words,
            "allowed_mentions": as_allowed(self._mentions or parcel.pings).to_dict(),
            "flags": flags | (V2_FLAG if parcel.card else 0),
            "attachments": describe_files(files),
        }

    def _receipt(self, parcel: Parcel, answer: Answer) -> Receipt:
        message_id = int(answer.body["id"])
        speaker = parcel.message.speaker
        if speaker and speaker.name != self._named:
            self._fronts[message_id] = speaker.name
        self._named = speaker.name if speaker else None
        self._channel.know(message_id)
        if self._overflow is not None:
            self._overflow.note(message_id, answer.body.get("attachments") or ())
        place = self._interaction.guild_id or "@me"
        url = f"https://discord.com/channels/{place}/{self._interaction.channel_id}/{message_id}"
        changes = {"no_voice": speaker, "card": parcel.card}
        return Receipt(
            parcel.message, message_id, url, changes=tuple(one for one, applies in changes.items() if applies)
        )


def _is_message(answer: Answer) -> bool:
    return str(answer.body.get("id", "")).isdecimal()


# --- Which transport an object of discord.py is --------------------------------------------------------


Target: TypeAlias = Transport | discord.abc.Messageable | discord.Message | discord.Interaction[Any]
"""Where `say` can send to: a transport, or an object of discord.py as it is."""


def find_transport(target: object) -> Transport | None:
    """The transport for an object of discord.py; none if it is something else."""
    if isinstance(target, discord.Interaction):
        return DiscordInteraction(_open(target))
    if isinstance(target, discord.Message | discord.PartialMessage):
        return DiscordChannel(_open(target.channel), reply_to=cast("discord.Message", target))
    if not isinstance(target, discord.abc.Messageable):
        _refuse(target)
        return None
    if isinstance(target, discord.abc.User):
        raise TypeError(
            f"say() cannot send to a {type(target).__name__}, who has no channel yet: "
            "write `say(await user.create_dm(), ...)`"
        )
    if isinstance(message := getattr(target, "message", None), discord.Message):
        # A context of discord.ext.commands: of a slash command, or of a message that called one.
        return find_transport(getattr(target, "interaction", None) or message)
    return DiscordChannel(_open(target))


def _refuse(target: object) -> None:
    """Raise `TypeError` for an object of discord.py that cannot be sent to; other objects are let pass."""
    kind = type(target)
    if kind.__module__.partition(".")[0] != "discord":
        return
    advice = "give it a text channel, thread, message or interaction"
    if hasattr(target, "create_thread"):
        advice = "it holds threads: give it one of them"
    if isinstance(target, discord.Webhook):
        advice = "give it the channel: `DiscordChannel(channel, webhooks=Webhooks(client))` speaks by webhook"
    raise TypeError(f"say() cannot send to a discord.{kind.__name__}: {advice}")


def _open(place: Any) -> Any:  # noqa: ANN401 - of many kinds
    """The place, if its client can still send."""
    client = find_client(place)
    if client is not None and client.is_closed():
        raise DeliveryError(
            "this channel belongs to a discord.py client that is closed: use one of a running client"
        )
    return place
