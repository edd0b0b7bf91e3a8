"""The configuration that counts in one channel: who speaks, with which settings, by which model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from streamcord import Persona, Settings, SettingsError, StoreError
from streamcord._shared.bounded_cache import BoundedCache
from streamcord.store import Place, Store, StoredPersona

from ..config import BotConfig
from ..config.sections import AnswerConfig, ContextConfig

if TYPE_CHECKING:
    import discord

__all__ = ["ChannelConfig", "ChannelConfigs", "place_of"]

CACHE_SECONDS = 2.0
"""Seconds for which a cached configuration is used to decide whom to answer."""
CACHE_CAP = 1000

_log = logging.getLogger("streamcord.bot")
_SETTINGS = frozenset(spec.name for spec in fields(Settings))
_ANSWER = frozenset(spec.name for spec in fields(AnswerConfig))
_CONTEXT = frozenset(spec.name for spec in fields(ContextConfig))


@dataclass(frozen=True, slots=True)
class ChannelConfig:
    """What counts in one channel at one moment; later changes count for the next answer."""

    place: Place
    speaker: StoredPersona
    settings: Settings
    answer: AnswerConfig
    context: ContextConfig
    model: str = ""
    thought_log: int = 0
    named: bool = True
    """Whether somebody chose who speaks; the bot's own name alone does not call it."""

    @property
    def persona(self) -> Persona:
        """Who speaks."""
        return self.speaker.persona

    @property
    def listening(self) -> AnswerConfig:
        """`[answer]` with the names of the persona among the trigger words."""
        names = (self.persona.name, *self.persona.aliases) if self.named else ()
        return replace(self.answer, words=tuple(dict.fromkeys((*self.answer.words, *names))))


class ChannelConfigs:
    """Finds the configuration of a channel from the file and the store."""

    def __init__(self, config: BotConfig, store: Store, name: str = "streamcord") -> None:
        self._config = config
        self._store = store
        self._cached: BoundedCache[Place, tuple[float, ChannelConfig]] = BoundedCache(CACHE_CAP)
        self.name = name
        """Who speaks where nobody was ever chosen: the bot itself."""

    async def find(self, place: Place, parent: int = 0) -> ChannelConfig:
        """The configuration of a place; `parent` is the channel that a thread belongs to."""
        values = await self._values(place, parent)
        speaker = await self._speaker(place, parent)
        others = [one.persona for one in await self._store.personas(place.guild) if one.name != speaker.name]
        model = str(values.get("model") or self._model_of(speaker))
        model = model if model in self._config.models else ""
        settings = self._settings(model, _of(values, _SETTINGS))
        return ChannelConfig(
            place,
            speaker,
            replace(settings, persona=speaker.persona, personas=tuple(others)),
            _part(self._config.answer, values, "answer", _ANSWER),
            _part(self._config.context, values, "context", _CONTEXT),
            model,
            int(values.get("thought_log") or self._config.thought_log),
            named=speaker.guild != 0 or speaker.name != self.name,
        )

    async def find_cached(self, place: Place, parent: int = 0) -> ChannelConfig:
        """The same, up to two seconds old: good enough to decide whether a message is for us."""
        now = asyncio.get_running_loop().time()
        at, channel_config = self._cached.peek(place) or (-CACHE_SECONDS, None)
        if channel_config is None or now - at >= CACHE_SECONDS:
            channel_config, _ = await self.find_or_default(place, parent)
            self._cached.keep(place, (now, channel_config))
        return channel_config

    def forget(self) -> None:
        """Forget cached configurations, after something was set or chosen."""
        self._cached.clear()

    async def find_or_default(self, place: Place, parent: int = 0) -> tuple[ChannelConfig, bool]:
        """The configuration, or the file's own if the store fails; and whether the store worked."""
        try:
            return await self.find(place, parent), True
        except StoreError as error:
            _log.warning("the store failed: %s", error)
        speaker = self._given("")
        settings = replace(self._settings("", {}), persona=speaker.persona)
        config = self._config
        channel_config = ChannelConfig(
            place, speaker, settings, config.answer, config.context, "", config.thought_log
        )
        return channel_config, False

    async def _values(self, place: Place, parent: int) -> dict[str, Any]:
        """The values set for the server, overridden by those of the channel, then of the thread."""
        places = [place.server, Place(place.guild, parent) if parent else None, place]
        values: dict[str, Any] = {}
        for one in dict.fromkeys(filter(None, places)):
            values.update(await self._store.settings(one))
        return values

    async def _speaker(self, place: Place, parent: int) -> StoredPersona:
        name = await self._store.find_choice(place)
        if parent and (name is None or name == await self._store.find_choice(place.server)):
            name = await self._store.find_choice(Place(place.guild, parent)) or name
        first = next(iter(self._config.personas), None)
        known = name or (first.name if first else "")
        found = await self._store.find_persona(place.guild, known) if known else None
        if found is not None:
            return found
        return self._given(known)

    def _given(self, name: str) -> StoredPersona:
        """A persona of the file, or the bot itself."""
        first = next(iter(self._config.personas), None)
        given = next((one for one in self._config.personas if one.name == name), first)
        if given is None:
            return StoredPersona(Persona(self.name))
        return StoredPersona(given.persona(), prompt=given.prompt, greeting=given.greeting)

    def _model_of(self, speaker: StoredPersona) -> str:
        return next((one.model for one in self._config.personas if one.name == speaker.name), "")

    def _settings(self, model: str, values: Mapping[str, Any]) -> Settings:
        base = self._config.setting_values(model)
        try:
            return Settings.from_mapping({**base, **values})
        except SettingsError as error:
            _log.warning("stored settings do not fit and are left out: %s", error)
            return Settings.from_mapping(base)


def place_of(channel: discord.abc.Snowflake) -> tuple[Place, int]:
    """The place of a channel, and the id of its parent channel if it is a thread (else 0)."""
    guild = getattr(channel, "guild", None)
    return Place(guild.id if guild else 0, channel.id), int(getattr(channel, "parent_id", 0) or 0)


def _of(values: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in names}


def _part(base: Any, values: Mapping[str, Any], prefix: str, names: frozenset[str]) -> Any:  # noqa: ANN401
    """A table of the file with the values that were set as `prefix.name`."""
    changes = {
        name.removeprefix(f"{prefix}."): tuple(value) if isinstance(value, list) else value
        for name, value in values.items()
        if name.startswith(f"{prefix}.") and name.removeprefix(f"{prefix}.") in names
    }
    try:
        return replace(base, **changes)
    except (SettingsError, TypeError) as error:
        _log.warning("what was set for %s does not fit and is left out: %s", prefix, error)
        return base
