"""Name, avatar, text and reply line of a persona's message.

A message can only name the address of an avatar. Bytes (a `data:` address) are put on the webhook before the
message is sent, which costs a request whenever they change; if Discord does not take them, the bot's own
picture is shown. We never fetch anything ourselves.

Webhooks cannot reply, so a line says to whom a message answers. It travels with the first message, as an
embed: one request, and no notice is ever left alone in the channel.
"""

from __future__ import annotations

import hashlib
import logging
import unicodedata
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import discord

from ..._common.bounded_cache import BoundedCache
from ..._common.image_headers import image_kind, read_data_uri
from ..._exceptions import DeliveryError
from ..edits import LINK, content_in

if TYPE_CHECKING:
    from ..._events import Message, Speaker
    from .cache import CachedWebhook

__all__ = [
    "DEFAULT_NAME",
    "MAX_AVATAR_BYTES",
    "MAX_NAME_CHARS",
    "Appearance",
    "Avatars",
    "add_notice",
    "append_suffix",
    "build_appearance",
    "find_avatar_url",
    "is_confusable",
    "notice_line",
    "sanitize_name",
    "skeleton",
]


MAX_URL_CHARS = 2048
MAX_AVATAR_BYTES = 8 * 1024 * 1024
"""Bytes of a picture at most."""
_LOGGER = logging.getLogger(__name__)


def find_avatar_url(avatar: str | None) -> str | None:
    """The avatar if it is an http(s) address that Discord accepts, else `None`."""
    usable = avatar and len(avatar) <= MAX_URL_CHARS and avatar.startswith(("https://", "http://"))
    return avatar if usable and avatar and avatar.isascii() and avatar.isprintable() else None


class Avatars:
    """Knows which picture each webhook has now, and changes it when needed."""

    def __init__(self) -> None:
        self._current: BoundedCache[int, str] = BoundedCache(10_000)
        self._refused: BoundedCache[str, None] = BoundedCache(1000)

    async def resolve(self, hook: CachedWebhook, avatar: str | None, spare: str) -> str | None:
        """The avatar address for a message; `None` if the webhook itself shows the right picture."""
        if url := find_avatar_url(avatar):
            return url
        if avatar and _is_picture(avatar):
            return None if await self._upload(hook, avatar) else spare
        # Without an address the message would show what the webhook wore last.
        return spare if hook.has_avatar or hook.id in self._current else None

    async def _upload(self, hook: CachedWebhook, avatar: str) -> bool:
        digest = hashlib.blake2b(avatar.encode()).hexdigest()
        if digest in self._refused:
            return False
        if self._current.find(hook.id) == digest:
            return True
        try:
            answer = await hook.http.request("PATCH", hook.path, {"avatar": avatar})
        except DeliveryError:
            # It may be dressed now.
            self._current.keep(hook.id, "")
            return False
        if answer.ok or answer.is_ambiguous:
            self._current.keep(hook.id, digest if answer.ok else "")
        elif answer.status == 400:
            self._refused.keep(digest, None)
            _LOGGER.warning(
                "Discord refused an avatar of %d characters (base64); using the bot's avatar", len(avatar)
            )
        return answer.ok


def _is_picture(avatar: str) -> bool:
    """Whether it is a picture, as a `data:` address, that is small enough to be sent."""
    if len(avatar) > MAX_AVATAR_BYTES * 4 // 3 + 64:
        return False
    head, comma, encoded = avatar[:64].partition(",")
    # Sixteen characters are the twelve bytes by which a picture is known.
    start = read_data_uri(head + comma + encoded[:16])
    return start is not None and image_kind(start) is not None


@dataclass(frozen=True, slots=True)
class Appearance:
    """What one message of a webhook shows: name, text, avatar, embeds."""

    name: str
    content: str
    avatar: str | None = None
    """An address that Discord will fetch, or a picture as a `data:` address."""
    embeds: tuple[dict[str, Any], ...] = ()


def build_appearance(message: Message, speaker: Speaker) -> Appearance:
    """Return the text unchanged, under the speaker's name and avatar."""
    return Appearance(speaker.name, message.content, speaker.avatar)


MAX_CONTENT_CHARS = 2000
_MAX_REPLY_NAME_CHARS = 200
_ARROW = "↩ "


def add_notice(appearance: Appearance, target: discord.Message, *, embeds: bool = True) -> Appearance | None:
    """The appearance with a link to the message that is answered, or `None` if it does not fit.

    Where embeds are hidden, it is a small line above the text.
    """
    if embeds:
        author = {
            "name": f"{_ARROW}{_name_of(target)}",
            "url": target.jump_url,
            "icon_url": target.author.display_avatar.url,
        }
        return replace(appearance, embeds=(*appearance.embeds, {"author": author}))
    content = notice_line(target) + appearance.content
    return replace(appearance, content=content) if len(content) <= MAX_CONTENT_CHARS else None


def notice_line(target: discord.Message) -> str:
    """A small line with a link to the message that is answered."""
    return f"-# ↩ [{_link_text(_name_of(target))}](<{target.jump_url}>)\n"


def _name_of(target: discord.Message) -> str:
    """Who is answered, on one line and without what draws nothing or turns the line around."""
    return _strip(" ".join(target.author.display_name.split()))[:_MAX_REPLY_NAME_CHARS] or "message"


def notice_in(body: Mapping[str, Any]) -> tuple[str, bool]:
    """The line that links what a message of ours answers, and whether it stands in its text, as few do."""
    words = content_in(body) or ""
    if words.startswith(LINK):
        return words.partition("\n")[0] + "\n", True
    authors = (embed.get("author") or {} for embed in body.get("embeds") or ())
    author = next((one for one in authors if str(one.get("name", "")).startswith(_ARROW)), None)
    if author is None:
        return "", False
    return f"-# ↩ [{_link_text(author['name'].removeprefix(_ARROW))}](<{author.get('url', '')}>)\n", False


