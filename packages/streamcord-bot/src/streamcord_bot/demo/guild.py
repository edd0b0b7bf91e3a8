"""The server of the demo: channels, two personas with drawn avatars, and a few emoji."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, Literal

from discord_twin import Channel, Twin
from streamcord import Persona, Sprite
from streamcord.providers import Options
from streamcord.store import Picture, Place, Store, StoredPersona

from ..config import AnswerConfig, BotConfig, ContextConfig, ModelConfig, PersonaConfig, SpriteConfig

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

CHANNELS: Mapping[str, Mapping[str, Any]] = {
    "general": {"degree": 2},
    "whole": {"degree": 0},
    "paragraphs": {"degree": 1},
    "sentences": {"degree": 3},
    "live": {"delivery": "live", "live_limit": 4000, "tables": "card"},
}
"""Each channel, and its settings."""
TOPICS: Mapping[str, str] = {
    "general": "Luna answers here, a message per paragraph. A tiny model writes; the suggestions below are scripted.",
    "whole": "The whole answer at once, in as few messages as possible (degree 0).",
    "paragraphs": "A message per paragraph, without pauses (degree 1).",
    "sentences": "A message per sentence, as people type (degree 3).",
    "live": "One message that grows while the model writes, as assistants do it.",
    "thoughts": "What the model thought before it answered; the other channels never show it.",
}
"""What each channel shows, in one line."""
SUGGESTIONS = (
    "show me a table",
    "show me some code",
    "show me your sprites",
    "roll two dice",
    "tell me a long story",
)
"""Messages that the page offers: scripted answers that show what streamcord does."""
THOUGHTS = "thoughts"
# Emoji of the demo's server; `star` is also the name of a standard emoji.
EMOJI = ("luna_wave", "luna_heart", "star")

PERSONAS = (
    PersonaConfig(
        name="Luna",
        prompt="You are Luna, a cheerful cat who lives on the Moon. Answer in one short sentence.",
        greeting="Hi! I am Luna.",
        sprites=(SpriteConfig(name="happy"), SpriteConfig(name="mad"), SpriteConfig(name="sleepy")),
    ),
    PersonaConfig(
        name="Orbit",
        prompt="You are Orbit, a polite little robot who loves numbers. Answer in one short sentence.",
        greeting="Good day. I am Orbit.",
        alter=True,
        sprites=(SpriteConfig(name="thinking"), SpriteConfig(name="surprised")),
    ),
)


@dataclass(frozen=True, slots=True)
class DemoGuild:
    """The channels of the demo, and the addresses of its pictures."""

    channels: Mapping[str, Channel]
    thoughts: Channel
    pictures: Mapping[str, str]

    def config(self, token: str, model: ModelConfig, settings: Mapping[str, Any]) -> BotConfig:
        """The configuration of a bot that answers everything in these channels."""
        return BotConfig(
            token=token,
            # Nothing of the demo is kept.
            store=":memory:",
            thought_log=self.thoughts.id,
            answer=AnswerConfig(
                channels=tuple(one.id for one in self.channels.values()), debounce=0.2, greet=False
            ),
            context=ContextConfig(messages=12, tokens=800, images=0, memory=0),
            settings=settings,
            models={"demo": model},
            personas=PERSONAS,
        )


def build_guild(twin: Twin) -> DemoGuild:
    """Set up the server, channels and emoji on a running twin."""
    twin.guild.name = "The Moon"
    twin.user.name = "you"
    twin.bot.user.name = "Luna"
    # The twin comes with one channel of its own.
    del twin.state.channels[twin.channel.id]
    twin.guild.channel_ids.remove(twin.channel.id)
    channels = {name: twin.add_channel(name) for name in CHANNELS}
    twin.channel = channels["general"]
    thoughts = twin.add_channel(THOUGHTS)
    for name, channel in channels.items():
        channel.topic, channel.suggestions = TOPICS[name], SUGGESTIONS
    thoughts.topic = TOPICS[THOUGHTS]
    for name in EMOJI:
        emoji = twin.state.add_emoji(twin.guild, name)
        if can_draw():
            twin.state.pictures[str(emoji.id)] = draw_avatar(AVATARS[name])
    return DemoGuild(channels, thoughts, _add_pictures(twin))


async def fill_store(store: Store, twin: Twin, guild: DemoGuild) -> None:
    """Store the personas and the settings of each channel."""
    for given in PERSONAS:
        name = given.name.casefold()
        sprites = tuple(
            Sprite(sprite.name, guild.pictures.get(f"{name}-{sprite.name}"), sprite.identity)
            for sprite in given.sprites
        )
        persona = Persona(given.name, given.words, guild.pictures.get(name), (), given.alter)
        await store.save_persona(StoredPersona(persona, 0, given.prompt, given.greeting))
        if persona.avatar:
            await store.save_avatar(0, given.name, Picture(persona.avatar))
        for sprite in sprites:
            await store.save_sprite(0, given.name, sprite, Picture(sprite.avatar or ""))
    for name, chosen in CHANNELS.items():
        await store.change_settings(Place(twin.guild.id, guild.channels[name].id), chosen)


def small_model(base_url: str, name: str) -> ModelConfig:
    """The configuration of a model with 135 million parameters: short answers, no repeats.

    It is cut at the end of a sentence (`demo_provider`), long before `max_tokens`.
    """
    return ModelConfig(
        name="demo",
        provider="llamacpp",
        base_url=base_url,
        model=name,
        images=False,
        options=Options(temperature=0.6, max_tokens=100, extra={"repeat_penalty": 1.1, "cache_prompt": True}),
        settings={"speaker_guard": "known"},
    )


def _add_pictures(twin: Twin) -> dict[str, str]:
    """Give the drawn avatars to the twin, which serves them; without Pillow it serves plain ones."""
    if not can_draw():
        return {}
    addresses = {}
    for name, avatar in AVATARS.items():
        content = draw_avatar(avatar)
        digest = hashlib.sha256(content).hexdigest()[:32]
        twin.state.pictures[digest] = content
        addresses[name] = f"{twin.cdn_url}/avatars/{twin.bot.id}/{digest}.png"
        if name == "luna":
            twin.bot.user.avatar = digest
    return addresses


AVATAR_PIXELS = 128
# Drawn four times as large and then reduced, which smooths the edges.
_LARGE = AVATAR_PIXELS * 4

Eyes = Literal["open", "closed", "narrow", "wide"]
Mouth = Literal["smile", "flat", "frown", "round"]


@dataclass(frozen=True, slots=True)
class DrawnAvatar:
    """An avatar: its colours, eyes and mouth."""

    kind: Literal["cat", "robot", "star", "heart"]
    skin: str
    ground: str
    eyes: Eyes = "open"
    mouth: Mouth = "smile"
    blush: bool = False


_LUNA = DrawnAvatar("cat", "#ded6f5", "#3b3468")
_ORBIT = DrawnAvatar("robot", "#9fd8d2", "#17424a", mouth="flat")

AVATARS: dict[str, DrawnAvatar] = {
    "luna": _LUNA,
    "luna-happy": replace(_LUNA, eyes="closed", blush=True),
    "luna-mad": replace(_LUNA, eyes="narrow", mouth="frown"),
    "luna-sleepy": replace(_LUNA, eyes="closed", mouth="flat"),
    "orbit": _ORBIT,
    "orbit-thinking": replace(_ORBIT, eyes="narrow"),
    "orbit-surprised": replace(_ORBIT, eyes="wide", mouth="round"),
    "luna_wave": replace(_LUNA, ground="#5865f2", eyes="closed"),
    "luna_heart": DrawnAvatar("heart", "#f0628a", "#313338", eyes="closed"),
    "star": DrawnAvatar("star", "#f7d354", "#313338"),
}
"""By name: personas, their sprites, and the emoji of the demo's server."""


