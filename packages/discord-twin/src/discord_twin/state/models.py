"""The objects of a Discord: users, guilds, channels, messages, webhooks, interactions.

Plain mutable records without behaviour; `State` and `message_changes` change them, `serializers` write them as
JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from .enums import SYSTEM_TYPES, ChannelType, InteractionType, MessageFlag, MessageType
from .permissions import NONE, Permission

if TYPE_CHECKING:
    from collections.abc import Mapping

Json: TypeAlias = "dict[str, Any]"
"""A JSON object."""


@dataclass(slots=True, eq=False)
class User:
    """A user or a bot.

    Example:
        bob = twin.add_user("bob")
        twin.say(twin.channel, bob, "hello")

    """

    id: int
    name: str
    bot: bool = False
    avatar: str | None = None
    # "0" for users since the change of user names in 2023, four digits for bots and webhooks.
    discriminator: str = "0"
    # Off: sending a direct message fails with 50007.
    accepts_dms: bool = True
    locale: str = "en-US"
    """The language of their client; interactions carry it."""


@dataclass(slots=True, eq=False)
class Application:
    """A bot's application; its token opens the API."""

    id: int
    token: str = field(repr=False)
    user: User
    owner: User
    description: str = ""
    commands: dict[int, Json] = field(default_factory=dict)
    emojis: dict[int, Emoji] = field(default_factory=dict)
    installed_by: set[int] = field(default_factory=set)
    """Users who installed it for themselves, so that they have it everywhere."""


@dataclass(slots=True, eq=False)
class Role:
    """A role; the one whose id is the guild's is @everyone.

    Example:
        everyone = twin.guild.roles[twin.guild.id]
        everyone.permissions &= ~Permission.EMBED_LINKS

    """

    id: int
    name: str
    permissions: Permission
    mentionable: bool = False
    position: int = 0
    color: int = 0
    hoist: bool = False


@dataclass(frozen=True, slots=True)
class Overwrite:
    """What a channel allows and denies one role or member."""

    allow: Permission = NONE
    deny: Permission = NONE
    is_member: bool = False


@dataclass(slots=True, eq=False)
class Member:
    """A user in a guild."""

    user: User
    role_ids: list[int] = field(default_factory=list)
    nick: str | None = None
    joined_at: float = 0.0
    # Seconds since 1970; 0 is no time-out.
    timed_out_until: float = 0.0
    mute: bool = False
    deaf: bool = False
    avatar: str | None = None
    banner: str | None = None
    bio: str = ""


@dataclass(frozen=True, slots=True)
class Emoji:
    """A custom emoji of a guild."""

    id: int
    name: str
    animated: bool = False


@dataclass(slots=True, eq=False)
class Sticker:
    """A sticker of a guild."""

    id: int
    name: str
    description: str
    tags: str
    content: bytes = field(repr=False, default=b"")


@dataclass(slots=True, eq=False)
class Invite:
    """A way into a guild."""

    code: str
    channel_id: int
    inviter: User
    created_at: float
    # Seconds and uses; 0 is unlimited.
    max_age: int = 86_400
    max_uses: int = 0
    temporary: bool = False
    uses: int = 0


@dataclass(slots=True, eq=False)
class Guild:
    """A server."""

    id: int
    name: str
    owner_id: int
    roles: dict[int, Role] = field(default_factory=dict)
    members: dict[int, Member] = field(default_factory=dict)
    channel_ids: list[int] = field(default_factory=list)
    emojis: dict[int, Emoji] = field(default_factory=dict)
    locale: str = "en-US"
    stickers: dict[int, Sticker] = field(default_factory=dict)
    invites: dict[str, Invite] = field(default_factory=dict)
    bans: dict[int, str | None] = field(default_factory=dict)
    """Who is banned, and why."""
    audit: list[Json] = field(default_factory=list)
    """What was done, newest last."""


_THREADS = frozenset({ChannelType.ANNOUNCEMENT_THREAD, ChannelType.PUBLIC_THREAD, ChannelType.PRIVATE_THREAD})


