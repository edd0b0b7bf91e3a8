"""The tables of the configuration file as frozen dataclasses.

Each field documents its key; `docs/settings.md` is generated from these texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from streamcord import ModerationStage, Moderator, Persona, SettingsError, Sprite, StopMode, WordList
from streamcord.providers import PRESETS, HttpModerator, Options, ToolLimits
from streamcord.settings import check_fields, read_settings, setting
from streamcord.utils import as_data_uri

from .access import AccessList
from .budget import PriceConfig
from .sources import KEY_NAME, TOKEN_NAME, check_variable

__all__ = [
    "AnswerConfig",
    "ContextConfig",
    "DiscordConfig",
    "DurabilityConfig",
    "LogConfig",
    "ModelConfig",
    "ModerationConfig",
    "PersonaConfig",
    "PrivacyConfig",
    "SpriteConfig",
    "ToolConfig",
    "VoiceConfig",
    "is_address",
    "with_local_pictures",
]

MAX_PICTURE_BYTES = 8 * 1024 * 1024
"""Larger picture files are not read; `personas.pictures` refuses them with the same limit."""

_STOP_MODES = {"next": StopMode.AFTER_THIS, "flush": StopMode.FLUSH, "now": StopMode.NOW}
_THIS_MACHINE = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordConfig:
    """`[discord]`: how the bot connects."""

    token_name: str = setting(TOKEN_NAME, "The environment variable that holds the token.")
    server: str = setting("", "The address of a local Discord (`discord-twin`); empty is Discord itself.")
    rest: str = setting(
        "",
        "The address of a REST proxy that counts requests for all processes, such as http://127.0.0.1:8080; "
        "empty is none.",
    )
    shard_count: int = setting(
        0, "How many shards to run; 0 lets Discord decide.", minimum=0, maximum=100_000
    )
    test_guild: int = setting(
        0,
        "A server whose slash commands appear at once; 0 registers them everywhere, which may take an hour.",
        minimum=0,
        is_id=True,
    )
    user_install: bool = setting(
        False,
        "Whether people may install the bot for themselves and /ask it anywhere, also in groups.",
    )
    message_content: bool = setting(
        True,
        "Whether the bot reads every message (a privileged intent); else only mentions, replies, direct "
        "messages and /ask.",
    )

    def __post_init__(self) -> None:
        check_fields(self)
        check_variable("token_name", self.token_name)
        for name, port in (("server", 8765), ("rest", 8080)):
            address = getattr(self, name)
            if address and not address.startswith(("http://", "https://")):
                raise SettingsError(name, f"an address such as http://127.0.0.1:{port}", address)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerConfig:
    """`[answer]`: when the bot answers."""

    mentions: bool = setting(True, "Whether a mention is answered.")
    replies: bool = setting(True, "Whether a reply to one of its messages is answered.")
    direct_messages: bool = setting(True, "Whether direct messages are answered.")
    channels: tuple[int, ...] = setting(
        (), "Ids of channels in which every message is answered.", minimum=1, is_id=True
    )
    words: tuple[str, ...] = setting((), "Words that call the bot, besides the names of its personas.")
    debounce: float = setting(
        1.0,
        "Messages of one person within this many seconds are one question.",
        minimum=0,
        maximum=60,
    )
    max_bot_replies: int = setting(
        3, "Answers to other bots in a row; 0 never answers a bot.", minimum=0, maximum=1000
    )
    empty_retries: int = setting(2, "Times that an empty answer is asked for again.", minimum=0, maximum=10)
    threads: bool = setting(
        False, "Whether a mention in a text channel begins a thread, in which every message is answered."
    )
    greet: bool = setting(True, "Whether a persona says its greeting where it was never met before.")
    buttons: bool = setting(True, "Whether answers have buttons: stop, again and continue.")
    progress: Literal["line", "draft", "card", "off"] = setting(
        "line",
        "What people see until words come: a line about a tool that takes long, a draft with tools and the "
        "newest thoughts, the same in a frame, or nothing.",
    )

    stop: Literal["next", "flush", "now"] = setting(
        "next",
        "What a stop does with text that was already received: send one more message, send all of it, or "
        "nothing more.",
    )
    drop_overlap: bool = setting(
        False,
        "Whether text is removed with which a provider repeats the end of what it sent before; only for "
        "providers that are known to do so, since intended repetition goes, too.",
    )

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def stop_mode(self) -> StopMode:
        """What may still be sent after a stop."""
        return _STOP_MODES[self.stop]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextConfig:
    """`[context]`: what the model is shown of the conversation."""

    source: Literal["history", "replies"] = setting(
        "history", "What the model reads: the last messages of the channel, or only the chain of replies."
    )
    messages: int = setting(
        40,
        "How many messages it reads; for the sake of caches half as many more before some go.",
        minimum=1,
        maximum=1000,
    )
    tokens: int = setting(
        4000,
        "How long they may be together, in tokens of about four characters.",
        minimum=64,
        maximum=10_000_000,
    )
    images: int = setting(4, "How many pictures the model is shown; 0 is none.", minimum=0, maximum=20)
    files: int = setting(
        6,
        "How many attached text files the model is shown, the newest first; 0 is none.",
        minimum=0,
        maximum=20,
    )
    file_length: int = setting(
        8000,
        "Characters of an attached text file that the model is shown; 0 is none.",
        minimum=0,
        maximum=1_000_000,
    )
    memory: int = setting(
        10, "How many of its last answers a persona remembers; 0 is none.", minimum=0, maximum=1000
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConfig:
    """`[tools]`: what the model may call, and for how long."""

    enabled: tuple[str, ...] | None = setting(
        None, "Names of the tools that may be called; left out, all that are registered."
    )
    timeout: float = setting(300.0, "Seconds for one call.")
    rounds: int = setting(100, "Times that the model may be asked in one turn.")
    errors: int = setting(5, "Calls in a row that may fail.")
    calls: int = setting(16, "Calls in one round; further calls are refused, and the model sees that.")

    def __post_init__(self) -> None:
        check_fields(self)
        # `ToolLimits` checks the numbers.
        _ = self.limits

    @property
    def limits(self) -> ToolLimits:
        """The limits in the form that `with_tools` takes."""
        return ToolLimits(timeout=self.timeout, rounds=self.rounds, errors=self.errors, calls=self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceConfig:
    """`[voice]`: transcription of voice messages; off without `model`."""

    model: str = setting("", "The model that transcribes, as its server calls it: whisper-1, ...")
    base_url: str = setting(
        "https://api.openai.com/v1", "A server with OpenAI's /audio/transcriptions; a local one needs no key."
    )
    key_name: str = setting("OPENAI_API_KEY", "The environment variable of the key.")
    key: str = setting("", "The secret itself; never read from the file.", repr=False)
    timeout: float = setting(30.0, "Seconds for one voice message.", minimum=1, maximum=300)
    price: float = setting(
        0.0,
        "What a minute costs, in the currency of the models' prices; it counts in the budget.",
        minimum=0,
        maximum=1000,
    )

    def __post_init__(self) -> None:
        check_fields(self)
        url = urlsplit(self.base_url)
        if url.scheme != "https" and (url.scheme != "http" or url.hostname not in _THIS_MACHINE):
            raise SettingsError("base_url", "an https address, or http on this machine", self.base_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModerationConfig:
    """`[moderation]`: filters for questions, before the model reads them, and for answers, before people do."""

    words: tuple[str, ...] = setting((), "Words and phrases that no question and no answer may contain.")
    endpoint: str = setting(
        "",
        "A server with OpenAI's /moderations, such as https://api.openai.com/v1; empty is none.",
    )
    model: str = setting("omni-moderation-latest", "The model of that server.")
    key_name: str = setting("OPENAI_API_KEY", "The environment variable of its key.")
    key: str = setting("", "The secret itself; never read from the file.", repr=False)
    questions: bool = setting(True, "Whether questions are checked.")
    answers: bool = setting(True, "Whether answers are checked, message by message.")
    fail_open: bool = setting(False, "Whether texts pass while that server cannot be reached.")

    def __post_init__(self) -> None:
        check_fields(self)
        check_variable("key_name", self.key_name)
        # Build them once now, so that a wrong address is reported when the file is read.
        try:
            self.moderators()
        except SettingsError as error:
            raise SettingsError(
                "endpoint" if error.field == "base_url" else error.field, error.allowed
            ) from None

    def moderators(self) -> tuple[Moderator, ...]:
        """Return the moderators in the order in which they are asked: cheap word lists first."""
        wanted: dict[ModerationStage, bool] = {"question": self.questions, "answer": self.answers}
        stages = tuple(stage for stage, is_wanted in wanted.items() if is_wanted)
        words = [WordList(self.words, stages=stages)] if self.words and stages else []
        if not self.endpoint or not stages:
            return tuple(words)
        server = HttpModerator(
            base_url=self.endpoint,
            key=self.key,
            model=self.model,
            fail_open=self.fail_open,
            stages=stages,
        )
        return (*words, server)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyConfig:
    """`[privacy]`: how long data about people is kept."""

    days: int = setting(
        90,
        "Days after which answers and the record of changes are deleted; 0 is never.",
        minimum=0,
        maximum=3650,
    )
    forget_left: bool = setting(
        True, "Whether everything of a server is deleted when the bot leaves it, its personas included."
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class DurabilityConfig:
    """`[durability]`: what survives a restart."""

    journal: bool = setting(
        True, "Whether answers are recorded as they arrive, so that they resume after a restart."
    )
    fsync: bool = setting(
        False,
        "Whether the record also survives a power loss; every message then waits for the disk.",
    )
    catch_up: float = setting(
        900.0,
        "After a restart, questions up to this many seconds old are answered; 0 is none.",
        minimum=0,
        maximum=86_400,
    )
    grace: float = setting(
        8.0,
        "Seconds that running answers have at a shutdown; they resume after the restart.",
        minimum=0,
        maximum=600,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """`[log]`: what an operator sees."""

    level: Literal["debug", "info", "warning", "error"] = setting(
        "info", "The lowest level that is written: debug, info, warning or error."
    )
    format: Literal["text", "json"] = setting(
        "text", "The form of each line: readable text, or a JSON object for log collectors."
    )
    text: bool = setting(False, "Whether the log may contain words of messages.")
    metrics_port: int = setting(
        0, "The port of http://127.0.0.1:PORT/metrics and /health; 0 is off.", minimum=0, maximum=65535
    )
    metrics_host: str = setting(
        "127.0.0.1",
        "Where that listens: 127.0.0.1 is for this machine only, 0.0.0.0 for all who reach it (containers).",
    )

    def __post_init__(self) -> None:
        check_fields(self)
        try:
            ip_address(self.metrics_host)
        except ValueError:
            allowed = "an IP address: 127.0.0.1, 0.0.0.0 or one of this machine"
            raise SettingsError("metrics_host", allowed, self.metrics_host) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """`[models.NAME]`: a model, its provider, and settings that are different for it."""

    name: str = setting("main", "The table's own name, which commands and personas use.")
    provider: str = setting(
        "openai",
        "Who serves the model: openai, anthropic, google, ollama, ... (`streamcord ask --help` lists all).",
    )
    model: str = setting("", "The model, as the provider calls it.")
    base_url: str = setting("", "The address of its API, if it is not the provider's usual one.")
    key_name: str = setting("", "The environment variable of the key; empty is the provider's usual one.")
    key: str = setting("", "The secret itself; never read from the file.", repr=False)
    allow_http: bool = setting(False, "Whether the key may travel to another machine without encryption.")
    images: bool = setting(True, "Whether it can see pictures.")
    tools: bool = setting(True, "Whether it can call tools.")
    fallback: tuple[str, ...] = setting(
        (), "Models that are asked when this one fails, by their names in this file."
    )
    allow: AccessList = setting(
        doc="Who may be answered by it: people, roles, channels, servers; all, if nothing is named.",
        factory=AccessList,
    )
    price: PriceConfig = setting(
        doc="What a million tokens cost: input, output, cached.", factory=PriceConfig
    )
    options: Options = setting(doc="How it answers: temperature, max_tokens, reasoning, ...", factory=Options)
    settings: Mapping[str, Any] = setting(
        doc="Fields of `Settings` that are different for this model.", factory=dict
    )

    def __post_init__(self) -> None:
        check_fields(self)
        check_variable("key_name", self.key_name)
        if self.provider not in PRESETS:
            raise SettingsError("provider", "one of " + ", ".join(PRESETS), self.provider)
        read_settings(self.settings)

    @property
    def secret_name(self) -> str:
        """The environment variable where the key is looked for."""
        return self.key_name or PRESETS[self.provider].key_name or KEY_NAME

    @property
    def needs_key(self) -> bool:
        """Whether the provider refuses requests without a key."""
        return bool(self.key_name or (PRESETS[self.provider].key_name and not self.base_url))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpriteConfig:
    """`[[personas.NAME.sprites]]`: one sprite."""

    name: str
    picture: str = setting(
        "", "A file beside the configuration, or an address that Discord can open.", repr=False
    )
    identity: bool = setting(False, "Whether it is shown as `sprite (Persona)`.")

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaConfig:
    """`[personas.NAME]`: a persona; added to the store at the start if it is not there yet."""

    name: str
    prompt: str = setting("", "The system prompt: who the model is.")
    words: tuple[str, ...] = setting((), "Other names to which it responds.")
    picture: str = setting(
        "", "A file beside the configuration, or an address that Discord can open.", repr=False
    )
    greeting: str = setting("", "What it says first.")
    model: str = setting("", "The model that speaks for it; empty is the first of the file.")
    alter: bool = setting(
        False, "Whether it always has a name and a picture of its own; else it speaks as the bot."
    )
    nsfw: bool = setting(False, "Whether it speaks only in age-restricted channels.")
    sprites: tuple[SpriteConfig, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        self.persona()

    def persona(self) -> Persona:
        """Return the persona as the library's value."""
        sprites = (
            Sprite(one.name, one.picture or None, one.identity, usable=_can_be_shown(one.picture))
            for one in self.sprites
        )
        return Persona(self.name, self.words, self.picture or None, tuple(sprites), self.alter)


def _can_be_shown(picture: str) -> bool:
    """Return whether a sprite can be shown: not if its picture is a file that could not be read."""
    return not picture or "://" in picture or picture.startswith("data:")


def is_address(picture: str) -> bool:
    """Return whether a picture is given as an address, and not as the name of a file."""
    return "://" in picture or picture.startswith("data:")


def with_local_pictures(persona: PersonaConfig, folder: Path) -> PersonaConfig:
    """Read picture files into `data:` addresses; a file that cannot be read stays a name."""
    sprites = tuple(replace(one, picture=_read(folder, one.picture)) for one in persona.sprites)
    return replace(persona, picture=_read(folder, persona.picture), sprites=sprites)


def _read(folder: Path, picture: str) -> str:
    if not picture or is_address(picture):
        return picture
    try:
        path = folder / picture
        return as_data_uri(path.read_bytes()) if path.stat().st_size <= MAX_PICTURE_BYTES else picture
    except (OSError, ValueError):
        return picture
