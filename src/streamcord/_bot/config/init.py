"""`streamcord init`: a few questions, and the file that follows from the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from streamcord import SettingsError
from streamcord.providers import PRESETS

from .config_template import Choices, write_template
from .environment import KEY_NAME, TOKEN_NAME

__all__ = ["Ask", "ask_choices", "found", "next_steps", "usual_choices"]

Ask = Callable[[str], str]
"""Puts a question to a person and returns the line that they typed."""

_MODELS = {
    "openai": "gpt-5-mini",
    "openai-responses": "gpt-5-mini",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
    "novelai": "glm-4-6",
    "openrouter": "qwen/qwen3-235b-a22b",
    "deepseek": "deepseek-chat",
    "nvidia": "meta/llama-3.3-70b-instruct",
    "zai": "glm-4.6",
    "ollama": "qwen3",
}
_LOCAL = ("ollama", "llamacpp", "vllm", "lmstudio", "custom")


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, and what is wrong with an answer, if anything."""

    text: str
    default: str
    complain: Callable[[str], str] = lambda _: ""


def usual_choices(provider: str | None, model: str | None, persona: str | None) -> Choices:
    """The defaults, as far as the command line does not say otherwise."""
    plain = Choices()
    provider = provider or plain.provider
    if provider not in PRESETS:
        raise SettingsError("--provider", "one of " + ", ".join(PRESETS), provider)
    persona = persona or plain.persona
    return replace(
        plain,
        provider=provider,
        model=model or _MODELS.get(provider, "default"),
        persona=persona,
        prompt=plain.prompt.replace(plain.persona, persona),
    )


def ask_choices(ask: Ask, tell: Callable[[str], None], start: Choices) -> Choices:
    """Ask until every answer can be used; Enter takes what stands in brackets."""

    def put(question: _Question) -> str:
        while True:
            shown = f" [{question.default}]" if question.default else ""
            answer = ask(f"{question.text}{shown}: ").strip() or question.default
            complaint = question.complain(answer)
            if not complaint:
                return answer
            tell(complaint)

    provider = put(_Question(f"Provider ({', '.join(PRESETS)})", start.provider, _complain_provider))
    base_url = ""
    if provider in _LOCAL:
        base_url = put(_Question("Address of its API", PRESETS[provider].base_url, _complain_url))
        base_url = "" if base_url == PRESETS[provider].base_url else base_url
    usual = start.model if provider == start.provider else _MODELS.get(provider, "")
    model = put(_Question("Model", usual, _need("a model's name, as the provider calls it")))
    persona = put(_Question("Name of the persona", start.persona, _need("a name")))
    about = start.prompt.replace(start.persona, persona)
    prompt = put(_Question("What it is told about itself", about, _need("a sentence")))
    degree = put(
        _Question("How human (0 one text .. 3 sentence by sentence)", str(start.degree), _complain_degree)
    )
    return replace(
        start,
        provider=provider,
        base_url=base_url,
        model=model,
        persona=persona,
        prompt=prompt,
        degree=int(degree),
    )


def found(path: Path, choices: Choices, *, force: bool = False) -> None:
    """Write the file; one that is there stays, unless it is forced."""
    if path.exists() and not force:
        raise SettingsError(str(path), "a new file (--force writes over it)", "one that is there")
    text = write_template(choices)
    # Beside it first, so that a full disk never leaves half a file.
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def next_steps(path: Path, choices: Choices) -> str:
    """What is left to do, as commands."""
    key = PRESETS[choices.provider].key_name
    if not key and choices.provider == "custom":
        key = KEY_NAME
    lines = [
        f"Wrote {path}. Next:",
        f"  export {TOKEN_NAME}=...      # discord.com/developers, New Application, Bot, Reset Token",
    ]
    if key:
        lines.append(f"  export {key}=...      # your key; it is never written into a file")
    lines += [f"  streamcord check --config {path}", f"  streamcord bot --config {path}"]
    return "\n".join(lines)


def _complain_provider(answer: str) -> str:
    return "" if answer in PRESETS else f"{answer} is not one of them."


def _complain_url(answer: str) -> str:
    return "" if answer.startswith(("http://", "https://")) else "An address begins with http:// or https://."


def _complain_degree(answer: str) -> str:
    return "" if answer in {"0", "1", "2", "3"} else "0, 1, 2 or 3."


def _need(what: str) -> Callable[[str], str]:
    return lambda answer: "" if answer else f"It needs {what}."
