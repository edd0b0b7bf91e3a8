"""The personas of the configuration file, put into the store once, with the pictures that lie beside it."""

from __future__ import annotations

import logging
from pathlib import Path

from streamcord import Persona, Sprite, StoreError
from streamcord.store import Picture, Store, StoredPersona

from ..config.config import BotConfig, PersonaConfig
from .emoji_gallery import Gallery, hang_looks
from .pictures import PICTURE_CAP, PictureError, look_at

__all__ = ["hang_seeds", "seed_personas"]

_log = logging.getLogger("streamcord._bot")


async def seed_personas(config: BotConfig, store: Store) -> None:
    """Put the personas of the file into the store, for every server; what is there already stays as it is."""
    for one in config.personas:
        if await store.find_persona(0, one.name) is None:
            await _seed(one, store, Path(config.file).parent)


async def hang_seeds(gallery: Gallery, store: Store) -> None:
    """Find a place for the pictures of all servers' personas that have none yet."""
    try:
        for stored in await store.personas(0):
            await hang_looks(gallery, store, stored)
    except StoreError as error:
        _log.warning("pictures of personas were not hung up: %s", error)


async def _seed(one: PersonaConfig, store: Store, folder: Path) -> None:
    persona = Persona(one.name, one.words, alter=one.alter)
    await store.save_persona(StoredPersona(persona, prompt=one.prompt, greeting=one.greeting))
    face = _find_picture(one.picture, folder)
    if face is not None:
        await store.save_avatar(0, one.name, face)
    for look in one.sprites:
        picture = _find_picture(look.picture, folder)
        await store.save_sprite(0, one.name, Sprite(look.name, identity=look.identity), picture or Picture())


def _find_picture(given: str, folder: Path) -> Picture | None:
    """What the file names as a picture: an address, or a file beside it."""
    if not given or given.startswith(("https://", "http://")):
        return Picture(given) if given else None
    try:
        with (folder / given).open("rb") as file:
            content = file.read(PICTURE_CAP + 1)
        return Picture("", content, look_at(content).kind)
    except (OSError, PictureError) as error:
        _log.warning("the picture %s cannot be used: %s", given, error)
        return None
