"""Name, avatar, text and reply line of a persona's message.

A message can only contain the URL of an avatar. Bytes (a `data:` URL) are uploaded to the webhook before the
message is sent, which costs a request whenever they change; if Discord refuses them, the bot's own avatar is
shown. We never fetch anything ourselves.

Webhooks cannot reply, so a line links the answered message. It is an embed of the first message: one request,
and a failure leaves no notice without its answer in the channel.
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


MAX_URL_CHARS = 2048
MAX_AVATAR_BYTES = 8 * 1024 * 1024
"""Maximum size of an avatar."""
_log = logging.getLogger(__name__)


def find_avatar_url(avatar: str | None) -> str | None:
    """Return the avatar if it is an http(s) URL that Discord accepts, else `None`."""
    usable = avatar and len(avatar) <= MAX_URL_CHARS and avatar.startswith(("https://", "http://"))
    return avatar if usable and avatar and avatar.isascii() and avatar.isprintable() else None


class Avatars:
    """Tracks the current avatar of each webhook and uploads another when needed."""

    def __init__(self) -> None:
        # Digest of the avatar of each webhook; empty if an upload has an unknown outcome.
        self._current: BoundedCache[int, str] = BoundedCache(10_000)
        # Digests of avatars that Discord refused.
        self._refused: BoundedCache[str, None] = BoundedCache(1000)

    async def resolve(self, hook: CachedWebhook, avatar: str | None, spare: str) -> str | None:
        """Return the avatar URL for a message; `None` if the webhook itself has the right avatar."""
        if url := find_avatar_url(avatar):
            return url
        if avatar and _is_picture(avatar):
            return None if await self._upload(hook, avatar) else spare
        # Without a URL the message would show the avatar that the webhook had last.
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
            # The upload may have succeeded.
            self._current.keep(hook.id, "")
            return False
        if answer.ok or answer.is_ambiguous:
            self._current.keep(hook.id, digest if answer.ok else "")
        elif answer.status == 400:
            self._refused.keep(digest, None)
            _log.warning(
                "Discord refused an avatar of %d characters (base64); using the bot's avatar", len(avatar)
            )
        return answer.ok


def _is_picture(avatar: str) -> bool:
    """Whether an avatar is an image as a `data:` URL, and small enough to upload."""
    if len(avatar) > MAX_AVATAR_BYTES * 4 // 3 + 64:
        return False
    head, comma, encoded = avatar[:64].partition(",")
    # Sixteen base64 characters are the twelve bytes that identify the format.
    start = read_data_uri(head + comma + encoded[:16])
    return start is not None and image_kind(start) is not None


@dataclass(frozen=True, slots=True)
class Appearance:
    """Name, text, avatar and embeds of a webhook message."""

    name: str
    content: str
    avatar: str | None = None
    """A URL that Discord will fetch, or an image as a `data:` URL."""
    embeds: tuple[dict[str, Any], ...] = ()


def build_appearance(message: Message, speaker: Speaker) -> Appearance:
    """Return the text unchanged, under the speaker's name and avatar."""
    return Appearance(speaker.name, message.content, speaker.avatar)


MAX_CONTENT_CHARS = 2000
_MAX_REPLY_NAME_CHARS = 200
_ARROW = "↩ "


def add_notice(appearance: Appearance, target: discord.Message, *, embeds: bool = True) -> Appearance | None:
    """Add a link to the answered message; return `None` if it does not fit.

    If embeds are hidden, it is a small line above the text.
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
    """Return a small line that links the answered message."""
    return f"-# ↩ [{_link_text(_name_of(target))}](<{target.jump_url}>)\n"


def notice_key(key: str) -> str:
    """Return the key of the notice before a message with this key."""
    return hashlib.blake2b(f"{key}\0notice".encode()).hexdigest()[: len(key)]


def _name_of(target: discord.Message) -> str:
    """Return the author's name on one line, without invisible and bidirectional characters."""
    return _strip(" ".join(target.author.display_name.split()))[:_MAX_REPLY_NAME_CHARS] or "message"


