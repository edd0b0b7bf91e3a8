"""Who is notified of a message: mentions, the push on a phone, the mark of what is unread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..log import Ping, Push
from ..state.model import Draft, MessageFlag
from ..state.permissions import Permission
from .allowed_mentions import Mentions, scan_mentions

if TYPE_CHECKING:
    from ..state.model import Channel, Guild, Message
    from ..world import World

__all__ = ["say_pings"]

_QUIET = MessageFlag.EPHEMERAL | MessageFlag.LOADING


def say_pings(world: World, channel: Channel, message: Message, earlier: Draft | None = None) -> None:
    """Write who would be notified into the log; for an edit, only what was not mentioned before."""
    draft, before = message.draft, earlier or Draft()
    silent = bool(draft.flags & MessageFlag.SUPPRESS_NOTIFICATIONS)
    replied = draft.reply_to.author.id if draft.reply_to else None
    new = [user_id for user_id in draft.mentions if user_id not in before.mentions]
    found = [("reply" if user_id == replied else "user", user_id, {user_id}) for user_id in new]
    guild = world.state.guilds.get(channel.guild_id or 0)
    if guild is not None:
        found += _broad_pings(guild, draft, before, scan_mentions(draft.content, world.switches))
    mentioned: set[int] = set()
    for kind, target, people in found:
        seen = frozenset(_who_sees(world, channel, people, message.author.id))
        mentioned |= seen
        world.log.pings.append(
            Ping(message.id, channel.id, kind, target, seen, by_edit=earlier is not None, silent=silent)
        )
    if earlier is None and not draft.flags & _QUIET:
        _push(world, channel, message, mentioned, silent=silent)


def _push(world: World, channel: Channel, message: Message, mentioned: set[int], *, silent: bool) -> None:
    """A new message is unread for all who see it, and rings for those who want to hear of it.

    An edit does neither. Of a V2 message the push has no text (discord-api-docs#7854).
    """
    readers = _who_sees(world, channel, _people_of(world, channel), message.author.id)
    world.log.mark_unread(channel.id, readers)
    everybody = channel.guild_id is None or world.switches.push_for == "all"
    heard = frozenset(readers if everybody else mentioned)
    if heard:
        is_v2 = bool(message.draft.flags & MessageFlag.IS_COMPONENTS_V2)
        text = "" if is_v2 else message.content
        world.log.pushes.append(Push(message.id, channel.id, heard, text, silent))


def _people_of(world: World, channel: Channel) -> set[int]:
    guild = world.state.guilds.get(channel.guild_id or 0)
    people = set(guild.members) if guild is not None else {user.id for user in channel.recipients}
    return {user_id for user_id in people if not world.state.users[user_id].bot}


def _broad_pings(
    guild: Guild, draft: Draft, before: Draft, said: Mentions
) -> list[tuple[str, int, set[int]]]:
    found = []
    for role_id in draft.mention_roles:
        if role_id not in before.mention_roles:
            holders = {user_id for user_id, member in guild.members.items() if role_id in member.role_ids}
            found.append(("role", role_id, holders))
    if draft.mention_everyone and not before.mention_everyone:
        kind = "here" if said.here and not said.everyone else "everyone"
        found.append((kind, guild.id, set(guild.members)))
    return found


def _who_sees(world: World, channel: Channel, people: set[int], author_id: int) -> set[int]:
    state = world.state
    users = [state.users[user_id] for user_id in people if user_id in state.users and user_id != author_id]
    return {user.id for user in users if state.permissions(user, channel) & Permission.VIEW_CHANNEL}
