"""`streamcord-bot init`: asks a few questions and writes the configuration file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from streamcord import Settings, SettingsError
from streamcord.providers import PRESETS
from streamcord.settings import fields_of

from ..config import (
    AccessConfig,
    AccessList,
    AnswerConfig,
    BotConfig,
    BudgetConfig,
    ClusterConfig,
    ContextConfig,
    DiscordConfig,
    DurabilityConfig,
    LogConfig,
    ModelConfig,
    ModerationConfig,
    PersonaConfig,
    PriceConfig,
    PrivacyConfig,
    ServersConfig,
    ToolConfig,
    VoiceConfig,
)
from ..config.known_models import suggested_models
from ..config.table_reader import KEY_NAME, TOKEN_NAME

AskLine = Callable[[str], str]
"""Puts a question to a person and returns the line that they typed."""
ListModels = Callable[[str, str], Sequence[str]]
"""Returns the models that a provider (at an address, if not its own) offers; empty if it cannot be asked."""
SHOWN_MODELS = 12

# Providers that run on the operator's own machine, so that the address is asked for.
_LOCAL = ("ollama", "llamacpp", "vllm", "lmstudio", "custom")


@dataclass(frozen=True, slots=True)
class _Question:
    """One question, its default answer, and a check that returns an error for a bad answer."""

    text: str
    default: str
    describe_error: Callable[[str], str] = lambda _: ""


def default_choices(
    provider: str | None, model: str | None, persona: str | None, manner: str | None = None
) -> Choices:
    """The default answers, with what was given on the command line."""
    plain = Choices()
    provider = provider or plain.provider
    if provider not in PRESETS:
        raise SettingsError("--provider", "one of " + ", ".join(PRESETS), provider)
    persona = persona or plain.persona
    return replace(
        plain,
        provider=provider,
        model=model or suggested_models().get(provider, "default"),
        persona=persona,
        prompt=plain.prompt.replace(plain.persona, persona),
        manner=manner or plain.manner,
    )


def ask_choices(
    ask: AskLine,
    show: Callable[[str], None],
    start: Choices,
    list_models: ListModels = lambda _provider, _base_url: (),
    play_samples: Callable[[], object] = lambda: None,
) -> Choices:
    """Ask every question until its answer can be used; Enter takes the default in brackets.

    Args:
        ask: puts a question.
        show: shows a line.
        start: the answers in brackets.
        list_models: returns the models of a provider.
        play_samples: shows how an assistant and a persona answer, before the question which of them the bot is.

    """

    def put(question: _Question) -> str:
        while True:
            shown = f" [{question.default}]" if question.default else ""
            answer = ask(f"{question.text}{shown}: ").strip() or question.default
            problem = question.describe_error(answer)
            if not problem:
                return answer
            show(problem)

    provider = put(_Question(f"Provider ({', '.join(PRESETS)})", start.provider, _complain_provider))
    base_url = ""
    if provider in _LOCAL:
        base_url = put(_Question("Address of its API", PRESETS[provider].base_url, _complain_url))
        base_url = "" if base_url == PRESETS[provider].base_url else base_url
    usual = start.model if provider == start.provider else suggested_models().get(provider, "")
    if offered := list_models(provider, base_url):
        usual = usual if usual in offered else offered[0]
        show(f"Offered: {', '.join(offered[:SHOWN_MODELS])}{_rest(len(offered) - SHOWN_MODELS)}")
    model = put(_Question("Model", usual, _need("a model's name, as the provider calls it")))
    persona = put(_Question("Name of the persona", start.persona, _need("a name")))
    about = start.prompt.replace(start.persona, persona)
    prompt = put(_Question("Its instructions", about, _need("a sentence")))
    play_samples()
    manner = put(
        _Question(
            "Is this bot an assistant (one message that grows while the model writes) or a persona (a message per "
            "sentence, as people type)? Or a degree: 0 one text, 1 a message per line, 2 the same with pauses",
            start.manner,
            _complain_manner,
        )
    )
    return replace(
        start,
        provider=provider,
        base_url=base_url,
        model=model,
        persona=persona,
        prompt=prompt,
        manner=manner,
    )


DEFAULT_FILE = "streamcord.toml"
LIVE = frozenset({"assistant", "live"})
"""Answers that mean one message that grows, as `Settings.assistant()`."""
PERSONA = "persona"
"""The answer that means `Settings.persona()`: a message per sentence."""
_ASSISTANT = (
    '# For an assistant: `delivery = "live"` edits one message, `live_limit = 4000` lets it be longer.'
)


def _manner(manner: str) -> str:
    """How answers look, as lines of the file."""
    live = ['delivery = "live"', "live_limit = 4000"] if manner in LIVE else []
    degree = "0" if live else str(int(Settings.persona().degree)) if manner == PERSONA else manner
    return "\n".join([f"# {fields_of(Settings)['degree'].doc}", f"degree = {degree}", _ASSISTANT, *live])


def check_is_new(path: Path, *, force: bool = False) -> None:
    """Refuse to write over a file."""
    if path.exists() and not force:
        raise SettingsError(str(path), "a new file, but it exists already (--force replaces it)")


def write_config(path: Path, choices: Choices, *, force: bool = False) -> None:
    """Write the file; an existing file is only replaced with `force`."""
    check_is_new(path, force=force)
    text = write_template(choices)
    # Beside it first, so that a full disk never leaves half a file.
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def next_steps(path: Path, choices: Choices) -> str:
    """The next commands to run, as text."""
    key = PRESETS[choices.provider].key_name
    # A server of one's own may or may not want a key; presets of local servers never do.
    if not key and choices.provider == "custom":
        key = KEY_NAME
    lines = [
        f"Wrote {path}. Next:",
        f"  export {TOKEN_NAME}=...      # discord.com/developers, New Application, Bot, Reset Token",
    ]
    if key:
        why = "only if your server wants a key" if choices.provider == "custom" else "your key"
        lines.append(f"  export {key}=...      # {why}; it is never written into a file")
    chosen = "" if str(path) == DEFAULT_FILE else f" --config {path}"
    lines += [f"  streamcord-bot check{chosen}", f"  streamcord-bot run{chosen}"]
    return "\n".join(lines)


def _complain_provider(answer: str) -> str:
    return "" if answer in PRESETS else f"{answer} is not one of them."


def _complain_url(answer: str) -> str:
    return "" if answer.startswith(("http://", "https://")) else "An address begins with http:// or https://."


def _complain_manner(answer: str) -> str:
    known = {"0", "1", "2", "3", PERSONA, *LIVE}
    return "" if answer in known else "assistant or persona, or 0, 1, 2 or 3."


def _rest(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _need(what: str) -> Callable[[str], str]:
    return lambda answer: "" if answer else f"It needs {what}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The answers to the questions of `streamcord-bot init`."""

    provider: str = "openai"
    model: str = field(default_factory=lambda: suggested_models()["openai"])
    base_url: str = ""
    persona: str = "Luna"
    prompt: str = "You are Luna, a cheerful friend of everybody on this server. You keep answers short."
    manner: str = PERSONA
    """`assistant`, `persona`, or a degree."""


