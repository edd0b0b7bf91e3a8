"""Resolve the configuration of one channel: persona, settings and model, from the file and the store.

Values of a thread override those of its channel, which override those of the server, which override the file. The
operator's limits (`config.server_limits`) are applied last, each time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from streamcord import AnswerContext, Persona, Settings, SettingsError, StoreError
from streamcord.settings import convert, read_settings
from streamcord.store import PersonaEntry, Place, Store, StoredPersona
from streamcord.utils import BoundedCache

from ..config import AnswerConfig, BotConfig, ContextConfig
from ..config.server_limits import clamp, may_change
from ..config.settings_catalog import all_settings
from ..config.trigger_words import is_function_word
from .addressing import find_writer
from .permissions import setters_in

if TYPE_CHECKING:
    import discord

CACHE_S = 2.0
"""A cached configuration of this age still decides whether a message is answered."""
MAX_CACHED_CHANNELS = 1000

_log = logging.getLogger(__name__)
_SETTINGS = frozenset(spec.name for group in (Settings, AnswerContext) for spec in fields(group))

_CONTEXT = frozenset(spec.name for spec in fields(AnswerContext))
_OWN_SETTINGS = _SETTINGS | {"answer.follow_up"}
"""What can be set for one persona."""


@dataclass(frozen=True, slots=True)
class ChannelConfig:
    """The configuration of one channel at one moment; later changes apply to the next answer."""

    place: Place
    speaker: StoredPersona
    settings: Settings
    # The personas that take part; people and recent messages are added for each question.
    answer_context: AnswerContext
    answer: AnswerConfig
    context: ContextConfig
    model: str = ""
    thought_log: int = 0
    named: bool = True
    """Whether a persona speaks, whose names trigger an answer; the bot's own name alone does not."""
    chosen: str = ""
    """The persona that was chosen for the channel; another one may speak because it was named."""
    set_by: Mapping[str, int] = field(default_factory=dict)
    """The ids of users who set protected settings, by the setting's name. Settings of the file are missing."""

    @property
    def persona(self) -> Persona:
        """The persona that speaks."""
        return self.speaker.persona

    def value_of(self, name: str) -> object:
        """Return the effective value of a setting, by the name that `/settings` uses."""
        part, _, key = name.rpartition(".")
        if name == "thought_log":
            return self.thought_log
        if name in _CONTEXT:
            return getattr(self.answer_context, name)
        return getattr(getattr(self, part or "settings"), key)

    @property
    def listening(self) -> AnswerConfig:
        """`[answer]` with the names of the personas that listen among the trigger words."""
        names = (word for one in self.listeners for word in (one.name, *one.aliases))
        words = (*self.answer.words, *(word for word in names if not is_function_word(word)))
        return replace(self.answer, words=tuple(dict.fromkeys(words)))

    def address(self, name: str) -> str:
        """Return the `persona` of a question to this persona: empty if it is the one chosen for the channel."""
        return "" if name.casefold() == self.chosen.casefold() else name

    @property
    def listeners(self) -> tuple[Persona, ...]:
        """The personas that listen to their names here, the one that speaks first."""
        others = self.answer_context.personas if self.answer.personas == "all" else ()
        return (*((self.persona,) if self.named else ()), *others)


