"""Types and flags of Discord: channels, messages, interactions.

The numbers are those of https://docs.discord.com/developers/resources
"""

from __future__ import annotations

from enum import IntEnum, IntFlag


class ChannelType(IntEnum):
    """The types of channels.

    https://docs.discord.com/developers/resources/channel#channel-object-channel-types

    Example:
        forum = twin.add_channel("help", ChannelType.FORUM)

    """

    TEXT = 0
    DM = 1
    VOICE = 2
    GROUP_DM = 3
    CATEGORY = 4
    ANNOUNCEMENT = 5
    ANNOUNCEMENT_THREAD = 10
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    STAGE = 13
    FORUM = 15
    MEDIA = 16


class MessageType(IntEnum):
    """The types of messages.

    https://docs.discord.com/developers/resources/message#message-object-message-types
    """

    DEFAULT = 0
    CHANNEL_NAME_CHANGE = 4
    PINNED_MESSAGE = 6
    USER_JOIN = 7
    THREAD_CREATED = 18
    REPLY = 19
    CHAT_INPUT_COMMAND = 20
    THREAD_STARTER_MESSAGE = 21
    CONTEXT_MENU_COMMAND = 23
    POLL_RESULT = 46


SYSTEM_TYPES = frozenset(
    {
        MessageType.CHANNEL_NAME_CHANGE,
        MessageType.PINNED_MESSAGE,
        MessageType.USER_JOIN,
        MessageType.THREAD_CREATED,
        MessageType.THREAD_STARTER_MESSAGE,
        MessageType.POLL_RESULT,
    }
)
"""Messages that Discord writes by itself."""


class MessageFlag(IntFlag):
    """The flags of a message.

    https://docs.discord.com/developers/resources/message#message-object-message-flags

    Example:
        assert MessageFlag.IS_COMPONENTS_V2 in message.draft.flags

    """

    CROSSPOSTED = 1 << 0
    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    IS_VOICE_MESSAGE = 1 << 13
    HAS_SNAPSHOT = 1 << 14
    IS_COMPONENTS_V2 = 1 << 15


class InteractionType(IntEnum):
    """The types of interactions.

    https://docs.discord.com/developers/interactions/receiving-and-responding
    """

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5
