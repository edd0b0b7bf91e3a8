"""Pictures that lie beside the configuration file: read once, then carried as `data:` addresses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from streamcord._image_kinds import as_data_uri

from ..persona.pictures import PICTURE_CAP
from .sections import PersonaConfig

__all__ = ["is_address", "with_portraits"]


def is_address(picture: str) -> bool:
    """Whether it can be shown as it is, and is not the name of a file."""
    return "://" in picture or picture.startswith("data:")


def with_portraits(persona: PersonaConfig, folder: Path) -> PersonaConfig:
    """The persona with its pictures; what cannot be read stays a name, and is never shown."""
    looks = tuple(replace(look, picture=_read(folder, look.picture)) for look in persona.sprites)
    return replace(persona, picture=_read(folder, persona.picture), sprites=looks)


def _read(folder: Path, picture: str) -> str:
    if not picture or is_address(picture):
        return picture
    try:
        path = folder / picture
        return as_data_uri(path.read_bytes()) if path.stat().st_size <= PICTURE_CAP else picture
    except (OSError, ValueError):
        return picture