@dataclass(slots=True, eq=False)
class Channel:
    """A text channel, forum, thread, direct-message channel or group.

    It has more than 15 attributes because it mirrors Discord's channel object, which is one type for all kinds:
    https://docs.discord.com/developers/resources/channel#channel-object

    Example:
        thread = twin.add_thread("a question")
        assert thread.parent_id == twin.channel.id

    """

    id: int
    type: ChannelType
    name: str = ""
    guild_id: int | None = None
    parent_id: int | None = None
    topic: str | None = None
    overwrites: dict[int, Overwrite] = field(default_factory=dict)
    # Users of a direct message or a group; empty in guilds.
    recipients: tuple[User, ...] = ()
    owner_id: int | None = None
    archived: bool = False
    locked: bool = False
    archived_at: float = 0.0
    # Minutes without a message after which a thread is archived.
    archive_minutes: int = 1440
    invitable: bool = True
    nsfw: bool = False
    slow_seconds: int = 0
    """How long a user must wait between two messages."""
    position: int = 0
    tags: list[Json] = field(default_factory=list)
    """The tags that a forum offers."""
    applied_tags: list[int] = field(default_factory=list)
    member_ids: list[int] = field(default_factory=list)
    last_message_id: int | None = None
    messages: dict[int, Message] = field(default_factory=dict)
    """In order of their ids, as messages are only ever appended."""
    suggestions: tuple[str, ...] = ()
    """Messages that the web UI offers to send at the beginning of the channel; Discord has nothing of the kind."""

    @property
    def is_thread(self) -> bool:
        """A thread lives in a parent channel."""
        return self.type in _THREADS

    @property
    def is_forum(self) -> bool:
        """Forums hold threads only."""
        return self.type in {ChannelType.FORUM, ChannelType.MEDIA}

    @property
    def texts(self) -> list[str]:
        """What was written here, for assertions; messages that Discord writes by itself are left out."""
        return [message.content for message in self.messages.values() if message.type not in SYSTEM_TYPES]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a message."""

    id: int
    filename: str
    content: bytes = field(repr=False)
    content_type: str
    description: str | None = None
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    """Seconds, of a voice message."""
    waveform: str | None = None
    # Set by the uploader (`is_spoiler`); a name that begins with SPOILER_ has the same effect.
    spoiler: bool = False


NO_FLAGS = MessageFlag(0)


@dataclass(frozen=True, slots=True)
class Draft:
    """What a create or an edit asks for, after all rules have been applied."""

    content: str = ""
    embeds: tuple[Json, ...] = ()
    components: tuple[Json, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    flags: MessageFlag = NO_FLAGS
    tts: bool = False
    nonce: str | int | None = None
    reply_to: Message | None = None
    reply_ids: tuple[int, int] | None = None
    """Channel and message id named by the reference, also when that message is gone."""
    snapshot: Json | None = None
    """The message that this one forwards, as it was then."""
    poll: Json | None = None
    sticker_ids: tuple[int, ...] = ()
    # Name and avatar of one webhook message.
    username: str | None = None
    avatar_url: str | None = None
    mentions: tuple[int, ...] = ()
    mention_roles: tuple[int, ...] = ()
    mention_everyone: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Message:
    """A message in its current version.

    Example:
        message = await twin.next_message()
        assert message.content == "Hello!"

    """

    id: int
    channel_id: int
    author: User
    draft: Draft
    type: MessageType = MessageType.DEFAULT
    webhook: Webhook | None = None
    interaction: Interaction | None = None
    edited_at: float | None = None
    is_rewritten: bool = False
    """Whether an edit changed more than its buttons."""
    # Edits after the first hour, for `old_edit_cap`.
    old_edits: int = 0
    thread_id: int | None = None
    pinned_at: float | None = None
    reactions: dict[str, list[int]] = field(default_factory=dict)
    """Who reacted with what: a character, or `name:id` of a custom emoji."""
    votes: dict[int, list[int]] = field(default_factory=dict)
    """Who voted for which answer of its poll."""
    poll_ended: bool = False

    def __repr__(self) -> str:
        return f"<Message {self.id} of {self.shown_name!r}: {self.content!r}>"

    @property
    def content(self) -> str:
        """The text."""
        return self.draft.content

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The files."""
        return self.draft.attachments

    @property
    def shown_name(self) -> str:
        """The name over the message, as a reader sees it."""
        if self.webhook is not None:
            return self.draft.username or self.webhook.name
        return self.author.name

    @property
    def is_ephemeral(self) -> bool:
        """Only the user who started the interaction sees it."""
        return bool(self.draft.flags & MessageFlag.EPHEMERAL)

    @property
    def by_machine(self) -> bool:
        """Sent by a bot or a webhook."""
        return self.webhook is not None or self.author.bot


@dataclass(slots=True, eq=False)
class Webhook:
    """A webhook; a client that knows id and token may post through it.

    Example:
        assert [hook.name for hook in twin.state.webhooks.values()] == ["streamcord"]

    """

    id: int
    token: str = field(repr=False)
    name: str
    channel_id: int
    guild_id: int
    creator: User
    # `None` if a user created the webhook in the settings of the channel.
    application_id: int | None = None
    avatar: str | None = None


@dataclass(slots=True, eq=False)
class Interaction:
    """A slash command, a pressed button or a modal, with the state of its answer.

    Example:
        interaction = twin.slash("ask", question="why")
        await twin.until(lambda: interaction.responded)

    """

    id: int
    token: str = field(repr=False)
    application_id: int
    type: InteractionType
    channel_id: int
    user: User
    created_at: float
    payload: Mapping[str, Any] = field(repr=False)
    name: str = ""
    # The message with the component; `None` for commands.
    message: Message | None = None
    # What the bot answered with the modal; `None` for everything else.
    opened_by: Interaction | None = None
    responded: bool = False
    callback: Json | None = None
    """What the bot answered first."""
    original: Message | None = None
    """The message that answered first, or that a button sits on."""
    followups: int = 0

    @property
    def owners(self) -> dict[str, str]:
        """Who let the application in: a guild (`0`), the user themselves (`1`), or both."""
        return dict(self.payload["authorizing_integration_owners"])
