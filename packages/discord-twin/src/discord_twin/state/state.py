"""The state of a Discord, in memory, in one object; pure: no I/O, and time comes from outside.

`State` knows how the state changes, not whether a user may change it: the routes check that first. Each
change is dispatched to the observers as an `Event`, in order, before the call returns.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import serializers as shapes
from .enums import ChannelType, MessageFlag, MessageType
from .message_serializers import serialize_message_event
from .models import (
    Application,
    Attachment,
    Channel,
    Draft,
    Emoji,
    Guild,
    Interaction,
    Json,
    Member,
    Message,
    Overwrite,
    Role,
    User,
    Webhook,
)
from .permissions import ALL, BOT, EVERYONE, NONE, Permission, permissions_in
from .snowflakes import Nonces, Snowflakes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Tokens are valid for 15 minutes; older ones are only kept for tests.
_MAX_INTERACTIONS = 10_000


@dataclass(frozen=True, slots=True)
class Event:
    """Something that changed, as the gateway dispatches it.

    Example:
        twin.state.observe(lambda event: print(event.name, event.payload))

    """

    name: str
    """The name of the gateway event, such as `MESSAGE_CREATE`."""
    payload: Json
    """The `d` of the gateway frame."""
    guild_id: int | None = None
    channel: Channel | None = None
    message: Message | None = None
    application_id: int | None = None
    """Set when only this application may see it."""


class State:
    """Everything that a twin knows: users, guilds, channels, messages, webhooks, interactions and commands.

    Args:
        now: Returns the time in seconds since 1970.

    Example:
        newest = twin.state.channels[twin.channel.id].messages

    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        # Set when the twin starts to listen.
        self.cdn_url = ""
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.webhooks: dict[int, Webhook] = {}
        self.dead_webhooks: dict[int, int] = {}
        """Calls to webhooks that no longer exist."""
        self.applications: dict[int, Application] = {}
        # By token.
        self.interactions: dict[str, Interaction] = {}
        # By (application id, guild id).
        self.guild_commands: dict[tuple[int, int], dict[int, Json]] = {}
        # Bytes by hash (avatars) or id (emoji); the CDN serves them.
        self.pictures: dict[str, bytes] = {}
        self.uploads: dict[int, Attachment] = {}
        """Files that came with a command."""
        self.nonces: Nonces = Nonces()
        self._observers: list[Callable[[Event], None]] = []
        self._snowflakes = Snowflakes(now)

    # Events and ids

    def observe(self, observer: Callable[[Event], None]) -> None:
        """Call `observer` with every event from now on."""
        self._observers.append(observer)

    def dispatch(self, event: Event) -> None:
        """Pass an event to all observers."""
        for observer in self._observers:
            observer(event)

    def make_id(self) -> int:
        """Return the next snowflake."""
        return self._snowflakes.make()

    def make_secret(self, of: int) -> str:
        """Return a token that looks like one and is the same in every run."""
        return hashlib.sha512(f"twin:{of}".encode()).hexdigest()[:68]

    def remember_interaction(self, interaction: Interaction) -> None:
        """Keep an interaction, and let the oldest go when there are too many."""
        self.interactions[interaction.token] = interaction
        if len(self.interactions) > _MAX_INTERACTIONS:
            del self.interactions[next(iter(self.interactions))]

    # Users and guilds

    def add_user(self, name: str, *, bot: bool = False, id_: int | None = None) -> User:
        """Add a new user."""
        user = User(id_ or self.make_id(), name, bot=bot, discriminator="0001" if bot else "0")
        self.users[user.id] = user
        return user

    def add_application(self, name: str, owner: User, id_: int | None = None) -> Application:
        """Add a new application and its bot; both share one id, as they do on Discord."""
        user = self.add_user(name, bot=True, id_=id_)
        # hikari reads the bot's id out of the first part of its token.
        token = base64.b64encode(str(user.id).encode()).decode().rstrip("=")
        secret = self.make_secret(user.id)
        application = Application(user.id, f"{token}.{secret[:6]}.{secret[6:44]}", user, owner)
        self.applications[application.id] = application
        return application

    def find_application(self, token: str) -> Application | None:
        """Return the application that a token opens."""
        return next((one for one in self.applications.values() if one.token == token), None)

    def add_guild(self, name: str, owner: User) -> Guild:
        """Add a new guild with its @everyone role."""
        guild = Guild(self.make_id(), name, owner.id)
        guild.roles[guild.id] = Role(guild.id, "@everyone", EVERYONE)
        self.guilds[guild.id] = guild
        self.add_member(guild, owner)
        return guild

    def delete_guild(self, guild: Guild) -> None:
        """Delete a guild with its channels, webhooks and commands."""
        self.guilds.pop(guild.id, None)
        for channel_id in guild.channel_ids:
            channel = self.channels.pop(channel_id, None)
            for webhook in self.webhooks_of(channel) if channel else ():
                del self.webhooks[webhook.id]
        for key in [one for one in self.guild_commands if one[1] == guild.id]:
            del self.guild_commands[key]
        for user_id in guild.members:
            self.dispatch_guild_delete(guild, user_id)

    def dispatch_guild_delete(self, guild: Guild, user_id: int) -> None:
        """Tell a bot that it is no longer in a guild; other users are not told."""
        if user_id in self.applications:
            self.dispatch(Event("GUILD_DELETE", {"id": str(guild.id)}, guild.id, application_id=user_id))

    def add_role(
        self, guild: Guild, name: str, permissions: Permission = NONE, *, mentionable: bool = False
    ) -> Role:
        """Add a new role."""
        role = Role(self.make_id(), name, permissions, mentionable, position=len(guild.roles))
        guild.roles[role.id] = role
        self.dispatch(
            Event(
                "GUILD_ROLE_CREATE",
                {"guild_id": str(guild.id), "role": shapes.serialize_role(role)},
                guild.id,
            )
        )
        return role

    def add_member(self, guild: Guild, user: User, roles: Iterable[Role] = ()) -> Member:
        """Let a user join; a bot gets a role of its own."""
        member = Member(user, [role.id for role in roles], joined_at=self.now())
        if user.bot:
            member.role_ids.append(self.add_role(guild, user.name, BOT).id)
        guild.members[user.id] = member
        payload = {**shapes.serialize_member(member), "guild_id": str(guild.id)}
        self.dispatch(Event("GUILD_MEMBER_ADD", payload, guild.id))
        return member

    def add_emoji(self, guild: Guild, name: str, *, animated: bool = False) -> Emoji:
        """Add a new custom emoji."""
        emoji = Emoji(self.make_id(), name, animated)
        guild.emojis[emoji.id] = emoji
        emojis = [shapes.serialize_emoji(one) for one in guild.emojis.values()]
        self.dispatch(Event("GUILD_EMOJIS_UPDATE", {"guild_id": str(guild.id), "emojis": emojis}, guild.id))
        return emoji

    # Channels

    def add_channel(self, guild: Guild, name: str, type_: ChannelType = ChannelType.TEXT) -> Channel:
        """Add a new channel of a guild."""
        channel = Channel(self.make_id(), type_, name, guild.id)
        return self.open_channel(channel, "CHANNEL_CREATE")

    def add_thread(
        self,
        parent: Channel,
        name: str,
        owner: User,
        message: Message | None = None,
        type_: ChannelType = ChannelType.PUBLIC_THREAD,
        *,
        archive_minutes: int = 1440,
    ) -> Channel:
        """Add a new thread; one that starts at a message has the message's id."""
        thread_id = message.id if message is not None else self.make_id()
        thread = Channel(thread_id, type_, name, parent.guild_id, parent.id, owner_id=owner.id)
        thread.archive_minutes = archive_minutes
        thread.member_ids.append(owner.id)
        if message is not None:
            message.thread_id = thread_id
            message.draft = replace(message.draft, flags=message.draft.flags | MessageFlag.HAS_THREAD)
        return self.open_channel(thread, "THREAD_CREATE", newly_created=True)

    def open_channel(self, channel: Channel, event: str, **extra: object) -> Channel:
        """Add a channel and dispatch its event."""
        self.channels[channel.id] = channel
        if channel.guild_id is not None:
            self.guilds[channel.guild_id].channel_ids.append(channel.id)
        self.dispatch(Event(event, {**shapes.serialize_channel(channel), **extra}, channel.guild_id, channel))
        return channel

    def open_dm(self, first: User, second: User) -> Channel:
        """Open the one direct-message channel of two users."""
        pair = {first.id, second.id}
        for channel in self.channels.values():
            if channel.type is ChannelType.DM and {user.id for user in channel.recipients} == pair:
                return channel
        # The bot's own user is not among the recipients that it sees; keep it last.
        people = tuple(sorted((first, second), key=lambda user: user.bot))
        channel = Channel(self.make_id(), ChannelType.DM, recipients=people)
        self.channels[channel.id] = channel
        return channel

    def open_group(self, people: Iterable[User], name: str = "") -> Channel:
        """Open a group of users who write to each other; no bot is ever in one."""
        members = tuple(people)
        channel = Channel(self.make_id(), ChannelType.GROUP_DM, name, recipients=members)
        channel.owner_id = members[0].id
        self.channels[channel.id] = channel
        return channel

    def change_channel(self, channel: Channel) -> None:
        """Tell that a channel or thread has changed."""
        name = "THREAD_UPDATE" if channel.is_thread else "CHANNEL_UPDATE"
        self.dispatch(Event(name, shapes.serialize_channel(channel), channel.guild_id, channel))

    def set_thread(self, thread: Channel, *, archived: bool, locked: bool = False) -> None:
        """Archive, lock or open a thread."""
        thread.archived, thread.locked, thread.archived_at = archived, locked, self.now()
        self.change_channel(thread)

    def delete_channel(self, channel: Channel) -> None:
        """Delete a channel with its threads and webhooks."""
        for thread in [one for one in self.channels.values() if one.parent_id == channel.id]:
            self.delete_channel(thread)
        for webhook in self.webhooks_of(channel):
            del self.webhooks[webhook.id]
        self.channels.pop(channel.id, None)
        if channel.guild_id is not None:
            self.guilds[channel.guild_id].channel_ids.remove(channel.id)
        name = "THREAD_DELETE" if channel.is_thread else "CHANNEL_DELETE"
        self.dispatch(Event(name, shapes.serialize_channel(channel), channel.guild_id, channel))

    def home_of(self, channel: Channel) -> Channel:
        """Return the channel itself, or the parent of a thread: where permissions and webhooks live."""
        return self.channels[channel.parent_id] if channel.is_thread and channel.parent_id else channel

    # Permissions

    def permissions(self, user: User, channel: Channel) -> Permission:
        """What a user may do in a channel; in a direct message, everything."""
        if channel.guild_id is None:
            return ALL if user in channel.recipients else NONE
        guild = self.guilds[channel.guild_id]
        member = guild.members.get(user.id)
        return permissions_in(guild, self.home_of(channel), member, self.now()) if member else NONE

    def can_view(self, user: User, channel: Channel) -> bool:
        """Return whether a user may view a channel; a category is viewable if a channel in it is."""
        if self.permissions(user, channel) & Permission.VIEW_CHANNEL:
            return True
        inside = (one for one in self.channels.values() if one.parent_id == channel.id and not one.is_thread)
        return channel.type is ChannelType.CATEGORY and any(self.can_view(user, one) for one in inside)

    def overwrite(
        self, channel: Channel, target: User | Role, *, allow: Permission = NONE, deny: Permission = NONE
    ) -> None:
        """Set what a channel allows and denies a user or a role."""
        home = self.home_of(channel)
        home.overwrites[target.id] = Overwrite(allow, deny, is_member=isinstance(target, User))
        self.change_channel(home)

    # Messages

    def find_message(self, channel_id: int, message_id: int) -> Message | None:
        """Return a message that still exists."""
        channel = self.channels.get(channel_id)
        return channel.messages.get(message_id) if channel else None

    def post(
        self,
        channel: Channel,
        author: User,
        draft: Draft,
        *,
        type_: MessageType = MessageType.DEFAULT,
        webhook: Webhook | None = None,
        interaction: Interaction | None = None,
    ) -> Message:
        """Write a message; a thread that was archived is open again."""
        # Discord opens an archived thread when a message is sent to it.
        if channel.archived:
            self.set_thread(channel, archived=False)
        message = Message(self.make_id(), channel.id, author, draft, type_, webhook, interaction)
        channel.messages[message.id] = message
        channel.last_message_id = message.id
        self.nonces.remember(message, self.now())
        self.dispatch_message("MESSAGE_CREATE", channel, message)
        return message

    def dispatch_message(self, name: str, channel: Channel, message: Message) -> None:
        """Tell of a message, with its full shape."""
        self.dispatch(Event(name, serialize_message_event(self, message), channel.guild_id, channel, message))

    def edit(self, channel: Channel, message: Message, draft: Draft) -> None:
        """Replace what a message holds."""
        message.is_rewritten = message.is_rewritten or _is_rewritten(message.draft, draft)
        message.draft = replace(draft, nonce=None)  # only the create carries it
        message.edited_at = self.now()
        self.dispatch_message("MESSAGE_UPDATE", channel, message)

    def delete(self, channel: Channel, message: Message) -> None:
        """Remove a message; what refers to it keeps its id."""
        channel.messages.pop(message.id, None)
        payload: Json = {"id": str(message.id), "channel_id": str(channel.id)}
        if channel.guild_id is not None:
            payload["guild_id"] = str(channel.guild_id)
        self.dispatch(Event("MESSAGE_DELETE", payload, channel.guild_id, channel))

    # Webhooks

    def webhooks_of(self, channel: Channel) -> list[Webhook]:
        """Return the webhooks of one channel."""
        return [webhook for webhook in self.webhooks.values() if webhook.channel_id == channel.id]

    def add_webhook(self, channel: Channel, name: str, creator: User) -> Webhook:
        """Add a new webhook; the application of a bot that creates one owns it."""
        if channel.guild_id is None:
            raise ValueError("a direct-message channel has no webhooks")
        application_id = creator.id if creator.bot else None
        made = self.make_id()
        webhook = Webhook(
            made, self.make_secret(made), name, channel.id, channel.guild_id, creator, application_id
        )
        self.webhooks[webhook.id] = webhook
        self.dispatch_webhooks(channel)
        return webhook

    def dispatch_webhooks(self, channel: Channel) -> None:
        """Tell that the webhooks of a channel have changed; Discord does not say how."""
        payload = {"guild_id": str(channel.guild_id), "channel_id": str(channel.id)}
        self.dispatch(Event("WEBHOOKS_UPDATE", payload, channel.guild_id, channel))

    def move_webhook(self, webhook: Webhook, channel: Channel) -> None:
        """Move a webhook to another channel; its token stays valid."""
        old = self.channels[webhook.channel_id]
        webhook.channel_id = channel.id
        self.dispatch_webhooks(old)
        self.dispatch_webhooks(channel)

    def delete_webhook(self, webhook: Webhook) -> None:
        """Remove a webhook."""
        if self.webhooks.pop(webhook.id, None) and webhook.channel_id in self.channels:
            self.dispatch_webhooks(self.channels[webhook.channel_id])


def _is_rewritten(before: Draft, after: Draft) -> bool:
    """Return whether an edit changes more than buttons, and does not only fill in the reply to a command."""
    if before.flags & MessageFlag.LOADING:
        return False
    # The texts of Components V2 are components, too.
    return bool(after.flags & MessageFlag.IS_COMPONENTS_V2) or (
        before.content,
        before.embeds,
        before.attachments,
    ) != (
        after.content,
        after.embeds,
        after.attachments,
    )