class ChannelConfigs:
    """Finds the configuration of channels; caches it briefly for the decision whether to answer."""

    def __init__(self, config: BotConfig, store: Store, name: str = "streamcord") -> None:
        self._config = config
        self._store = store
        # Configurations by place, with the time at which they were read.
        self._cached: BoundedCache[Place, tuple[float, ChannelConfig]] = BoundedCache(MAX_CACHED_CHANNELS)
        self.name = name
        """The speaker where no persona was ever chosen: the bot itself."""
        self.bot_names: tuple[str, ...] = ()
        """The names of the bot's account; known after the login."""

    async def find(
        self,
        place: Place,
        parent: int = 0,
        is_open: Callable[[str], bool] = lambda _: True,
        *,
        whole: bool = True,
        persona: str = "",
    ) -> ChannelConfig:
        """Return the configuration of a place.

        Args:
            place: the server and channel.
            parent: the channel that a thread belongs to, else 0.
            is_open: whether the user may use a model. The first allowed model replaces one that they may not use.
            whole: whether to load the texts of the persona. Names and sprites are enough to find trigger words.
            persona: the persona that speaks, if it is not the chosen one; an unknown name is ignored.

        Raises:
            StoreError: the store failed.

        """
        stored = await self._values(place, parent)
        everybody = await self._store.personas(place.guild)
        known = await self._chosen(place, parent)
        speaker = await self._speaker(place, known, None if whole else everybody)
        chosen_name = speaker.name
        if persona and persona.casefold() != chosen_name.casefold():
            speaker = await self._named(place, persona) or speaker
        # The library needs the others too: it recognizes their labels and protects their names.
        others = [one.persona for one in everybody if one.name != speaker.name]
        # A model that was chosen while this was allowed does not count any more.
        chosen_model = stored.get("model") if may_change(self._config.servers, "model", place.guild) else ""
        model = str(chosen_model or self._model_of(speaker))
        model = self._open_model(model if model in self._config.models else "", is_open)
        # What was set for one persona counts more than what was set for all personas of a place.
        values = self.allowed({**stored, **_of(speaker.settings, _OWN_SETTINGS)}, place, model)
        settings, context = self._settings(model, _of(values, _SETTINGS), speaker)
        return ChannelConfig(
            place,
            speaker,
            settings,
            replace(context, persona=speaker.persona, personas=tuple(others)),
            _part(self._answer_of(speaker), values, "answer"),
            _part(self._config.context, values, "context"),
            model,
            int(values.get("thought_log") or self._config.thought_log),
            named=speaker.guild != 0 or speaker.name != self.name,
            chosen=chosen_name,
            set_by=setters_in(stored, values),
        )

    async def find_cached(self, place: Place, parent: int = 0) -> ChannelConfig:
        """Return the configuration, at most two seconds old: enough to decide whether a message is for the bot."""
        now = asyncio.get_running_loop().time()
        at, channel_config = self._cached.peek(place) or (-CACHE_S, None)
        if channel_config is None or now - at >= CACHE_S:
            channel_config, _ = await self.find_or_default(place, parent, whole=False)
            self._cached.keep(place, (now, channel_config))
        return channel_config

    def forget(self) -> None:
        """Drop cached configurations, after a setting or persona was changed."""
        self._cached.clear()

    async def find_or_default(
        self,
        place: Place,
        parent: int = 0,
        is_open: Callable[[str], bool] = lambda _: True,
        *,
        whole: bool = True,
        persona: str = "",
    ) -> tuple[ChannelConfig, bool]:
        """Return the configuration, or the file's own if the store fails; and whether the store worked."""
        try:
            return await self.find(place, parent, is_open, whole=whole, persona=persona), True
        except StoreError as error:
            _log.warning(
                "loading settings of channel %s failed, using file defaults: %s", place.channel, error
            )
        # The first persona of the file; what was chosen for this channel is unknown without the store.
        speaker = self._given("")
        config, model = self._config, self._open_model("", is_open)
        settings, context = self._settings(model, {}, speaker)
        context = replace(context, persona=speaker.persona)
        channel_config = ChannelConfig(
            place, speaker, settings, context, config.answer, config.context, model, config.thought_log
        )
        return channel_config, False

    async def _values(self, place: Place, parent: int) -> dict[str, Any]:
        """Return the values of the server, overridden by those of the channel, then of the thread."""
        places = [place.server, Place(place.guild, parent) if parent else None, place]
        values: dict[str, Any] = {}
        for one in dict.fromkeys(filter(None, places)):
            values.update(await self._store.settings(one))
        return values

    async def _chosen(self, place: Place, parent: int) -> str:
        """Return the name of the persona that was chosen for a place, or of the file's first."""
        name = await self._store.find_choice(place)
        # `find_choice` falls back to the server's choice; the choice of the thread's channel comes before that.
        if parent and (name is None or name == await self._store.find_choice(place.server)):
            name = await self._store.find_choice(Place(place.guild, parent)) or name
        first = next(iter(self._config.personas), None)
        return name or (first.name if first else "")

    async def _speaker(
        self, place: Place, known: str, everybody: Sequence[PersonaEntry] | None
    ) -> StoredPersona:
        """Return a persona with all texts; taken from `everybody` without texts, if given."""
        if everybody is not None:
            entry = next((one for one in everybody if one.name.casefold() == known.casefold()), None)
            found = StoredPersona(entry.persona, entry.guild) if entry else None
        else:
            found = await self._store.find_persona(place.guild, known) if known else None
        return self._given(known) if found is None else found

    async def _named(self, place: Place, name: str) -> StoredPersona | None:
        """Return a persona that was named. It speaks under its own name, since the bot's is that of the chosen one."""
        found = await self._store.find_persona(place.guild, name)
        return replace(found, persona=replace(found.persona, alter=True)) if found else None

    def _given(self, name: str) -> StoredPersona:
        """Return a persona of the file, or the bot itself."""
        first = next(iter(self._config.personas), None)
        given = next((one for one in self._config.personas if one.name == name), first)
        if given is None:
            return StoredPersona(Persona(self.name))
        return StoredPersona(given.persona(), prompt=given.prompt, greeting=given.greeting)

    def _answer_of(self, speaker: StoredPersona) -> AnswerConfig:
        """Return `[answer]` of the file, with what the file says of a persona."""
        given = self._config.persona(speaker.name)
        if given is None or not given.follow_up:
            return self._config.answer
        return replace(self._config.answer, follow_up=given.follow_up)

    def _open_model(self, model: str, is_open: Callable[[str], bool]) -> str:
        """Return the model if the user may use it, else the first that they may use; empty if there is none."""
        names = list(self._config.models)
        if not names or is_open(model or names[0]):
            return model
        return next(filter(is_open, names), "")

    def _model_of(self, speaker: StoredPersona) -> str:
        return next((one.model for one in self._config.personas if one.name == speaker.name), "")

    def allowed(self, stored: Mapping[str, Any], place: Place, model: str = "") -> dict[str, Any]:
        """Return the stored values that are still valid, each limited to what the file allows this place."""
        config, allowed = self._config, dict[str, Any]()
        for name, value in stored.items():
            spec = all_settings().get(name)
            if spec is None or not may_change(config.servers, name, place.guild):
                continue
            try:
                kept = clamp(config.servers, name, value, config.value_of(name, model), place.guild)
                allowed[name] = convert(spec, name, kept)
            except SettingsError as error:
                _log.warning("ignoring invalid stored setting: %s", error)
        return allowed

    def _settings(
        self, model: str, values: Mapping[str, Any], speaker: StoredPersona
    ) -> tuple[Settings, AnswerContext]:
        base, left = self._config.setting_values(model, speaker.name), dict(values)
        # In a role play models continue as the other people. The user who sets the guard decides.
        if speaker.card or speaker.persona.alter:
            base = {"speaker_guard": "known", **base}
        while True:
            try:
                return read_settings({**base, **left})
            except SettingsError as error:
                if not left:
                    raise
                _log.warning("ignoring stored setting that contradicts others: %s", error)
                # If the field at fault comes from the file, drop all stored values; else drop only that one.
                left = {
                    name: one for name, one in left.items() if name != error.field and error.field in left
                }


def find_other_writer(shown_as: str, config: ChannelConfig) -> str:
    """Return the persona that wrote a message of ours, by the name over it; empty if it is the channel's own."""
    return config.address(find_writer(shown_as, (config.persona, *config.answer_context.personas)))


def place_of(channel: discord.abc.Snowflake) -> tuple[Place, int]:
    """Return the place of a channel, and the id of its parent channel if it is a thread (else 0)."""
    guild = getattr(channel, "guild", None)
    return Place(guild.id if guild else 0, channel.id), int(getattr(channel, "parent_id", 0) or 0)


def _of(values: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in names}


def _part(base: Any, values: Mapping[str, Any], prefix: str) -> Any:  # noqa: ANN401
    """Return a table of the file with the stored values `prefix.name` applied."""
    changes = {
        name.removeprefix(f"{prefix}."): value
        for name, value in values.items()
        if name.startswith(f"{prefix}.")
    }
    return replace(base, **changes)
