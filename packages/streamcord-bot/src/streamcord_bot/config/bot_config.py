"""Load the bot's configuration: one TOML file, and the environment for every secret.

This is the only module of the package that reads the environment for the bot. A few variables of the original
specification (`EMOJI_UNIQUE_LOOKBACK` …) are read too, and override the file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from streamcord import AnswerContext, Settings, SettingsError
from streamcord.providers import Options
from streamcord.settings import UnknownKey, fields_of, read_settings, setting

from .access import AccessConfig
from .answer import AnswerConfig
from .budget import BudgetConfig, PriceConfig
from .cluster import ClusterConfig
from .context import ContextConfig
from .discord import DiscordConfig
from .durability import DurabilityConfig
from .known_models import CURRENCY, find_price
from .log import LogConfig
from .mcp import McpConfig
from .models import ModelConfig
from .moderation import ModerationConfig
from .personas import PersonaConfig, with_local_pictures
from .privacy import PrivacyConfig
from .server_limits import ServersConfig, check_names
from .table_reader import (
    LANGUAGES,
    STORE_NAME,
    ConfigError,
    check_locale,
    log_overrides,
    read_table,
    setting_overrides,
    tool_overrides,
)
from .tools import ToolConfig
from .voice import VoiceConfig

DEFAULT_STORE = "streamcord.db"
_OWN_DEFAULTS = {"impersonation": "personas"}
"""Defaults that differ from the library's: the bot copies the name and picture of its own personas only."""
# Tables whose keys `/settings` can change, with the table's name in front.
_PARTS = {"answer": AnswerConfig, "context": ContextConfig}


