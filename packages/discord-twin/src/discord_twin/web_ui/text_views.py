"""Text, names and avatars as plain values for the web UI, which sets them as text and never as markup.

Every address that leaves here is a path of the twin's own CDN; only where a link leads may be elsewhere, and
the web UI does not go there by itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from zlib import crc32

from .markdown_parser import Block, MarkupCode, MarkupLine, Quote, StyledRun, read_message

if TYPE_CHECKING:
    from ..state.models import Json, Message, User
    from ..state.state import State

# Addresses of this twin may be loaded; all others would leave the machine.
_OWN_PICTURE = re.compile(
    # Bots show personas with pictures of application emoji, too, whose addresses do not expire.
    r"http://127\.0\.0\.1:\d{1,5}(/cdn/(?:avatars/\d{1,20}|emojis)/([0-9a-f]{1,64})\.(?:png|gif))",
    re.ASCII,
)
_COLOURS = 6
_BAD = dict.fromkeys(
    # Control characters and bidirectional overrides are drawn as a box.
    (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    0x25A1,
) | dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
_TEXT_LENGTH = 8000


def shown(raw: object) -> str:
    """Return text that is safe to show: limited in length, without control characters."""
    return str(raw)[:_TEXT_LENGTH].translate(_BAD)


# Text


def blocks_view(state: State, text: str) -> list[Json]:
    """Return the blocks of a text, as Discord's client reads them, with the names of those it mentions."""
    return [_block(state, block) for block in read_message(text[:_TEXT_LENGTH])]


def _block(state: State, block: Block) -> Json:
    match block:
        case MarkupCode(text, language):
            return {"code": shown(text), "language": shown(language)}
        case Quote(blocks):
            return {"quote": [_block(state, one) for one in blocks]}
        case MarkupLine(runs, kind, lead):
            return {"line": kind, "lead": shown(lead), "runs": [_run(state, run) for run in runs]}


def _run(state: State, run: StyledRun) -> Json:
    view: Json = {"text": shown(run.text), "styles": sorted(run.styles)}
    if "link" in run.styles:
        view["to"] = shown(run.target)
    elif "mention" in run.styles:
        view["text"] = shown(_mentioned(state, run.target) or run.text)
    elif "emoji" in run.styles and (found := emoji_view(state, run.target)):
        view |= found
    return view


def _mentioned(state: State, tag: str) -> str | None:
    """Return the name that Discord shows for `@1`, `@&1` or `#1`."""
    number = tag.lstrip("@!&#")
    if not number.isdecimal():
        return None
    if tag.startswith("#"):
        channel = state.channels.get(int(number))
        return f"#{channel.name}" if channel else "#unknown"
    if tag.startswith("@&"):
        roles = (guild.roles[int(number)] for guild in state.guilds.values() if int(number) in guild.roles)
        return next((f"@{role.name.removeprefix('@')}" for role in roles), "@deleted-role")
    user = state.users.get(int(number))
    return f"@{user.name}" if user else "@unknown-user"


def emoji_view(state: State, tag: str) -> Json | None:
    """Return the picture of a custom emoji, from `:name:id` or `name:id`, if the twin has one."""
    name, _, number = tag.removeprefix("a:").removeprefix(":").partition(":")
    if number not in state.pictures:
        return None
    return {"text": f":{shown(name)}:", "picture": f"/cdn/emojis/{number}.png"}


# Avatars


def avatar_view(state: State, user: User) -> Json:
    """Return the avatar of a user: their picture, or a letter on a colour of their own."""
    picture = None
    if user.avatar is not None and user.avatar in state.pictures:
        picture = f"/cdn/avatars/{user.id}/{user.avatar}.png"
    return _avatar_view(user.name, str(user.id), picture)


def message_avatar(state: State, message: Message) -> Json:
    """Return the avatar over a message. A webhook may bring its own, but an address outside is never fetched."""
    if message.webhook is None:
        return avatar_view(state, message.author)
    given = message.draft.avatar_url or ""
    found = _OWN_PICTURE.fullmatch(given)
    if found and found[2] in state.pictures:
        return _avatar_view(message.shown_name, given, found[1])
    own = message.webhook.avatar
    picture = f"/cdn/avatars/{message.webhook.id}/{own}.png" if own in state.pictures and not given else None
    return _avatar_view(message.shown_name, given or message.shown_name, picture)


def _avatar_view(name: str, key: str, picture: str | None) -> Json:
    # The same key always has the same colour.
    colour = crc32(key.encode("utf-8", "replace")) % _COLOURS
    letter = next((one for one in shown(name) if one.isalnum()), "?").upper()
    return {"letter": letter[:1], "colour": colour, "picture": picture}
