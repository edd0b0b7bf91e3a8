"""The settings that `/settings` can change, and the conversion between typed text and stored values.

The catalog is derived from the fields of `Settings`, `AnswerContext`, `[answer]` and `[context]`, plus `thought_log`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Literal, get_args, get_origin

from streamcord import AnswerContext, Degree, Settings, SettingsError
from streamcord.settings import FieldSpec, convert, fields_of

from .answer import AnswerConfig
from .bot_config import BotConfig
from .context import ContextConfig
from .server_limits import LIST_CAP, ServersConfig, clamp, find_maximum, find_minimum

_SECTIONS = {"answer": AnswerConfig, "context": ContextConfig}
_BOOLEAN_WORDS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
# Fields that the bot fills in for each answer.
_COMPUTED = {"recent_messages", "secrets"}
_SIMPLE = (bool, int, float, str, Degree)
_TEXT_LENGTH = 1000


@cache
def all_settings() -> Mapping[str, FieldSpec]:
    """Return all settings by name; those of a section have its name in front: `answer.debounce`."""
    own = {**fields_of(Settings), **fields_of(AnswerContext)}
    found = [spec for spec in own.values() if spec.name not in _COMPUTED]
    for prefix, section in _SECTIONS.items():
        found += [replace(spec, name=f"{prefix}.{spec.name}") for spec in fields_of(section).values()]
    found.append(fields_of(BotConfig)["thought_log"])
    return {spec.name: spec for spec in found if _is_for_people(spec.hint)}


def _is_for_people(hint: object) -> bool:
    """Return whether a setting can be typed; personas, people and emoji are computed for each answer."""
    if get_origin(hint) is tuple:
        return get_args(hint)[0] in (int, str)
    return hint in _SIMPLE or get_origin(hint) is Literal


# --- Typed text --------------------------------------------------------------------------------------


def suggest_values(spec: FieldSpec) -> list[str]:
    """Return the values to choose from if there are only a few, else the default."""
    return list_values(spec) or [show_value(spec.default)]


def list_values(spec: FieldSpec) -> list[str]:
    """Return all values if there are only a few, else an empty list."""
    if spec.hint is bool:
        return ["true", "false"]
    if spec.hint is Degree:
        return [f"{degree.value} {degree.name}" for degree in Degree]
    return list(get_args(spec.hint)) if get_origin(spec.hint) is Literal else []


def parse_value(spec: FieldSpec, text: str) -> Any:  # noqa: ANN401 - follows the annotation
    """Convert typed text to the setting's type; text that does not fit stays text, for `check_value` to refuse."""
    typed = text.strip()
    if spec.hint is bool:
        return _BOOLEAN_WORDS.get(typed.casefold(), typed)
    if spec.hint is Degree:
        # `2 MEDIUM`, as it is suggested, is a 2.
        return _number(int, typed.partition(" ")[0])
    # `<#123>` is how Discord's client sends the mention of a channel.
    if spec.hint in (int, float):
        return _number(spec.hint, typed.strip("<#>"))
    if get_origin(spec.hint) is tuple:
        inner = get_args(spec.hint)[0]
        pieces = [piece.strip() for piece in typed.split(",") if piece.strip()][:LIST_CAP]
        return [_number(int, piece.strip("<#>")) if inner is int else piece for piece in pieces]
    return text[:_TEXT_LENGTH] if spec.hint is str else typed


def _number(kind: type[int] | type[float], text: str) -> object:
    # Shortened, since Python takes quadratic time for numbers of many digits.
    try:
        return kind(text[:40])
    except ValueError:
        return text


def show_value(value: object) -> str:
    """Format a value as a user would type it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Degree):
        return f"{value.value} {value.name}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "-"
    return f"{value:g}" if isinstance(value, float) else str(value) or "-"


# --- Checks before a value is stored -----------------------------------------------------------------


def check_value(spec: FieldSpec, value: object, around: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return a value in the form that the store keeps.

    Args:
        spec: the setting.
        value: the value to check.
        around: all other values that apply in the same place.

    Raises:
        SettingsError: the value does not fit, alone or with the others.

    """
    kept = convert(spec, spec.name, value)
    if spec.name in fields_of(Settings):
        # Some settings limit each other, so all of them are checked together.
        known = {key: one for key, one in around.items() if key in fields_of(Settings)}
        kept = getattr(Settings.from_mapping({**known, spec.name: kept}), spec.name)
    # The store keeps JSON values.
    if isinstance(kept, Degree):
        return int(kept)
    return list(kept) if isinstance(kept, tuple) else kept


def check_bound(spec: FieldSpec, value: object, given: object, config: ServersConfig, guild: int = 0) -> None:
    """Raise `SettingsError` for a value beyond what the bot's file allows this server to set."""
    bound = clamp(config, spec.name, value, given, guild)
    if bound != value:
        if bound == find_minimum(spec.name, given):
            raise SettingsError(spec.name, f"at least {show_value(bound)}", value)
        maximum = find_maximum(config, spec.name, given, guild)
        words = show_value(maximum) if isinstance(maximum, bool) else f"at most {show_value(maximum)}"
        raise SettingsError(spec.name, f"{words}, as the bot's file says", value)