def notice_in(body: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the line that links the answered message, and whether the text contains it (else an embed does)."""
    text = content_in(body) or ""
    if text.startswith(LINK):
        return text.partition("\n")[0] + "\n", True
    authors = (embed.get("author") or {} for embed in body.get("embeds") or ())
    author = next((one for one in authors if str(one.get("name", "")).startswith(_ARROW)), None)
    if author is None:
        return "", False
    return f"-# ↩ [{_link_text(author['name'].removeprefix(_ARROW))}](<{author.get('url', '')}>)\n", False


def _link_text(name: str) -> str:
    """Remove characters from a name that would end its link or line, or mention a user."""
    return "".join(one for one in name if one.isalnum() or one in " _-.") or "message"


# --- Names ---------------------------------------------------------------------------------------------
#
# Discord strips invisible characters, refuses `clyde` and `discord` anywhere, `everyone` and `here` alone, and
# three backticks, and in practice names of one character; its list "is not exhaustive and will grow"
# (https://github.com/discord/discord-api-docs/issues/1229), so a refusal of a name is expected all the same.
# A hair space inside a word keeps it readable and no longer that word, as PluralKit does it.
#
# Discord shows an APP tag next to a webhook's name, which few people notice. So names are compared with those
# of the server's moderators, by how they look (`impersonation`).


MAX_NAME_CHARS = 80
"""Discord's limit."""
DEFAULT_NAME = "Persona"
"""The name if nothing of a name is left, or if Discord refuses it."""

_HAIR_SPACE = "\u200a"
_JOINER = "\u200d"
_FORBIDDEN = ("clyde", "discord")
_FORBIDDEN_ALONE = frozenset({"everyone", "here"})
_ELLIPSIS = "…"
_PADDING = " ·"
# Letters and marks by category that are invisible all the same.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_EMOJI_TAILS = frozenset("\ufe0e\ufe0f\u20e3\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
# Small letters of other alphabets, and the Latin ones that they look like.
_CYRILLIC = str.maketrans("аеорсухіјѕԁһӏԛԝвнкмтг", "aeopcyxijsdhlqwbhkmtr")
_GREEK = str.maketrans("αονικτρυχεηβ", "aovlktpuxenb")
# In capitals, and in some fonts, these are one stroke or one ring.
_STROKES = str.maketrans("i1|ı0øł", "llllool")


def sanitize_name(name: str, fallback: str = DEFAULT_NAME, limit: int = MAX_NAME_CHARS) -> str:
    """Return a name of 2 to `limit` characters that Discord accepts and that looks like the given one."""
    seen = _strip(name[: 8 * limit]) or _strip(fallback[: 8 * limit]) or DEFAULT_NAME
    seen = seen.replace("`", "'")
    folded = "".join(map(_fold, seen))
    if folded in _FORBIDDEN_ALONE:
        return seen[:1] + _HAIR_SPACE + seen[1:]
    safe = _cut(_break_forbidden_words(seen, folded), limit)
    return safe if len(safe) > 1 else safe + _PADDING


def append_suffix(name: str, suffix: str, limit: int = MAX_NAME_CHARS) -> str:
    """Return `name (suffix)`, with the name shortened if necessary."""
    return f"{_cut(name, limit - len(suffix) - 3)} ({suffix})"


def skeleton(name: str) -> str:
    """Reduce a name to how it looks: names with equal skeletons are easily confused."""
    plain = unicodedata.normalize("NFKD", _strip(name[: 8 * MAX_NAME_CHARS])).casefold()
    plain = plain.translate(_CYRILLIC).translate(_GREEK).translate(_STROKES)
    return "".join(one for one in plain if one.isalnum())


def is_confusable(name: str, skeletons: Container[str]) -> bool:
    """Whether a name could be mistaken for one of these."""
    own = skeleton(name)
    return bool(own) and own in skeletons


def _strip(name: str) -> str:
    """Remove invisible characters; joiners inside emoji stay."""
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
    """Return a character in the plain form that Discord may compare; always one character."""
    plain = unicodedata.normalize("NFKC", one).casefold()
    return plain if len(plain) == 1 else one


def _break_forbidden_words(seen: str, folded: str) -> str:
    """Insert a hair space after the first letter of forbidden words."""
    breaks = {at + 1 for word in _FORBIDDEN for at in _find_all(folded, word)}
    return "".join(_HAIR_SPACE + one if at in breaks else one for at, one in enumerate(seen))


def _find_all(text: str, word: str) -> Iterable[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _cut(name: str, limit: int) -> str:
    """Shorten to `limit` characters, never inside a grapheme."""
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
