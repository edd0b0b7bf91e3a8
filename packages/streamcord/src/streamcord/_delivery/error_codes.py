"""Discord's error codes: what each means for a message. What is changed in a refused one: `refusals.py`.

All codes: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
"""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum
from typing import NamedTuple


class ErrorCode(IntEnum):
    """The codes that we handle specially, named after Discord's descriptions."""

    UNKNOWN_CHANNEL = 10003
    UNKNOWN_GUILD = 10004
    UNKNOWN_MESSAGE = 10008
    UNKNOWN_WEBHOOK = 10015
    UNKNOWN_INTERACTION = 10062
    SLOW_MODE = 20016
    CHANNEL_WRITE_LIMIT = 20028
    GUILD_WRITE_LIMIT = 20029
    TOO_MANY_WEBHOOKS = 30007
    TOO_MANY_ATTACHMENTS = 30015
    TOO_MANY_EDITS = 30046
    TOO_MANY_WEBHOOKS_IN_GUILD = 30058
    UNAUTHORIZED = 40001
    SENDING_DISABLED = 40004
    REQUEST_TOO_LARGE = 40005
    THREAD_WITHOUT_STARTER = 40058
    ALREADY_ACKNOWLEDGED = 40060
    SERVICE_RATE_LIMITED = 40062
    TOO_MANY_FOLLOW_UPS = 40094
    CLOUDFLARE_BLOCKED = 40333
    MISSING_ACCESS = 50001
    EMPTY_MESSAGE = 50006
    CANNOT_MESSAGE_USER = 50007
    NOT_A_TEXT_CHANNEL = 50008
    VERIFICATION_TOO_HIGH = 50009
    MISSING_PERMISSIONS = 50013
    INVALID_BOT_TOKEN = 50014
    WRONG_CHANNEL_TYPE = 50024
    INVALID_WEBHOOK_TOKEN = 50027
    INVALID_FORM_BODY = 50035
    FILE_TOO_LARGE = 50045
    INVALID_MESSAGE_TYPE = 50068
    INVALID_JSON = 50109
    INDEX_NOT_READY = 110000
    API_OVERLOADED = 130000
    REPLY_NEEDS_HISTORY = 160002
    THREAD_LOCKED = 160005
    REFERENCE_NEEDS_HISTORY = 160009
    REFERENCE_IS_AGE_RESTRICTED = 160010
    BLOCKED_BY_FILTER = 200000
    BLOCKED_TITLE = 200001
    WEBHOOK_NEEDS_THREAD = 220001
    BLOCKED_LINK = 240000


class Meaning(Enum):
    """What an error code says about the message that was sent."""

    CHANNEL_GONE = "there is no such channel any more"
    NOT_ALLOWED = "the bot lacks a permission here"
    BUSY = "Discord cannot take it now, but may later"
    NO_WEBHOOK = "the webhook cannot be used; the bot can send the message itself"
    REFUSED = "Discord does not accept the message as it is"


class Action(StrEnum):
    """What the sender does next with a message that was not accepted."""

    RETRY = "send the same message again after a pause"
    REPORT = "report that it may or may not have arrived, and continue"
    ARRIVED = "it arrived and was deleted meanwhile: continue"
    RESPLIT = "send it as shorter messages"
    NO_REPLY = "send it without the reply, and all later messages too"
    NO_FILES = "send its fallback text instead of the files"
    DEGRADE = "send it without its files, then without its reply, then give up"
    SKIP = "it has no visible content: report it and continue"
    BLOCKED = "blocked by the server's filter: send a notice instead"
    GIVE_UP = "end the turn and report the messages that were not sent"


class CodeMeaning(NamedTuple):
    """One row of the table."""

    bot: Meaning = Meaning.REFUSED
    """What the code means if the bot itself sent the message."""
    webhook: Meaning = Meaning.REFUSED
    """What the code means if one of the bot's webhooks sent it."""
    action: Action = Action.DEGRADE
    """How the sender reacts to a refusal."""
    about_message: bool = False
    """Whether the code concerns the message although it comes with status 401 or 403."""


_GONE = CodeMeaning(Meaning.CHANNEL_GONE, Meaning.CHANNEL_GONE)
_BUSY = CodeMeaning(Meaning.BUSY, Meaning.BUSY)
_NOT_ALLOWED = CodeMeaning(bot=Meaning.NOT_ALLOWED)
_BLOCKED = CodeMeaning(action=Action.BLOCKED, about_message=True)
_UNLISTED = CodeMeaning()