def can_draw() -> bool:
    """Whether Pillow is installed."""
    return find_spec("PIL") is not None


def draw_avatar(avatar: DrawnAvatar) -> bytes:
    """The avatar as a PNG."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  (an extra)

    image = Image.new("RGB", (_LARGE, _LARGE), avatar.ground)
    draw = ImageDraw.Draw(image)
    {"cat": _draw_cat, "robot": _draw_robot, "star": _draw_star, "heart": _draw_heart}[avatar.kind](
        draw, avatar
    )
    _draw_eyes(draw, avatar)
    _draw_mouth(draw, avatar)
    file = io.BytesIO()
    image.resize((AVATAR_PIXELS, AVATAR_PIXELS), Image.Resampling.LANCZOS).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_cat(draw: ImageDraw, avatar: DrawnAvatar) -> None:
    for ear in ([(110, 210), (120, 60), (240, 130)], [(402, 210), (392, 60), (272, 130)]):
        draw.polygon(ear, fill=avatar.skin)
    draw.ellipse((86, 110, 426, 450), fill=avatar.skin)
    draw.polygon([(244, 310), (268, 310), (256, 326)], fill="#b46a8a")
    for side, row in ((-1, 300), (-1, 330), (1, 300), (1, 330)):
        start = 256 + side * 90
        draw.line((start, row + 10, start + side * 110, row), fill="#8d82b8", width=5)


def _draw_robot(draw: ImageDraw, avatar: DrawnAvatar) -> None:
    draw.line((256, 120, 256, 60), fill=avatar.skin, width=14)
    draw.ellipse((230, 34, 282, 86), fill="#f7d354")
    draw.rounded_rectangle((96, 120, 416, 420), radius=70, fill=avatar.skin)
    draw.rounded_rectangle((136, 170, 376, 380), radius=44, fill="#e9fbf8")


def _draw_star(draw: ImageDraw, avatar: DrawnAvatar) -> None:
    corners = [(230 if turn % 2 == 0 else 110, turn * pi / 5 - pi / 2) for turn in range(10)]
    draw.polygon(
        [(256 + far * cos(angle), 270 + far * sin(angle)) for far, angle in corners], fill=avatar.skin
    )


def _draw_heart(draw: ImageDraw, avatar: DrawnAvatar) -> None:
    draw.ellipse((70, 100, 276, 306), fill=avatar.skin)
    draw.ellipse((236, 100, 442, 306), fill=avatar.skin)
    draw.polygon([(86, 256), (426, 256), (256, 462)], fill=avatar.skin)


def _draw_eyes(draw: ImageDraw, avatar: DrawnAvatar) -> None:
    for side in (-1, 1):
        x, y = 256 + side * 70, 250
        match avatar.eyes:
            case "closed":
                draw.arc((x - 32, y - 24, x + 32, y + 30), 180, 360, fill="#2b2540", width=12)
            case "narrow":
                draw.line((x - side * 30, y + 14, x + side * 34, y - 16), fill="#2b2540", width=14)
                draw.ellipse((x - 16, y, x + 16, y + 32), fill="#2b2540")
            case _:
                size = 34 if avatar.eyes == "wide" else 24
                draw.ellipse((x - size, y - size, x + size, y + size), fill="#2b2540")
                draw.ellipse((x - size // 3, y - size // 2, x + size // 4, y), fill="#ffffff")
        if avatar.blush:
            draw.ellipse((x - 40 + side * 30, y + 40, x + 24 + side * 30, y + 74), fill="#f2b6c6")


def _draw_mouth(draw: ImageDraw, avatar: DrawnAvatar) -> None:
    match avatar.mouth:
        case "smile":
            draw.arc((206, 300, 306, 370), 20, 160, fill="#2b2540", width=12)
        case "frown":
            draw.arc((206, 344, 306, 414), 200, 340, fill="#2b2540", width=12)
        case "round":
            draw.ellipse((232, 320, 280, 368), fill="#2b2540")
        case _:
            draw.line((216, 348, 296, 348), fill="#2b2540", width=12)
