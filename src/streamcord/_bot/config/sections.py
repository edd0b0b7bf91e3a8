"""The tables of the configuration file, each a frozen class with a docstring line per key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from streamcord import Persona, Settings, SettingsError, Sprite
from streamcord._image_kinds import as_data_uri
from streamcord.providers import PRESETS, Options, ToolLimits

from ..persona.pictures import PICTURE_CAP
from .environment import KEY_NAME, TOKEN_NAME

__all__ = [
    "AnswerConfig",
    "ContextConfig",
    "DiscordConfig",
    "LogConfig",
    "ModelConfig",
    "PersonaConfig",
    "SpriteConfig",
    "ToolConfig",
    "is_address",
    "with_local_pictures",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordConfig:
    """`[discord]`: how the bot connects."""

    token_name: str = TOKEN_NAME
    """The environment variable that holds the token."""
    server: str = ""
    """The address of a local Discord (`streamcord twin`); empty is Discord itself."""
    shard_count: int = 0
    """How many shards to run; 0 lets Discord decide."""
    test_guild: int = 0
    """A server whose slash commands appear at once; 0 registers them everywhere, which may take an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerConfig:
    """`[answer]`: when the bot answers."""

    mentions: bool = True
    """Whether a mention is answered."""
    replies: bool = True
    """Whether a reply to one of its messages is answered."""
    direct_messages: bool = True
    """Whether direct messages are answered."""
    channels: tuple[int, ...] = ()
    """Ids of channels in which every message is answered."""
    words: tuple[str, ...] = ()
    """Words that call it, beside the names of its personas."""
    gather: float = 1.0
    """Seconds in which quick messages of one person become one turn."""
    bot_rounds: int = 3
    """Answers to other bots in a row; 0 never answers a bot."""
    empty_retries: int = 2
    """Times that an empty answer is asked for again."""
    buttons: bool = True
    """Whether answers carry stop, regenerate and continue."""

    def __post_init__(self) -> None:
        _check_least(self, gather=0, bot_rounds=0, empty_retries=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextConfig:
    """`[context]`: what the model is shown of the conversation."""

    source: Literal["history", "replies"] = "history"
    """The channel's last messages, or only the chain of replies."""
    messages: int = 40
    """How many messages, at most."""
    tokens: int = 4000
    """How long they may be together, in tokens (about four characters each)."""
    images: int = 4
    """How many pictures the model is shown; 0 is none."""
    file_length: int = 8000
    """Characters of an attached text file that the model is shown; 0 is none."""
    memory: int = 10
    """How many of a persona's last answers it remembers in the next prompt; 0 is none."""

    def __post_init__(self) -> None:
        _check_least(self, messages=1, tokens=64, images=0, file_length=0, memory=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConfig:
    """`[tools]`: what the model may call, and for how long."""

    enabled: tuple[str, ...] | None = None
    """Names of the tools that may be called; left out, all that are registered."""
    timeout: float = 300.0
    """Seconds for one call."""
    rounds: int = 100
    """Times that the model may be asked in one turn."""
    errors: int = 5
    """Calls in a row that may fail."""

    def __post_init__(self) -> None:
        ToolLimits(timeout=self.timeout, rounds=self.rounds, errors=self.errors)

    @property
    def limits(self) -> ToolLimits:
        """The same as the tool loop takes them."""
        return ToolLimits(timeout=self.timeout, rounds=self.rounds, errors=self.errors)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """`[log]`: what an operator sees."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """From which weight on lines are written."""
    text: bool = False
    """Whether words of messages may stand in the log."""
    metrics_port: int = 0
    """The loopback port of `/metrics`; 0 is off."""

    def __post_init__(self) -> None:
        if not 0 <= self.metrics_port < 65536:
            raise SettingsError("metrics_port", "from 0 to 65535", self.metrics_port)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """`[models.NAME]`: a model, where it lives, and what is different for it."""

    name: str = "main"
    """The table's own name, which commands and personas use."""
    provider: str = "openai"
    """One of the presets."""
    model: str = ""
    """The model, as the provider calls it."""
    base_url: str = ""
    """Where its API lives, if not where the preset says."""
    key_name: str = ""
    """The environment variable of the key; empty is the preset's own."""
    key: str = field(default="", repr=False)
    """The secret itself; never read from the file."""
    allow_http: bool = False
    """Whether the key may travel to another machine without encryption."""
    images: bool = True
    """Whether it can see pictures."""
    tools: bool = True
    """Whether it can call tools."""
    fallback: tuple[str, ...] = ()
    """Other models that are asked when this one fails."""
    options: Options = field(default_factory=Options)
    """How it shall answer: temperature, max_tokens, reasoning, ..."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `Settings` that are different for this model."""

    def __post_init__(self) -> None:
        if self.provider not in PRESETS:
            raise SettingsError("provider", "one of " + ", ".join(PRESETS), self.provider)
        Settings.from_mapping(self.settings)

    @property
    def secret_name(self) -> str:
        """The environment variable where the key is looked for."""
        return self.key_name or PRESETS[self.provider].key_name or KEY_NAME

    @property
    def needs_key(self) -> bool:
        """Whether the provider is known to refuse who has no key."""
        return bool(self.key_name or (PRESETS[self.provider].key_name and not self.base_url))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpriteConfig:
    """`[[personas.NAME.sprites]]`: one look."""

    name: str
    picture: str = field(default="", repr=False)
    """A file beside the configuration, or an address that Discord can open."""
    identity: bool = False
    """Whether it is shown as `sprite (Persona)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaConfig:
    """`[personas.NAME]`: who speaks; put into the store at the start, unless it is there already."""

    name: str
    prompt: str = ""
    """What the model is told about itself."""
    words: tuple[str, ...] = ()
    """Other names, to which it also listens."""
    picture: str = field(default="", repr=False)
    """A file beside the configuration, or an address that Discord can open."""
    greeting: str = ""
    """What it says first."""
    model: str = ""
    """The model that speaks for it; empty is the first of the file."""
    alter: bool = False
    """Whether it always has a name and a face of its own; else it speaks as the bot."""
    sprites: tuple[SpriteConfig, ...] = ()

    def __post_init__(self) -> None:
        self.persona()

    def persona(self) -> Persona:
        """The same as the settings of an answer take it."""
        looks = (
            Sprite(look.name, look.picture or None, look.identity, usable=_can_be_shown(look.picture))
            for look in self.sprites
        )
        return Persona(self.name, self.words, self.picture or None, tuple(looks), self.alter)


def _can_be_shown(picture: str) -> bool:
    """A look without a picture is only a name; the name of a file is what could not be read."""
    return not picture or "://" in picture or picture.startswith("data:")


def _check_least(owner: object, **least: float) -> None:
    for name, floor in least.items():
        value = getattr(owner, name)
        if not value >= floor:
            raise SettingsError(name, f"at least {floor:g}", value)


def is_address(picture: str) -> bool:
    """Whether it can be shown as it is, and is not the name of a file."""
    return "://" in picture or picture.startswith("data:")


def with_local_pictures(persona: PersonaConfig, folder: Path) -> PersonaConfig:
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