def _link_text(name: str) -> str:
    """The name without characters that would end its link or line, or mention anyone."""
    return "".join(one for one in name if one.isalnum() or one in " _-.") or "message"


# --- Names ---------------------------------------------------------------------------------------------
#
# Discord strips what draws nothing, refuses `clyde` and `discord` anywhere, `everyone` and `here` alone, and
# three backticks, and in practice names of one character; its list "is not exhaustive and will grow"
# (https://github.com/discord/discord-api-docs/issues/1229), so a refusal of a name is expected all the same.
# A hair space inside a word keeps it readable and no longer that word, as PluralKit does it.
#
# Discord marks a webhook's message as an app's, which few people read. So names are compared with those of
# members who have power in the server, by what an eye takes them for (`impersonation`).


MAX_NAME_CHARS = 80
"""The most that Discord takes."""
DEFAULT_NAME = "Persona"
"""Who speaks when nothing of a name is left, or Discord refuses it."""

_HAIR_SPACE = "\u200a"
_JOINER = "\u200d"
_FORBIDDEN = ("clyde", "discord")
_FORBIDDEN_ALONE = frozenset({"everyone", "here"})
_ELLIPSIS = "…"
_PADDING = " ·"
# They are letters and marks by category, but draw nothing.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_EMOJI_TAILS = frozenset("\ufe0e\ufe0f\u20e3\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
# Small letters of other alphabets, and the Latin ones that they look like.
_CYRILLIC = str.maketrans("аеорсухіјѕԁһӏԛԝвнкмтг", "aeopcyxijsdhlqwbhkmtr")
_GREEK = str.maketrans("αονικτρυχεηβ", "aovlktpuxenb")
# In capitals, and in some fonts, these are one stroke or one ring.
_STROKES = str.maketrans("i1|ı0øł", "llllool")


def sanitize_name(name: str, fallback: str = DEFAULT_NAME, limit: int = MAX_NAME_CHARS) -> str:
    """A name of 2 to `limit` characters that Discord accepts and that reads like the given one."""
    seen = _strip(name[: 8 * limit]) or _strip(fallback[: 8 * limit]) or DEFAULT_NAME
    seen = seen.replace("`", "'")
    folded = "".join(map(_fold, seen))
    if folded in _FORBIDDEN_ALONE:
        return seen[:1] + _HAIR_SPACE + seen[1:]
    safe = _cut(_break_forbidden_words(seen, folded), limit)
    return safe if len(safe) > 1 else safe + _PADDING


def append_suffix(name: str, suffix: str, limit: int = MAX_NAME_CHARS) -> str:
    """`name (suffix)`, the name shortened if it must be."""
    return f"{_cut(name, limit - len(suffix) - 3)} ({suffix})"


def skeleton(name: str) -> str:
    """A name reduced to what the eye sees: names with equal skeletons are easily confused."""
    plain = unicodedata.normalize("NFKD", _strip(name[: 8 * MAX_NAME_CHARS])).casefold()
    plain = plain.translate(_CYRILLIC).translate(_GREEK).translate(_STROKES)
    return "".join(one for one in plain if one.isalnum())


def is_confusable(name: str, skeletons: Container[str]) -> bool:
    """Whether a name could be taken for one of these."""
    own = skeleton(name)
    return bool(own) and own in skeletons


def _strip(name: str) -> str:
    """The name without invisible characters; joiners stay inside of emoji."""
    kept: list[str] = []
    for at, one in enumerate(name):
        if one == _JOINER:
            if kept and _is_pictorial(kept[-1]) and _is_pictorial(name[at + 1 : at + 2]):
                kept.append(one)
        elif one.isspace():
            kept.append(" ")
        elif one not in _BLANK and unicodedata.category(one) not in _UNSEEN:
            kept.append(one)
    return " ".join("".join(kept).split())


def _is_pictorial(one: str) -> bool:
    return bool(one) and (one in _EMOJI_TAILS or unicodedata.category(one) == "So")


def _fold(one: str) -> str:
    """One character in the plain form that Discord may compare; always one character."""
    plain = unicodedata.normalize("NFKC", one).casefold()
    return plain if len(plain) == 1 else one


def _break_forbidden_words(seen: str, folded: str) -> str:
    """Put a hair space behind the first letter of forbidden words."""
    breaks = {at + 1 for word in _FORBIDDEN for at in _find_all(folded, word)}
    return "".join(_HAIR_SPACE + one if at in breaks else one for at, one in enumerate(seen))


def _find_all(text: str, word: str) -> Iterable[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _cut(name: str, limit: int) -> str:
    """Shorten to `limit` characters, never in the middle of what is drawn as one."""
    if len(name) <= limit:
        return name
    end = limit - len(_ELLIPSIS)
    while end > 0 and _continues(name, end):
        end -= 1
    return name[: end or limit - len(_ELLIPSIS)].rstrip() + _ELLIPSIS


def _continues(name: str, at: int) -> bool:
    """Whether the character belongs to the one before it."""
    one, before = name[at], name[at - 1]
    if one in _EMOJI_TAILS or _JOINER in (one, before) or unicodedata.category(one).startswith("M"):
        return True
    return _is_regional(one) and _count_regional(name, at) % 2 == 1


def _is_regional(one: str) -> bool:
    return "\U0001f1e6" <= one <= "\U0001f1ff"


def _count_regional(name: str, at: int) -> int:
    count = 0
    while count < at and _is_regional(name[at - 1 - count]):
        count += 1
    return count
