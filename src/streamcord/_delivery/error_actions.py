"""What follows from a refusal: Discord's error codes as a table of actions.

Codes: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
"""

from __future__ import annotations

from enum import StrEnum

from .._errors import DeliveryError, Refused, Unavailable, Uncertain

__all__ = ["CODES", "FIELDS", "Action", "verdict"]


class Action(StrEnum):
    """What the courier does next."""

    RETRY = "the same parcel again, after a pause"
    REPORT = "nobody knows whether it arrived: say so and go on"
    ARRIVED = "it had arrived and somebody deleted it: go on"
    RESPLIT = "shorter messages"
    NO_REPLY = "without the reply, now and for the rest of the turn"
    NO_FILES = "without the files: the words that stand for them"
    DEGRADE = "without its files, then without its reply, then give up"
    SKIP = "nothing in it that can be shown: report it and go on"
    BLOCKED = "the server's filter: no second try, a notice instead"
    GIVE_UP = "the turn ends, and what was not sent is reported"


CODES: dict[int, Action] = {
    10008: Action.ARRIVED,  # a nonce whose message was deleted: discord-api-docs#6647
    30015: Action.NO_FILES,
    40005: Action.NO_FILES,
    50045: Action.NO_FILES,
    50006: Action.SKIP,
    50068: Action.GIVE_UP,
    50109: Action.GIVE_UP,
    40333: Action.GIVE_UP,
    160002: Action.NO_REPLY,
    200000: Action.BLOCKED,
    200001: Action.BLOCKED,
    240000: Action.BLOCKED,
}
"""By code; a refusal that is not named degrades."""

FIELDS: dict[str, Action] = {
    "content": Action.RESPLIT,
    "message_reference": Action.NO_REPLY,
    "files": Action.NO_FILES,
    "attachments": Action.NO_FILES,
}
"""By the first name of the field that an invalid form body (50035) complains about."""


def verdict(error: DeliveryError) -> Action:
    """The action for an error of a transport."""
    match error:
        case Unavailable():
            return Action.RETRY
        case Uncertain():
            return Action.RETRY if error.retryable else Action.REPORT
        case Refused(code=50035):
            named = [FIELDS[field] for path in error.fields if (field := path.split(".")[0]) in FIELDS]
            return named[0] if named else Action.DEGRADE
        case Refused():
            return CODES.get(error.code, Action.DEGRADE)
        case _:
            return Action.GIVE_UP
