"""Responses to slash commands and buttons as a transport.

Discord wants an acknowledgement within three seconds, and the token is valid for fifteen minutes
(https://docs.discord.com/developers/interactions/receiving-and-responding). So the interaction is deferred at
once, the first message edits the deferred one, and the others are follow-ups. After the token expires the
rest is sent to the channel, except if the answer is ephemeral. If the bot is not a member of the server, it
cannot write to the channel and has few follow-ups: the rest becomes a file of the last one (`overflow_file`).

Follow-ups have no nonce, so each is requested once (`raw_http`) and searched for if its response is lost.

`find_transport` chooses the transport for a channel, message, interaction or context of discord.py.
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

from .._delivery.error_codes import ErrorCode
from .._delivery.leaky_bucket import LeakyBucket
from .._delivery.outgoing import AllowedMentions, OutgoingMessage, build_outgoing
from .._delivery.transport import FetchedMessage, Transport
from .._events import Attachment, Message, Receipt
from .._exceptions import DeliveryError, DeliveryUncertain, MessageRefused, NotAllowed, WebhookUnavailable
from .._settings import DISCORD_LIMIT, LIVE_LIMIT
from .ask_components import ask_view
from .attachments import describe_files, with_safe_names
from .channel import DiscordChannel
from .components_v2 import as_card_json
from .content import content_with_name, prefix_name, to_discord_mentions
from .discord_internals import find_client, register_view
from .edits import V2_FLAG, edit_payload, is_rich, record_components_v2
from .errors import delivery_error, is_refusal, webhook_error
from .interaction_privacy import EPHEMERAL, ReplyPrivacy
from .interaction_replies import find_follow_up, read_replies, reply_time_left
from .overflow_file import MAX_FOLLOW_UPS, Overflow, is_user_install_only
from .protocols import WebhookSender
from .raw_http import RawHttp, Response

TRIES, TRY_PAUSE = 4, 0.3
"""Of the acknowledgement, which must be there in three seconds."""
_CLOSED = frozenset({ErrorCode.UNKNOWN_INTERACTION, ErrorCode.TOO_MANY_FOLLOW_UPS})
_SUPPRESS_EMBEDS, _SILENT = 1 << 2, 1 << 12


class DiscordInteraction:
    """A slash command or button press as a transport; make one for each turn.

    Call `defer` as soon as it arrives, if the answer takes longer than a second. The first message fills the
    deferred response, the others are follow-ups. After 15 minutes, and for personas, messages go to the channel
    (https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages).

    It has more than 15 attributes because each of these three ways has a state and limits of its own, and one
    message may have to try all of them.

    Args:
        interaction: The interaction of discord.py.
        ephemeral: Whether only the user who asked sees the answer; by default as private as the first response
            to the interaction, or as the message whose button was pressed.
        webhooks: Sends the messages of personas, as for `DiscordChannel`.
        mentions: Whom messages may notify, instead of what the settings say.
        view: Buttons of the first message.
        last_view: Buttons of the last message.
        table_view: Buttons below the image of a table that is a card.

    Example:
        @tree.command()
        async def ask(interaction, question: str):
            transport = DiscordInteraction(interaction, ephemeral=True)
            await transport.defer()
            await say(transport, my_model(question))

    """

    takes_files = True
    message_limit = DISCORD_LIMIT

    # Follow-ups have no nonce: a repeated request creates a second message.
    has_keys = False

    def __init__(
        self,
        interaction: discord.Interaction[Any],
        *,
        ephemeral: bool | None = None,
        webhooks: WebhookSender | None = None,
        mentions: AllowedMentions | None = None,
        view: discord.ui.View | None = None,
        last_view: discord.ui.View | None = None,
        table_view: discord.ui.View | None = None,
    ) -> None:
        self._interaction = interaction
        self._privacy = ReplyPrivacy(interaction, ephemeral)
        self._webhooks = webhooks
        self._mentions = mentions
        self._channel = DiscordChannel(
            cast("discord.abc.Messageable", interaction.channel),
            webhooks=webhooks,
            mentions=mentions,
            table_view=table_view,
        )
        self._view = view
        self._last_view = last_view
        self._table_view = table_view
        self.begun = 0
        """Id of the message that has `view`; 0 if there is none yet."""
        self.ended = 0
        """Id of the message that has `last_view`; 0 if there is none yet."""
        # When the interaction's token expires.
        self._until = asyncio.get_running_loop().time() + reply_time_left(interaction)
        # Ids grow with time, so every message of the answer has a larger one.
        self.last_known_id = interaction.id
        # Held during the acknowledgement, so that it is sent once.
        self._acknowledging = asyncio.Lock()
        # Whether the deferred message still waits for the first text.
        self._waiting = interaction.response.type is discord.InteractionResponseType.deferred_channel_message
        # Whether we have acknowledged the interaction. It can be both acknowledged and closed.
        self._acknowledged = False
        # Whether the deferred message is there because of us, and no other code waits for it.
        self._owns_placeholder = False
        # Whether Discord accepts no more responses.
        self._closed = False
        # The file for the rest of the answer; only where the bot may not write to the channel.
        self._overflow = Overflow() if is_user_install_only(interaction) else None
        self._follow_up_count = 0
        # Messages of this interaction that have a receipt.
        self._sent_ids: set[int] = set()
        # Name in front of the last message for a persona: it is not repeated.
        self._last_name: str | None = None
        # Names in front of messages, by message id.
        self._name_prefixes: dict[int, str] = {}
        # Follow-ups: five in two seconds, one of them is left free.
        self._rate = LeakyBucket(4, 0.4)
        self._turn = secrets.token_hex(8)
        self._sent = 0

    async def defer(self) -> None:
        """Acknowledge the interaction, unless that was done, so that people see that an answer will come."""
        async with self._acknowledging:
            if not (self._acknowledged or self._closed or self._interaction.response.is_done()):
                self._waiting = self._acknowledged = await self._acknowledge()
                self._closed = not self._waiting
            await self._privacy.learn()

    async def reply_is_private(self) -> bool:
        """Return whether only the user who asked sees the answer."""
        async with self._acknowledging:
            return await self._privacy.learn()

    async def withdraw_placeholder(self) -> None:
        """Delete the placeholder "is thinking…" if it is our own and the answer has no message."""
        if self._owns_placeholder and self._waiting:
            self._waiting = False
            self._closed = True
            await self._delete_deferred()

    async def _acknowledge(self) -> bool:
        """Acknowledge; says whether Discord took it. It refuses a second one, so trying again is safe."""
        for _ in range(TRIES):
            try:
                await self._interaction.response.defer(thinking=True, ephemeral=self._privacy.wanted)
            except discord.InteractionResponded:
                self._privacy.on_answered_elsewhere()
                return True
            except discord.HTTPException as error:
                if is_refusal(error) or error.status == 429:
                    # The response to an earlier try was lost and it had arrived, or other code was faster.
                    if error.code != ErrorCode.ALREADY_ACKNOWLEDGED:
                        return False
                    self._privacy.on_answered_elsewhere()
                    return True
            except (aiohttp.ClientError, OSError, ValueError, KeyError, TypeError):
                await asyncio.sleep(TRY_PAUSE)
            else:
                self._privacy.decide()
                self._owns_placeholder = True
                return True
        return False

    # --- What every transport does --------------------------------------------------------------

    async def send(self, message: Message) -> Receipt:
        """Send one message and return once it is acknowledged."""
        receipt = await self.deliver(build_outgoing(self._turn, self._sent, message))
        self._sent += 1
        return receipt

    async def typing(self) -> None:
        """Acknowledge the interaction: Discord itself then shows that an answer will come."""
        await self.defer()

    def partial_message(self, receipt: Receipt) -> discord.PartialMessage | None:
        """Return a sent message as an object of discord.py; a private one can only be edited by its interaction."""
        return self._channel.partial_message(receipt)

    # --- What a reliable transport does ---------------------------------------------------------

    async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
        """Fill the deferred message, send a follow-up, or send to the channel if the interaction is over."""
        if self._overflow is not None:
            # A file that joins a card later would not be seen.
            outgoing = replace(outgoing, card=False)
        if outgoing.message.ask is not None:
            # A question has buttons of its own.
            return await self._deliver(outgoing)
        ends = outgoing.last and self._last_view is not None
        begins = not (ends or self.begun)
        view = self._last_view if ends else self._view if begins else None
        receipt = await self._deliver(replace(outgoing, view=view))
        if view is not None:
            register_view(self._interaction.client, view, receipt.id)
            self.begun, self.ended = receipt.id if begins else self.begun, receipt.id if ends else self.ended
        return receipt

    async def _deliver(self, outgoing: OutgoingMessage) -> Receipt:
        await self.reply_is_private()
        if self._is_public(outgoing.message):
            return await self._send_to_channel(outgoing)
        if self._needs_overflow_file:
            return await self._append_to_file(outgoing)
        if not self._closed:
            await self.defer()
        if not self._closed:
            try:
                return await (
                    self._edit_deferred(outgoing) if self._waiting else self._send_follow_up(outgoing)
                )
            except WebhookUnavailable:
                self._closed = True
            except MessageRefused as error:
                if error.code not in _CLOSED:
                    raise
                self._closed = True
        if self._needs_overflow_file:
            return await self._append_to_file(outgoing)
        return await self._send_to_channel(outgoing)

    async def find(self, outgoing: OutgoingMessage) -> Receipt | None:
        """Read the channel back; an answer that only one person sees cannot be found there."""
        if self._waiting or self._needs_overflow_file:
            # Whether it was filled or not: filling it again is the same.
            return None
        if self._overflow is not None:
            raise DeliveryUncertain("the bot is no member here and cannot read back what it said")
        if self._privacy.assumed:
            raise DeliveryUncertain("a private answer cannot be read back")
        return await self._channel.find(outgoing)

    async def read_back(self, after: int) -> list[FetchedMessage]:
        """Return our own messages after this one, oldest first."""
        if self._privacy.assumed or self._overflow is not None:
            raise DeliveryUncertain("this reply cannot be read back")
        seen, filled = await read_replies(self._interaction, self._channel, after)
        self._waiting = self._waiting and not filled
        return seen

    def pause(self, message: Message) -> float:
        """Return the seconds until the rate limit allows this message."""
        if (self._closed and self._overflow is None) or self._is_public(message):
            return self._channel.pause(message)
        return self._rate.pause(asyncio.get_running_loop().time())

    def lock(self) -> AbstractAsyncContextManager[object]:
        """Allow one message at a time in this channel, also of other turns."""
        return self._channel.lock()

    # --- Live messages --------------------------------------------------------------------------

    async def edit_message(self, receipt: Receipt, outgoing: OutgoingMessage) -> Receipt:
        """Edit a message; one that was sent to the channel is edited through the channel."""
        if "channel" in receipt.changes:
            return await self._channel.edit_message(receipt, outgoing)
        if "file" in receipt.changes or asyncio.get_running_loop().time() >= self._until:
            raise MessageRefused("the interaction is over", code=ErrorCode.TOO_MANY_EDITS)
        self._rate.take(asyncio.get_running_loop().time())
        message = outgoing.message
        content = prefix_name(self._name_prefixes.get(receipt.id, ""), message.content)
        ends = message.ask is None and outgoing.last and self._last_view is not None
        view = self._last_view if ends else self._view if receipt.id == self.begun else None
        shown = ask_view(message.ask) if message.ask else view
        outgoing = replace(outgoing, view=shown, below=self._table_view)
        with_view = ends or message.ask is not None
        body = edit_payload(content, outgoing, rich=is_rich(receipt, content, message), with_view=with_view)
        body["allowed_mentions"] = to_discord_mentions(self._mentions or outgoing.allowed_mentions).to_dict()
        path, files = f"{self._path}/messages/{receipt.id}", with_safe_names(message.files)
        answer = await self._raw_http.request("PATCH", path, body, files)
        if answer.is_ambiguous:
            raise DeliveryUncertain(f"Discord failed ({answer.status})", retryable=True)
        if not answer.ok:
            raise webhook_error(answer)
        if not self._is_message(answer) or int(answer.body["id"]) != receipt.id:
            # Editing again is harmless.
            raise DeliveryUncertain("the answer to an edit was not the message", retryable=True)
        if ends and view is not None and self.ended != receipt.id:
            register_view(self._interaction.client, view, receipt.id)
            self.ended = receipt.id
        return record_components_v2(receipt, content, message)

    def may_attach(self, message: Message) -> bool:
        """Whether an edit may bring files; not where the rest of the answer may have to be sent as a file."""
        if self._is_public(message):
            return self._channel.may_attach(message)
        return self._overflow is None

    async def fetch_live(self, receipt: Receipt) -> FetchedMessage | None:
        """A message as it is now; `None` if that is unknown."""
        return await self._channel.fetch_live(receipt) if not self._privacy.assumed else None

    def edit_pause(self, receipt: Receipt) -> float:
        """Seconds until the rate limit allows an edit and still a message besides."""
        if "channel" in receipt.changes:
            return self._channel.edit_pause(receipt)
        return self._rate.pause(asyncio.get_running_loop().time(), 2)

    def track_live(self) -> AbstractContextManager[Callable[[], int]]:
        """Count one more live message in this channel."""
        return self._channel.track_live()

    def live_length_limit(self, message: Message) -> int:
        """The longest live message, in characters."""
        return self._channel.live_length_limit(message) if self._is_public(message) else LIVE_LIMIT

    # --- The three ways -------------------------------------------------------------------------

    def _is_public(self, message: Message) -> bool:
        """Whether it goes to the channel: it has another speaker, or the interaction is over."""
        by_webhook = message.speaker is not None and self._webhooks is not None and not self._privacy.assumed
        late = asyncio.get_running_loop().time() >= self._until
        return late or (by_webhook and self._overflow is None)

    @property
    def _needs_overflow_file(self) -> bool:
        """Whether Discord takes no further reply, and the bot may not write into the channel."""
        if self._overflow is None or not self._overflow.message_id:
            return False
        return self._closed or self._follow_up_count >= MAX_FOLLOW_UPS

    async def _send_to_channel(self, outgoing: OutgoingMessage) -> Receipt:
        if self._privacy.assumed:
            raise NotAllowed("the interaction is over, and its answer is for one person only")
        if self._overflow is not None:
            raise NotAllowed("the interaction is over, and the bot is no member of the channel")
        receipt = await self._channel.deliver(outgoing)
        if self._waiting and not self._closed:
            self._waiting = False
            await self._delete_deferred()
        return replace(receipt, changes=(*receipt.changes, "channel"))

    async def _append_to_file(self, outgoing: OutgoingMessage) -> Receipt:
        """Add a message to the file of the last one; adding it twice is harmless."""
        assert self._overflow is not None
        self._overflow.add(outgoing)
        files = self._overflow.uploads
        self._rate.take(asyncio.get_running_loop().time())
        path = f"{self._path}/messages/{self._overflow.message_id}"
        body = self._overflow.body(files)
        body["allowed_mentions"] = to_discord_mentions(self._mentions or outgoing.allowed_mentions).to_dict()
        try:
            answer = await self._raw_http.request("PATCH", path, body, files)
        except DeliveryUncertain as error:
            raise DeliveryUncertain(str(error), retryable=True) from error
        if answer.is_ambiguous or (answer.ok and not self._is_message(answer)):
            raise DeliveryUncertain(f"Discord failed ({answer.status})", retryable=True)
        if not answer.ok:
            raise webhook_error(answer)
        return replace(self._receipt(outgoing, answer), changes=("file",))

    async def _delete_deferred(self) -> None:
        """Delete the deferred message, which would say for ever that an answer will come."""
        try:
            await self._raw_http.request("DELETE", f"{self._path}/messages/@original")
        except DeliveryError:
            return

    async def _edit_deferred(self, outgoing: OutgoingMessage) -> Receipt:
        """Make the deferred message the first one; done twice, it is still one message."""
        try:
            answer = await self._request("PATCH", f"{self._path}/messages/@original", outgoing)
        except DeliveryUncertain as error:
            raise DeliveryUncertain(str(error), retryable=True) from error
        if answer.is_ambiguous or (answer.ok and not self._is_message(answer)):
            raise DeliveryUncertain(f"Discord failed ({answer.status})", retryable=True)
        if not answer.ok:
            raise webhook_error(answer)
        self._waiting = False
        return self._receipt(outgoing, answer)

    async def _send_follow_up(self, outgoing: OutgoingMessage) -> Receipt:
        """Send a follow-up, once; if its answer is lost, look for it."""
        try:
            answer = await self._request("POST", self._path, outgoing)
        except DeliveryUncertain:
            return await self._resolve(outgoing)
        is_known = answer.ok and self._is_message(answer) and int(answer.body["id"]) in self._sent_ids
        if answer.is_ambiguous or is_known or (answer.ok and not self._is_message(answer)):
            return await self._resolve(outgoing)
        if not answer.ok:
            raise webhook_error(answer)
        self._follow_up_count += 1
        return self._receipt(outgoing, answer)

    async def _resolve(self, outgoing: OutgoingMessage) -> Receipt:
        return await find_follow_up(lambda: self.find(outgoing))

    # --- Requests -------------------------------------------------------------------------------

    @property
    def _path(self) -> str:
        return f"/webhooks/{self._interaction.application_id}/{self._interaction.token}"

    @property
    def _raw_http(self) -> RawHttp:
        webhook = self._interaction.followup
        return RawHttp(webhook.session, webhook.proxy, webhook.proxy_auth)

    async def _request(self, method: str, path: str, outgoing: OutgoingMessage) -> Response:
        self._rate.take(asyncio.get_running_loop().time())
        files = with_safe_names(outgoing.message.files)
        query = {"wait": "true"} if method == "POST" else None
        payload = self._payload(outgoing, files)
        if outgoing.silent and method == "POST":
            payload["flags"] |= _SILENT
        return await self._raw_http.request(method, path, payload, files, query)

    def _payload(self, outgoing: OutgoingMessage, files: list[Attachment]) -> dict[str, Any]:
        speaker = outgoing.message.speaker
        name = speaker.name if speaker else ""
        content = content_with_name(name if name != self._last_name else "", outgoing.message.content)
        flags = (EPHEMERAL if self._privacy.assumed else 0) | (0 if outgoing.previews else _SUPPRESS_EMBEDS)
        ask = outgoing.message.ask
        view = ask_view(ask) if ask else outgoing.view
        outgoing = replace(outgoing, below=self._table_view, view=view)
        words = as_card_json(content, outgoing) if outgoing.card else {"content": content}
        rows = {"components": view.to_components()} if view is not None and not outgoing.card else {}
        return {
            **words,
            **rows,
            "allowed_mentions": to_discord_mentions(self._mentions or outgoing.allowed_mentions).to_dict(),
            "flags": flags | (V2_FLAG if outgoing.card else 0),
            "attachments": describe_files(files),
        }

    def _is_message(self, answer: Response) -> bool:
        """Whether a response proves that the message is in this channel, and that it answers this interaction."""
        started = answer.body.get("interaction_metadata")
        started_id = started.get("id") if isinstance(started, dict) else None
        is_ours = started_id is None or str(started_id) == str(self._interaction.id)
        # Ids grow with time: a message of a proxy's cache is older than the command.
        return (
            answer.is_message_of(self._interaction.channel_id or 0)
            and int(answer.body["id"]) > self._interaction.id
            and is_ours
        )

    def _receipt(self, outgoing: OutgoingMessage, answer: Response) -> Receipt:
        message_id = int(answer.body["id"])
        self._sent_ids.add(message_id)
        speaker = outgoing.message.speaker
        if speaker and speaker.name != self._last_name:
            self._name_prefixes[message_id] = speaker.name
        self._last_name = speaker.name if speaker else None
        self._channel.mark_confirmed(message_id)
        if self._overflow is not None:
            self._overflow.record_files(message_id, answer.body.get("attachments") or ())
        place = self._interaction.guild_id or "@me"
        url = f"https://discord.com/channels/{place}/{self._interaction.channel_id}/{message_id}"
        changes = {"no_webhook": speaker, "card": outgoing.card}
        return Receipt(
            outgoing.message,
            message_id,
            url,
            changes=tuple(one for one, applies in changes.items() if applies),
        )


# --- Which transport an object of discord.py is --------------------------------------------------------


Target: TypeAlias = Transport | discord.abc.Messageable | discord.Message | discord.Interaction[Any]
"""Where `say` can send to: a transport, or an object of discord.py as it is."""


async def open_direct_message(target: object) -> object:
    """Return the direct messages of a user; anything else is returned unchanged."""
    # The bot's own user has no direct messages.
    if not isinstance(target, discord.User | discord.Member):
        return target
    try:
        return await target.create_dm()
    except Exception as error:
        raise delivery_error(error) from error


def find_transport(target: object) -> Transport | None:
    """The transport for an object of discord.py; none if it is something else."""
    if isinstance(target, discord.Interaction):
        return DiscordInteraction(_open(target))
    if isinstance(target, discord.Message | discord.PartialMessage):
        return DiscordChannel(_open(target.channel), reply_to=cast("discord.Message", target))
    if not isinstance(target, discord.abc.Messageable):
        _refuse(target)
        return None
    if isinstance(target, discord.User | discord.Member):
        if target.dm_channel is not None:
            return DiscordChannel(_open(target.dm_channel))
        raise TypeError(
            f"a Turn cannot send to a {type(target).__name__}, who has no channel yet: "
            "write `Turn(await user.create_dm(), ...)`"
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
    if isinstance(target, discord.Webhook) and target.type is discord.WebhookType.application:
        advice = "give it the interaction itself: `say(interaction, ...)` sends follow-ups by itself"
    elif isinstance(target, discord.Webhook):
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