@dataclass(frozen=True, slots=True, kw_only=True)
class BotConfig:
    """The whole configuration of a bot."""

    token: str = setting("", "The bot's token, from the environment only.", repr=False)
    locale: str = setting(
        "en",
        f"The language of notices ({', '.join(LANGUAGES)}), where Discord does not say the reader's own.",
    )
    store: str = setting(
        DEFAULT_STORE,
        "The database: a file, or postgresql://... (with a password: STREAMCORD_STORE only).",
        repr=False,
    )
    thought_log: int = setting(
        0, "The id of a channel that receives the model's thoughts; 0 is none.", minimum=0, is_id=True
    )
    discord: DiscordConfig = field(default_factory=DiscordConfig)
    answer: AnswerConfig = field(default_factory=AnswerConfig)
    context: ContextConfig = field(default_factory=ContextConfig)
    tools: ToolConfig = field(default_factory=ToolConfig)
    voice: VoiceConfig = field(default_factory=VoiceConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    moderation: ModerationConfig = field(default_factory=ModerationConfig)
    privacy: PrivacyConfig = field(default_factory=PrivacyConfig)
    durability: DurabilityConfig = field(default_factory=DurabilityConfig)
    cluster: ClusterConfig = field(default_factory=ClusterConfig)
    log: LogConfig = field(default_factory=LogConfig)
    servers: ServersConfig = field(default_factory=ServersConfig)
    access: AccessConfig = field(default_factory=AccessConfig)
    settings: Mapping[str, Any] = setting(doc="Fields of `Settings` for every answer.", factory=dict)
    overrides: Mapping[str, Any] = setting(
        doc="The same from the environment, which overrides the file.", factory=dict
    )
    models: Mapping[str, ModelConfig] = setting(
        doc="By name; the first is used where none is chosen.", factory=dict
    )
    personas: tuple[PersonaConfig, ...] = setting((), "The first speaks where none is chosen.")
    file: str = setting("streamcord.toml", "The file that was read, for error messages.")

    def model(self, name: str = "") -> ModelConfig:
        """Return a model by its name, or the first."""
        return self.models[name] if name else next(iter(self.models.values()))

    @property
    def secrets(self) -> tuple[str, ...]:
        """All keys, tokens and passwords of this process; they are redacted from answers and logs."""
        password = urlsplit(self.store).password if "://" in self.store else None
        keys = [
            self.token,
            *(key for model in self.models.values() for key in model.keys),
            self.voice.key,
            self.moderation.key,
            *(secret for server in self.tools.mcp.values() for secret in server.secrets),
        ]
        # A password may be percent-encoded in the address; redact both forms.
        passwords = [unquote(password), password] if password else []
        return tuple(dict.fromkeys(filter(None, [*keys, *passwords])))

    def prices_of(self, name: str) -> tuple[PriceConfig, ...]:
        """Return the prices of a model (or of the first) and of its fallbacks."""
        model = self.models.get(name) or next(iter(self.models.values()), None)
        if model is None:
            return ()
        return tuple(self.price_of(self.models[one]) for one in (model.name, *model.fallback))

    def price_of(self, model: ModelConfig) -> PriceConfig:
        """Return what a model costs: as the file says, else as was known at the release."""
        given = model.price
        # At another address than the provider's, or in another currency, the known prices are wrong.
        if given.input or given.output or model.base_url or self.budget.currency != CURRENCY:
            return given
        return find_price(model.provider, model.model, datetime.now(UTC).date()) or given

    def setting_values(self, model: str = "", persona: str = "") -> dict[str, Any]:
        """Return the settings of the file as plain values; a server's own values override them.

        Values of the persona override those of the model, which override the general ones.
        """
        chosen = self.models.get(model) or next(iter(self.models.values()), None)
        speaker = self.persona(persona)
        return {
            **_OWN_DEFAULTS,
            **self.settings,
            **(chosen.settings if chosen else {}),
            **(speaker.settings if speaker else {}),
            **self.overrides,
        }

    def persona(self, name: str) -> PersonaConfig | None:
        """Return a persona of the file by its name, or `None`."""
        return next((one for one in self.personas if one.name.casefold() == name.casefold()), None)

    def value_of(self, name: str, model: str = "") -> object:
        """Return the value of a setting in the file, by the name that `/settings` uses."""
        part, _, key = name.rpartition(".")
        if part:
            return getattr(getattr(self, part), key)
        if name == "thought_log":
            return self.thought_log
        # A setting that the file does not name has the library's default.
        specs = {**fields_of(Settings), **fields_of(AnswerContext)}
        return self.setting_values(model).get(name, specs[name].default)

    def settings_for(self, model: str = "") -> Settings:
        """Return the settings of an answer by this model, without the server's own values."""
        return read_settings(self.setting_values(model))[0]


def load_config(path: str | Path, environment: Mapping[str, str] | None = None) -> BotConfig:
    """Read the configuration from a file, and secrets from the environment.

    Raises:
        ConfigError: the file is missing, unreadable or wrong.

    """
    file = str(path)
    try:
        # Some editors on Windows write a byte order mark.
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(file, "the file", "present: write one with `streamcord-bot init`") from None
    except UnicodeDecodeError:
        raise ConfigError(file, "the file", "UTF-8: save it again with that encoding") from None
    except OSError as error:
        raise ConfigError(file, "the file", f"readable ({error.strerror})") from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(file, "the file", f"TOML: {error}{_explain_toml(str(error))}") from None
    return read_config(table, environment, file=file)


def _explain_toml(error: str) -> str:
    """Return advice for the most common mistakes, which the parser only names."""
    # Word processors write curly quotes, and people write True.
    if error.startswith("Invalid value"):
        return '. Write texts in straight quotes, as in model = "x", and true and false in lower case'
    if error.startswith(("Invalid hex", "Unescaped", "Invalid escape")):
        return r". In double quotes write a backslash twice, or use single quotes"
    return ""


def read_config(
    table: Mapping[str, Any], environment: Mapping[str, str] | None = None, *, file: str = "streamcord.toml"
) -> BotConfig:
    """Read the configuration from a parsed table, and secrets from the environment.

    Raises:
        ConfigError: a key or value is wrong.

    """
    try:
        return _read_config(table, os.environ if environment is None else environment, file)
    except ConfigError as error:
        raise _with_table_hint(error, file) from error


def _with_table_hint(error: ConfigError, file: str) -> ConfigError:
    """Add the table where an unknown key belongs to its error, if there is one."""
    # `_read_config` wraps the original error to add the name of the file.
    cause = error.__cause__
    # A misspelled key already has a suggestion.
    if not isinstance(cause, UnknownKey) or cause.is_slip:
        return error
    here = error.field.rpartition(".")[2]
    tables = [
        f"[{name}]"
        for name, cls in _TABLES.items()
        if cause.key in fields_of(cls) and name.rpartition(".")[2] != here
    ]
    if not tables:
        return error
    hinted = UnknownKey(error.field, cause.key, (), f"it belongs into {' or '.join(tables)}", is_slip=False)
    return ConfigError.of(hinted, file)


_TABLES: Mapping[str, type] = {
    "settings": Settings,
    "models.NAME.options": Options,
    "models.NAME.price": PriceConfig,
    "discord": DiscordConfig,
    "answer": AnswerConfig,
    "context": ContextConfig,
    "tools": ToolConfig,
    "tools.mcp.NAME": McpConfig,
    "budget": BudgetConfig,
    "privacy": PrivacyConfig,
    "durability": DurabilityConfig,
    "log": LogConfig,
    "servers": ServersConfig,
    "access": AccessConfig,
    "models.NAME": ModelConfig,
    "personas.NAME": PersonaConfig,
}
"""The tables of the file, to find the one where a misplaced key belongs."""


def _read_config(table: Mapping[str, Any], environment: Mapping[str, str], file: str) -> BotConfig:
    table = dict(table)
    # These tables need the environment or each other, so they are taken out and read first.
    models = _read_models(file, table.pop("models", {}), environment)
    personas = _read_personas(file, table.pop("personas", {}), models)
    tools = _read_tools(file, table.pop("tools", {}), environment)
    table["log"] = {**_as_table(file, "log", table.get("log", {})), **log_overrides(file, environment)}
    settings = _read_settings(file, "settings", _with_bot_defaults(table.pop("settings", {})))
    discord = read_table(DiscordConfig, file, "discord", table.pop("discord", {}))
    voice = read_table(VoiceConfig, file, "voice", table.pop("voice", {}))
    moderation = read_table(ModerationConfig, file, "moderation", table.pop("moderation", {}))
    # The environment wins, since only there the address may contain a password.
    store = environment.get(STORE_NAME) or _store(file, table.pop("store", DEFAULT_STORE))
    table.pop("store", None)
    config: BotConfig = read_table(
        BotConfig,
        file,
        "",
        table,
        token=environment.get(discord.token_name, "").strip(),
        store=store,
        discord=discord,
        tools=tools,
        voice=replace(voice, key=environment.get(voice.key_name, "").strip()),
        moderation=replace(moderation, key=environment.get(moderation.key_name, "").strip()),
        settings=settings,
        overrides=setting_overrides(file, environment),
        models=models,
        personas=personas,
        file=file,
    )
    try:
        check_names(config.servers, _setting_names())
        check_locale(config.locale)
    except SettingsError as error:
        raise ConfigError.of(error, file) from error
    for name in models or [""]:
        # Tables that are valid alone can contradict each other, so check each model's combined settings.
        try:
            config.settings_for(name)
        except SettingsError as error:
            raise ConfigError.of(error, file, f"models.{name}.settings." if name else "settings.") from error
    return config


def _setting_names() -> frozenset[str]:
    """Return the names of everything that commands can change."""
    parts = (f"{part}.{name}" for part, cls in _PARTS.items() for name in fields_of(cls))
    return frozenset((*fields_of(Settings), *fields_of(AnswerContext), *parts, "thought_log", "model"))


# --- Parts of the file ----------------------------------------------------------------------------


def _read_models(file: str, table: object, environment: Mapping[str, str]) -> dict[str, ModelConfig]:
    models = {}
    for name, values in _as_table(file, "models", table).items():
        where = f"models.{name}"
        inner = dict(_as_table(file, where, values, "a table, as in [models.main]"))
        given = {
            "options": _read_options(file, f"{where}.options", inner.pop("options", {})),
            "settings": _read_settings(file, f"{where}.settings", inner.pop("settings", {})),
        }
        # Read twice: the first pass says which variable holds the key.
        bare = read_table(ModelConfig, file, where, inner, name=str(name), **given)
        key, *more = _read_keys(environment, bare.secret_name, *bare.key_names) or [""]
        models[str(name)] = read_table(
            ModelConfig, file, where, inner, name=str(name), key=key, more_keys=tuple(more), **given
        )
    # Fallbacks may name models further down in the file, so they are checked after all are read.
    for model in models.values():
        for other in model.fallback:
            if other not in models:
                allowed = "names of models: " + ", ".join(models)
                raise ConfigError(file, f"models.{model.name}.fallback", allowed, other)
    return models


def _read_keys(environment: Mapping[str, str], *names: str) -> list[str]:
    """Return the keys of these variables; a variable may hold several, with commas or spaces between."""
    keys = (key for name in names for key in environment.get(name, "").replace(",", " ").split())
    return list(dict.fromkeys(keys))


def _read_tools(file: str, table: object, environment: Mapping[str, str]) -> ToolConfig:
    values = {**_as_table(file, "tools", table), **tool_overrides(file, environment)}
    servers = {}
    for name, inner in _as_table(file, "tools.mcp", values.pop("mcp", {})).items():
        where = f"tools.mcp.{name}"
        _as_table(file, where, inner, "a table, as in [tools.mcp.files]")
        # Read twice: the first pass says which variables hold what it gets.
        bare = read_table(McpConfig, file, where, inner, name=str(name), environment={})
        servers[str(name)] = replace(
            bare,
            key=environment.get(bare.key_name, "").strip() if bare.key_name else "",
            environment={one: environment[one] for one in bare.variables if one in environment},
        )
    return read_table(ToolConfig, file, "tools", values, mcp=servers)


def _read_personas(file: str, table: object, models: Mapping[str, ModelConfig]) -> tuple[PersonaConfig, ...]:
    personas = []
    for name, values in _as_table(file, "personas", table).items():
        where = f"personas.{name}"
        inner = {"name": str(name), **_as_table(file, where, values, "a table, as in [personas.main]")}
        settings = _read_settings(file, f"{where}.settings", inner.pop("settings", {}))
        options = dict(_as_table(file, f"{where}.options", inner.pop("options", {})))
        _read_options(file, f"{where}.options", options)
        persona: PersonaConfig = read_table(
            PersonaConfig, file, where, inner, settings=settings, options=options
        )
        if persona.model and persona.model not in models:
            known = "one of " + ", ".join(models) if models else "a name of [models], of which there are none"
            raise ConfigError(file, f"{where}.model", known, persona.model)
        personas.append(with_local_pictures(persona, Path(file).parent))
    return tuple(personas)


def _read_options(file: str, where: str, table: object) -> Options:
    return read_table(Options, file, where, table, model="")


def _read_settings(file: str, where: str, table: object) -> dict[str, Any]:
    values = dict(_as_table(file, where, table))
    try:
        read_settings(values, where)
    except SettingsError as error:
        raise ConfigError.of(error, file, "" if error.field == where else f"{where}.") from error
    return values


def _store(file: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(file, "store", "a text", value)
    if "://" in value and urlsplit(value).password:
        hint = f"without a password: put the whole address into {STORE_NAME} in the environment"
        raise ConfigError(file, "store", hint)
    return value


def _as_table(file: str, where: str, table: object, allowed: str = "a table") -> Mapping[str, Any]:
    if not isinstance(table, Mapping):
        raise ConfigError(file, where, allowed, table)
    return table


def _with_bot_defaults(settings: object) -> object:
    """Return the table of settings with what is different for the bot: `<details>` are notes for its memory."""
    return {"details": "memory", **settings} if isinstance(settings, Mapping) else settings
