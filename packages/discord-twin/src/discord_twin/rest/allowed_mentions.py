"""Who a message would ping: the mentions in its text, narrowed by `allowed_mentions`.

An absent object means everything for bot messages and users only for webhooks and interactions; a present
one, even `{}`, turns off all that it does not name
(https://github.com/discord/discord-api-docs/issues/4270).

Notifications are written into the log: mentions, pushes on phones, unread counts.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import invalid_form
from ..request_log import Ping, Push
from ..state.enums import MessageFlag
from ..state.models import Draft
from ..state.permissions import Permission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..context import Context
    from ..options import TwinOptions
    from ..state.models import Channel, Guild, Message

_TOKEN = re.compile(r"<@(?:!|(&))?([0-9]{1,20})>|@(everyone|here)")
_TICKS = re.compile(r"`+")
_PARSED = ("users", "roles", "everyone")
# Of `users` and of `roles` each.
_MAX_IDS = 100


@dataclass(frozen=True, slots=True)
class Mentions:
    """The mentions that a text holds, in order of appearance."""

    users: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()
    everyone: bool = False
    here: bool = False


@dataclass(frozen=True, slots=True)
class AllowedMentions:
    """The object of that name, with its defaults filled in."""

    parse: frozenset[str]
    users: frozenset[int] = frozenset()
    roles: frozenset[int] = frozenset()
    replied_user: bool = False


def scan_mentions(text: str, options: TwinOptions) -> Mentions:
    """Find the mentions in a text that are not switched off by code or a backslash."""
    users: dict[int, None] = {}
    roles: dict[int, None] = {}
    broad: set[str] = set()
    code = deque(() if options.code_mention_pings else _code_spans(text))
    for match in _TOKEN.finditer(text):
        # Code spans and matches are both in order, so one pass over each is enough.
        while code and code[0][1] <= match.start():
            code.popleft()
        if code and code[0][0] <= match.start():
            continue
        if not options.escaped_mention_pings and _is_escaped(text, match.start()):
            continue
        if match[3]:
            broad.add(match[3])
        else:
            (roles if match[1] else users)[int(match[2])] = None
    return Mentions(tuple(users), tuple(roles), "everyone" in broad, "here" in broad)


def _is_escaped(text: str, at: int) -> bool:
    # An even number of backslashes escapes itself; 64 are enough for any real text.
    before = text[max(0, at - 64) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    # A block closes at the next three ticks anywhere; inline code at the next run of the same length.
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(text)]
    later: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[index][1] - runs[index][0], []).append(index)
    index = 0
    while index < len(runs):
        start, end = runs[index]
        # Without a closing fence three backticks are an inline delimiter like any other.
        close = _block_close(runs, index) if end - start >= 3 else None
        if close is None:
            close = _inline_close(later.get(end - start, []), index)
        if close is None:
            index += 1
            continue
        yield start, runs[close][1]
        index = close + 1


def _block_close(runs: list[tuple[int, int]], index: int) -> int | None:
    # Blocks are looked for from left to right only, so all look-aheads together stay linear.
    for close in range(index + 1, len(runs)):
        if runs[close][1] - runs[close][0] >= 3:
            return close
    return None


def _inline_close(same_length: list[int], index: int) -> int | None:
    while same_length and same_length[-1] <= index:
        same_length.pop()
    return same_length[-1] if same_length else None


def read_allowed(value: object, kind: str, options: TwinOptions) -> AllowedMentions:
    """Read `allowed_mentions` of a `message`, `webhook` or `interaction`; absent is `None`."""
    default = frozenset(_PARSED if kind == "message" else ("users",))
    if value is None:
        return AllowedMentions(default, replied_user=True)
    if not isinstance(value, dict):
        raise invalid_form(
            "allowed_mentions", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType"
        )
    parse = frozenset(_parsed(value.get("parse") or ()))
    users, roles = _ids(value, "users"), _ids(value, "roles")
    for name, ids in (("users", users), ("roles", roles)):
        if name in parse and ids:
            message = f"parse:[{name!r}] and {name}: [ids...] are mutually exclusive."
            raise invalid_form("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message)
    # The older reading: an object without `parse` keeps the default.
    if options.allowed_mentions_semantics == "lenient" and "parse" not in value and not users and not roles:
        parse = default
    return AllowedMentions(parse, users, roles, replied_user=bool(value.get("replied_user")))


def _parsed(names: Any) -> Iterator[str]:  # noqa: ANN401 - it comes from outside
    for index, name in enumerate(names):
        if name not in _PARSED:
            message = "Value must be one of ('users', 'roles', 'everyone')."
            raise invalid_form(f"allowed_mentions.parse.{index}", "BASE_TYPE_CHOICES", message)
        yield name


def _ids(value: dict[str, Any], name: str) -> frozenset[int]:
    raw = value.get(name) or ()
    if len(raw) > _MAX_IDS:
        raise invalid_form(
            f"allowed_mentions.{name}", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length."
        )
    if not all(str(one).isdecimal() for one in raw):
        raise invalid_form(f"allowed_mentions.{name}", "NUMBER_TYPE_COERCE", "Value is not snowflake.")
    ids = frozenset(int(one) for one in raw)
    if len(ids) < len(raw):
        raise invalid_form(
            f"allowed_mentions.{name}", "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains it"
        )
    return ids


def allow(mentions: Mentions, allowed: AllowedMentions) -> Mentions:
    """Return the mentions that are left when those that are not allowed are taken away."""
    return Mentions(
        users=tuple(one for one in mentions.users if "users" in allowed.parse or one in allowed.users),
        roles=tuple(one for one in mentions.roles if "roles" in allowed.parse or one in allowed.roles),
        everyone=mentions.everyone and "everyone" in allowed.parse,
        here=mentions.here and "everyone" in allowed.parse,
    )


_QUIET = MessageFlag.EPHEMERAL | MessageFlag.LOADING


def record_pings(context: Context, channel: Channel, message: Message, earlier: Draft | None = None) -> None:
    """Log the users who would be notified; for an edit, only those who were not mentioned before."""
    draft, before = message.draft, earlier or Draft()
    silent = bool(draft.flags & MessageFlag.SUPPRESS_NOTIFICATIONS)
    replied = draft.reply_to.author.id if draft.reply_to else None
    new = [user_id for user_id in draft.mentions if user_id not in before.mentions]
    found = [("reply" if user_id == replied else "user", user_id, {user_id}) for user_id in new]
    guild = context.state.guilds.get(channel.guild_id or 0)
    if guild is not None:
        found += _broad_pings(guild, draft, before, scan_mentions(draft.content, context.options))
    mentioned: set[int] = set()
    for kind, target, people in found:
        seen = frozenset(_viewers_among(context, channel, people, message.author.id))
        mentioned |= seen
        context.log.pings.append(
            Ping(message.id, channel.id, kind, target, seen, by_edit=earlier is not None, silent=silent)
        )
    # Edits and messages that only one user sees push to no phone.
    if earlier is None and not draft.flags & _QUIET:
        _push(context, channel, message, mentioned, silent=silent)


def _push(context: Context, channel: Channel, message: Message, mentioned: set[int], *, silent: bool) -> None:
    """Return a new message is unread for all who see it, and notifies those who want to be notified.

    An edit does neither. Of a V2 message the push has no text (discord-api-docs#7854).
    """
    readers = _viewers_among(context, channel, _users_of(context, channel), message.author.id)
    context.log.mark_unread(channel.id, readers)
    # Direct messages always notify.
    everybody = channel.guild_id is None or context.options.push_for == "all"
    notified = frozenset(readers if everybody else mentioned)
    if notified:
        # https://github.com/discord/discord-api-docs/issues/7854
        is_v2 = bool(message.draft.flags & MessageFlag.IS_COMPONENTS_V2)
        text = "" if is_v2 else message.content
        context.log.pushes.append(Push(message.id, channel.id, notified, text, silent))


def _users_of(context: Context, channel: Channel) -> set[int]:
    guild = context.state.guilds.get(channel.guild_id or 0)
    people = set(guild.members) if guild is not None else {user.id for user in channel.recipients}
    # Bots have no phones.
    return {user_id for user_id in people if not context.state.users[user_id].bot}


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


def _viewers_among(context: Context, channel: Channel, people: set[int], author_id: int) -> set[int]:
    state = context.state
    users = [state.users[user_id] for user_id in people if user_id in state.users and user_id != author_id]
    return {user.id for user in users if state.permissions(user, channel) & Permission.VIEW_CHANNEL}