def write_template(choices: Choices) -> str:
    """Return the text of the file; it holds no secret."""
    model: dict[str, object] = {"provider": choices.provider, "model": choices.model}
    if choices.base_url:
        model["base_url"] = choices.base_url
        if _is_elsewhere(choices.base_url) and not PRESETS[choices.provider].key_name:
            model["allow_http"] = True  # a server of one's own, which gets no key
    template = files(__package__ or "").joinpath("config_template.txt").read_text("utf-8")
    return template.format(
        file=_keys(BotConfig, only=("locale", "store", "thought_log")),
        **{name: _keys(section, skip=("key",)) for name, section in _SECTIONS.items()},
        degree=_manner(choices.manner),
        servers=_keys(ServersConfig, skip=("maximum",)),
        access=_keys(AccessConfig, skip=_LISTS),
        listed=_keys(AccessList),
        model=_keys(
            ModelConfig, model, skip=("name", "key", "more_keys", "price", "options", "settings", "allow")
        ),
        price=_keys(PriceConfig),
        persona=_keys(
            PersonaConfig, {"name": choices.persona, "prompt": choices.prompt}, skip=("settings", "sprites")
        ),
    )


def _is_elsewhere(address: str) -> bool:
    """Whether a plain http address is that of another machine, or of the host of a container."""
    url = urlsplit(address)
    return url.scheme == "http" and url.hostname not in {"127.0.0.1", "localhost", "::1"}


# Tables that the file gets complete, with every key as a comment.
_SECTIONS = {
    "discord": DiscordConfig,
    "answer": AnswerConfig,
    "context": ContextConfig,
    "tools": ToolConfig,
    "voice": VoiceConfig,
    "budget": BudgetConfig,
    "moderation": ModerationConfig,
    "privacy": PrivacyConfig,
    "durability": DurabilityConfig,
    "cluster": ClusterConfig,
    "log": LogConfig,
}
_LISTS = ("allow", "block")


def _keys(
    cls: type[Any],
    chosen: Mapping[str, object] | None = None,
    *,
    only: Collection[str] = (),
    skip: Collection[str] = (),
) -> str:
    """The keys of a table, each with its meaning; what was not chosen is a comment with the default."""
    lines = []
    for name, spec in fields_of(cls).items():
        if name in skip or (only and name not in only):
            continue
        value = (chosen or {}).get(name)
        lines += [f"# {spec.doc}"] if spec.doc else []
        # A default that stays a comment follows later versions of the program.
        lines.append(f"# {name} = {_toml(spec.default)}" if value is None else f"{name} = {_toml(value)}")
    return "\n".join(lines)


def _toml(value: object) -> str:
    """Return a value in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_quoted(str(key))} = {_toml(one)}' for key, one in value.items())}}}"
    return str(value) if isinstance(value, int | float) else "[]"


def _quoted(text: str) -> str:
    """A TOML text of one line; control characters and quotes are escaped."""
    escaped = "".join(
        f"\\{letter}"
        if letter in '\\"'
        else f"\\u{ord(letter):04x}"
        if ord(letter) < 32 or ord(letter) == 127
        else letter
        for letter in text
    )
    return f'"{escaped}"'
