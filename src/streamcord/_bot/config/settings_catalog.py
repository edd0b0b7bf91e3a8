"""Every setting that a server may change, as data: its name, what it means, what it takes.

Nothing is listed twice: names, kinds and ranges are those of the fields of `Settings`, `AnswerConfig` and
`ContextConfig`, and each meaning is the line below its field in the source.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from streamcord import Degree, Settings, SettingsError

from .sections import AnswerConfig, ContextConfig
from .toml_tables import read_value

__all__ = ["Setting", "check", "check_bound", "parse", "setting_book", "show_value"]

_SECTIONS = {"answer": AnswerConfig, "context": ContextConfig}
_SWITCHES = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
_FOUND_OUT = {"recent_messages"}
_BOUNDED = frozenset({
    *("answer_cap", "capture_cap", "outbox_length", "idle_timeout", "silence_timeout", "closing_timeout"),
    *("context.tokens", "context.messages", "context.images", "context.file_length", "context.memory"),
    *("answer.bot_rounds", "answer.empty_retries"),
})  # fmt: skip
"""What costs whoever runs the bot memory, time or money: a server may have less of it than the file says."""
_SIMPLE = (bool, int, float, str, Degree)
_LIST_CAP = 50
_TEXT_LENGTH = 1000


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be set."""

    name: str
    kind: Any
    """The annotation of its field."""
    default: Any
    meaning: str
    least: float | None = None
    most: float | None = None

    @property
    def suggestions(self) -> list[str]:
        """Values to choose from, if there are only a few; else the default."""
        if self.kind is bool:
            return ["true", "false"]
        if self.kind is Degree:
            return [f"{degree.value} {degree.name}" for degree in Degree]
        if get_origin(self.kind) is Literal:
            return [str(value) for value in get_args(self.kind)]
        return [show_value(self.default)]

    @property
    def takes(self) -> str:
        """What it takes, in words."""
        if self.kind in (int, float) and self.least is not None:
            most = "" if self.most in (None, float("inf")) else f" to {self.most:g}"
            return f"{self.least:g}{most or ' or more'}"
        if get_origin(self.kind) is tuple:
            return "a list, with commas between"
        return "any text" if self.kind is str else " | ".join(self.suggestions)


@cache
def setting_book() -> Mapping[str, Setting]:
    """All of them by name; those of a section are called `answer.gather`."""
    book = {setting.name: setting for setting in _read(Settings, "")}
    for prefix, section in _SECTIONS.items():
        book.update((setting.name, setting) for setting in _read(section, f"{prefix}."))
    thought_log = Setting(
        "thought_log", int, 0, "The channel that gets what the model thought; 0 is none.", 0
    )
    return {**book, thought_log.name: thought_log}


def _read(cls: type[Any], prefix: str) -> list[Setting]:
    hints, meanings = get_type_hints(cls), _meanings(cls)
    return [
        Setting(
            prefix + spec.name,
            hints[spec.name],
            spec.default if spec.default is not MISSING else (),
            meanings.get(spec.name, ""),
            spec.metadata.get("least"),
            spec.metadata.get("most"),
        )
        for spec in fields(cls)
        if spec.name not in _FOUND_OUT and _is_for_people(hints[spec.name])
    ]


def _is_for_people(hint: object) -> bool:
    """Who speaks and who listens is found out for each answer, and not set."""
    if get_origin(hint) is tuple:
        return get_args(hint)[0] in (int, str)
    return hint in _SIMPLE or get_origin(hint) is Literal


def _meanings(cls: type[Any]) -> dict[str, str]:
    """The line below each field, of the class and those it builds on."""
    found: dict[str, str] = {}
    for one in reversed(cls.__mro__[:-1]):
        body = ast.parse(textwrap.dedent(inspect.getsource(one))).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, below in zip(body.body, body.body[1:], strict=False):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = text
    return found


# --- Values ---------------------------------------------------------------------------------------


def parse(setting: Setting, text: str) -> Any:  # noqa: ANN401 - follows the setting's kind
    """What somebody typed, as the setting's kind of value; what does not fit is left as it is."""
    typed = text.strip()
    if setting.kind is bool:
        return _SWITCHES.get(typed.casefold(), typed)
    if setting.kind is Degree:
        # `2 MEDIUM`, as it is suggested, is a 2.
        return _number(int, typed.partition(" ")[0])
    if setting.kind in (int, float):
        return _number(setting.kind, typed.strip("<#>"))
    if get_origin(setting.kind) is tuple:
        inner = get_args(setting.kind)[0]
        pieces = [piece.strip() for piece in typed.split(",") if piece.strip()][:_LIST_CAP]
        return [_number(int, piece.strip("<#>")) if inner is int else piece for piece in pieces]
    return text[:_TEXT_LENGTH] if setting.kind is str else typed


def _number(kind: type[int] | type[float], text: str) -> object:
    try:
        return kind(text[:40])
    except ValueError:
        return text


def check_bound(setting: Setting, value: object, given: object) -> None:
    """Refuse more than the file gives, where that is for whoever runs the bot to decide."""
    if setting.name not in _BOUNDED:
        return
    assert isinstance(value, (int, float))
    assert isinstance(given, (int, float))
    # An answer without a cap is the longest of all.
    asked, most = (one or float("inf") if setting.name == "answer_cap" else one for one in (value, given))
    if asked > most:
        raise SettingsError(setting.name, f"at most {show_value(given)}, as the bot's file says", value)


def check(setting: Setting, value: object, around: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """The value as it is kept, or a `SettingsError`; `around` is everything else that counts in its place."""
    section, _, field = setting.name.rpartition(".")
    if section:
        return _check_section(_SECTIONS[section], setting, field, value)
    if setting.name == "thought_log":
        if not isinstance(value, int) or value < 0:
            raise SettingsError(setting.name, "a channel, or 0 for none", value)
        return value
    known = {spec.name for spec in fields(Settings)}
    settings = Settings.from_mapping(
        {**{key: one for key, one in around.items() if key in known}, setting.name: value}
    )
    kept = getattr(settings, setting.name)
    return int(kept) if isinstance(kept, Degree) else kept


def _check_section(cls: type[Any], setting: Setting, field: str, value: object) -> object:
    try:
        read = read_value(setting.kind, "", setting.name, value)
        replace(cls(), **{field: read})
    except SettingsError as error:
        raise SettingsError(setting.name, error.allowed, value) from None
    return list(read) if isinstance(read, tuple) else read


def show_value(value: object) -> str:
    """A value as somebody would type it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Degree):
        return f"{value.value} {value.name}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "-"
    return f"{value:g}" if isinstance(value, float) else str(value) or "-"
