"""The server of the demo: a channel per degree, two personas with their looks, and a few emoji."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamcord import Persona, Sprite
from streamcord._bot.config.config import AnswerConfig, BotConfig, ContextConfig, ModelConfig, PersonaConfig
from streamcord._bot.config.sections import SpriteConfig
from streamcord.providers import Options
from streamcord.store import Picture, Place, Store, StoredPersona
from streamcord.twin import Channel, Twin

from .faces import FACES, can_draw, draw_face

__all__ = ["CHANNELS", "PERSONAS", "World", "build_world", "fill_store", "small_model"]

CHANNELS: Mapping[str, int] = {"whole": 0, "paragraphs": 1, "general": 2, "sentences": 3}
"""Name and degree of each channel."""
THOUGHTS = "thoughts"
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
class World:
    """The places of the demo, and the addresses of its pictures."""

    channels: Mapping[str, Channel]
    thoughts: Channel
    pictures: Mapping[str, str]

    def config(self, token: str, model: ModelConfig, settings: Mapping[str, Any]) -> BotConfig:
        """A bot that answers everything in these channels."""
        return BotConfig(
            token=token,
            store=":memory:",
            thought_log=self.thoughts.id,
            answer=AnswerConfig(channels=tuple(one.id for one in self.channels.values()), gather=0.2),
            context=ContextConfig(messages=12, tokens=800, images=0, memory=0),
            settings=settings,
            models={"demo": model},
            personas=PERSONAS,
        )


def build_world(twin: Twin) -> World:
    """Furnish a twin that listens."""
    twin.guild.name = "The Moon"
    twin.user.name = "you"
    twin.bot.user.name = "Luna"
    del twin.state.channels[twin.channel.id]
    twin.guild.channel_ids.remove(twin.channel.id)
    channels = {name: twin.add_channel(name) for name in ("general", "whole", "paragraphs", "sentences")}
    twin.channel = channels["general"]
    thoughts = twin.add_channel(THOUGHTS)
    for name in EMOJI:
        twin.state.add_emoji(twin.guild, name)
    return World(channels, thoughts, _hang_up_pictures(twin))


async def fill_store(store: Store, twin: Twin, world: World) -> None:
    """Keep the personas, and what is set for each channel."""
    for given in PERSONAS:
        name = given.name.casefold()
        looks = tuple(
            Sprite(look.name, world.pictures.get(f"{name}-{look.name}"), look.identity)
            for look in given.sprites
        )
        persona = Persona(given.name, given.words, world.pictures.get(name), (), given.alter)
        await store.save_persona(StoredPersona(persona, 0, given.prompt, given.greeting))
        if persona.avatar:
            await store.save_avatar(0, given.name, Picture(persona.avatar))
        for look in looks:
            await store.save_sprite(0, given.name, look, Picture(look.avatar or ""))
    for name, degree in CHANNELS.items():
        place = Place(twin.guild.id, world.channels[name].id)
        await store.change_settings(place, {"degree": degree})


def small_model(base_url: str, name: str) -> ModelConfig:
    """How a model of 135 million parameters is asked: briefly, without tools, without repeats."""
    return ModelConfig(
        name="demo",
        provider="llamacpp",
        base_url=base_url,
        model=name,
        images=False,
        options=Options(temperature=0.6, max_tokens=48, extra={"repeat_penalty": 1.1, "cache_prompt": True}),
        settings={"speaker_guard": "any"},
    )


def _hang_up_pictures(twin: Twin) -> dict[str, str]:
    """Give the faces to the twin, which serves them; without Pillow it makes up plain ones."""
    if not can_draw():
        return {}
    addresses = {}
    for name, face in FACES.items():
        content = draw_face(face)
        digest = hashlib.sha256(content).hexdigest()[:32]
        twin.state.pictures[digest] = content
        addresses[name] = f"{twin.cdn_url}/avatars/{twin.bot.id}/{digest}.png"
        if name == "luna":
            twin.bot.user.avatar = digest
    return addresses