CODES: dict[int, CodeMeaning] = {
    ErrorCode.UNKNOWN_CHANNEL: _GONE,
    ErrorCode.UNKNOWN_GUILD: _GONE,
    # The nonce of a message that was deleted meanwhile: https://github.com/discord/discord-api-docs/issues/6647
    ErrorCode.UNKNOWN_MESSAGE: CodeMeaning(action=Action.ARRIVED),
    ErrorCode.UNKNOWN_WEBHOOK: CodeMeaning(webhook=Meaning.NO_WEBHOOK),
    ErrorCode.SLOW_MODE: _BUSY,
    ErrorCode.CHANNEL_WRITE_LIMIT: _BUSY,
    ErrorCode.GUILD_WRITE_LIMIT: _BUSY,
    ErrorCode.TOO_MANY_ATTACHMENTS: CodeMeaning(action=Action.NO_FILES),
    ErrorCode.UNAUTHORIZED: _NOT_ALLOWED,
    ErrorCode.SENDING_DISABLED: _NOT_ALLOWED,
    ErrorCode.REQUEST_TOO_LARGE: CodeMeaning(action=Action.NO_FILES),
    ErrorCode.THREAD_WITHOUT_STARTER: _NOT_ALLOWED,
    ErrorCode.SERVICE_RATE_LIMITED: _BUSY,
    ErrorCode.CLOUDFLARE_BLOCKED: CodeMeaning(action=Action.GIVE_UP),
    ErrorCode.MISSING_ACCESS: CodeMeaning(Meaning.NOT_ALLOWED, Meaning.NO_WEBHOOK),
    ErrorCode.EMPTY_MESSAGE: CodeMeaning(action=Action.SKIP),
    ErrorCode.CANNOT_MESSAGE_USER: _NOT_ALLOWED,
    ErrorCode.NOT_A_TEXT_CHANNEL: _NOT_ALLOWED,
    ErrorCode.VERIFICATION_TOO_HIGH: _NOT_ALLOWED,
    ErrorCode.MISSING_PERMISSIONS: CodeMeaning(Meaning.NOT_ALLOWED, Meaning.NO_WEBHOOK),
    ErrorCode.INVALID_BOT_TOKEN: _NOT_ALLOWED,
    ErrorCode.WRONG_CHANNEL_TYPE: CodeMeaning(webhook=Meaning.NO_WEBHOOK),
    ErrorCode.INVALID_WEBHOOK_TOKEN: CodeMeaning(webhook=Meaning.NO_WEBHOOK, about_message=True),
    ErrorCode.INVALID_FORM_BODY: CodeMeaning(about_message=True),
    ErrorCode.FILE_TOO_LARGE: CodeMeaning(action=Action.NO_FILES),
    ErrorCode.INVALID_MESSAGE_TYPE: CodeMeaning(action=Action.GIVE_UP),
    ErrorCode.INVALID_JSON: CodeMeaning(action=Action.GIVE_UP),
    ErrorCode.INDEX_NOT_READY: _BUSY,
    ErrorCode.API_OVERLOADED: _BUSY,
    ErrorCode.REPLY_NEEDS_HISTORY: CodeMeaning(action=Action.NO_REPLY, about_message=True),
    ErrorCode.REFERENCE_NEEDS_HISTORY: CodeMeaning(action=Action.NO_REPLY, about_message=True),
    ErrorCode.REFERENCE_IS_AGE_RESTRICTED: CodeMeaning(action=Action.NO_REPLY, about_message=True),
    ErrorCode.THREAD_LOCKED: CodeMeaning(Meaning.NOT_ALLOWED, Meaning.NOT_ALLOWED),
    ErrorCode.BLOCKED_BY_FILTER: _BLOCKED,
    ErrorCode.BLOCKED_TITLE: _BLOCKED,
    ErrorCode.WEBHOOK_NEEDS_THREAD: CodeMeaning(webhook=Meaning.NO_WEBHOOK),
    ErrorCode.BLOCKED_LINK: _BLOCKED,
}
"""A code that is missing here is a plain refusal: the message is sent again without files or reply."""


def meaning_of(code: int) -> CodeMeaning:
    """Return the row of a code; an unlisted code is a plain refusal."""
    return CODES.get(code, _UNLISTED)
