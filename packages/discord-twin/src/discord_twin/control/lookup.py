"""Find what a request names: by id, or by a name as a person would write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

from ..state.enums import ChannelType
from .operations import ControlError

if TYPE_CHECKING:
    from ..server import Twin
    from ..state.models import Application, Channel, Guild, Interaction, Message, Role, User

_MAX_ID_DIGITS = 20


def is_id(given: str) -> bool:
    """Return whether a text is an id; Python converts no number with thousands of digits."""
    return given.isascii() and given.isdecimal() and len(given) <= _MAX_ID_DIGITS


def find_guild(twin: Twin, given: str | None) -> Guild:
    """Return a guild by id or name; the first one if nothing is given."""
    if given is None:
        return twin.guild
    guilds = twin.state.guilds
    found = guilds.get(int(given)) if is_id(given) else None
    found = found or next((one for one in guilds.values() if one.name == given), None)
    return found or _missing("guild", given)


def find_channel(twin: Twin, given: str | None) -> Channel:
    """Return a channel or thread by id or name, with `#` or without; the first one if nothing is given."""
    if given is None:
        return twin.channel
    channels = twin.state.channels
    found = channels.get(int(given)) if is_id(given) else None
    name = given.removeprefix("#")
    named = (one for one in channels.values() if one.name == name and one.type is not ChannelType.CATEGORY)
    return found or next(named, None) or _missing("channel", given)


def find_user(twin: Twin, given: str | None) -> User:
    """Return a user or bot by id or name, with `@` or without; the first user if nothing is given."""
    if given is None:
        return twin.user
    users = twin.state.users
    found = users.get(int(given)) if is_id(given) else None
    name = given.removeprefix("@")
    return found or next((one for one in users.values() if one.name == name), None) or _missing("user", given)


def find_person(twin: Twin, given: str | None) -> User:
    """Return a user who is no bot: only they can be acted as."""
    user = find_user(twin, given)
    if user.bot:
        raise ControlError(409, f"{user.name} is a bot: it acts by itself, over Discord's API")
    return user


def find_application(twin: Twin, given: str | None) -> Application:
    """Return a bot's application by id or name; the first one if nothing is given."""
    if given is None:
        return twin.bot
    applications = twin.state.applications
    found = applications.get(int(given)) if is_id(given) else None
    named = (one for one in applications.values() if one.user.name == given)
    return found or next(named, None) or _missing("bot", given)


def find_role(guild: Guild, given: str) -> Role:
    """Return a role by id or name."""
    found = guild.roles.get(int(given)) if is_id(given) else None
    name = given.removeprefix("@")
    named = (one for one in guild.roles.values() if one.name.removeprefix("@") == name)
    return found or next(named, None) or _missing("role", given)


def find_message(twin: Twin, given: str) -> Message:
    """Return a message by id, in whatever channel it is."""
    if is_id(given):
        number = int(given)
        for channel in twin.state.channels.values():
            if number in channel.messages:
                return channel.messages[number]
    return _missing("message", given)


def find_interaction(twin: Twin, given: str) -> Interaction:
    """Return an interaction by id."""
    # The newest come last, and those are asked for.
    for interaction in reversed(twin.state.interactions.values()):
        if str(interaction.id) == given:
            return interaction
    return _missing("interaction", given)


def _missing(what: str, given: str) -> Never:
    raise ControlError(404, f"there is no {what} {given[:100]!r}")
