"""All settings: one frozen class per stage, each building on the one before, and one flat `Settings`.

The classes form a chain, so that `Settings` is flat for its users (a field has one name in Python, TOML,
batch lines and docs) while a stage that takes `Segmenting` can see its own fields and those before it,
but none that come later. Values are checked when settings are built, and never again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal, get_args, get_type_hints

from ._cast import Emoji, Person, Persona, Sprite, as_texts, as_value, as_values, build
from ._errors import SettingsError
from ._events import Degree, Speaker

__all__ = [
    "DISCORD_LIMIT",
    "STOP_CAP",
    "Capturing",
    "Delivering",
    "Emoji",
    "Normalizing",
    "Person",
    "Persona",
    "Planning",
    "Segmenting",
    "Settings",
    "Splitting",
    "Sprite",
    "Turning",
    "as_stop_strings",
]

DISCORD_LIMIT = 2000
STOP_CAP = 40
STOP_LENGTH = 200


def _number(default: float, least: float = 0, most: float = float("inf")) -> Any:  # noqa: ANN401
    """A numeric field with its allowed range."""
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True, slots=True, kw_only=True)
class Capturing:
    """Stage 5, first half: what is taken out of the text."""

    starts_in_thought: bool = False
    """The model begins inside a thought, without an opening tag."""
    capture_cap: int = _number(256 * 1024, 1024)
    """Characters of one captured block that are held before they leave as a piece."""
    answer_cap: int = _number(1024 * 1024)
    """Characters of one answer that are read before it is halted; 0 is no cap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segmenting(Capturing):
    """Stage 5, second half: where the text may be cut."""

    degree: Degree = Degree.MEDIUM
    """How human the delivery is: 0 NONE, 1 LIGHT, 2 MEDIUM, 3 HEAVY."""
    hold_length: int = _number(600, 1, 100_000)
    """Characters after which an opener without its closer was not an opener."""
    spoiler_length: int = _number(4000, 1, 100_000)
    """The same for spoilers, which may also run over blank lines."""
    list_hold: int = _number(600, 1, 100_000)
    """A list or quote longer than this is cut at its next item."""
    table_hold: int = _number(16_000, 1, 1_000_000)
    """A table longer than this goes on as another; one line of a list or quote is cut like prose."""
    overflow_target: int = _number(1000, 64, 100_000)
    """A line of prose is cut near this length when it has no end."""
    overflow_back: int = _number(300, 0, 100_000)
    """How far before the target a cut may lie."""
    overflow_forward: int = _number(200, 0, 100_000)
    """How far behind the target a cut may lie."""
    code_overflow: int = _number(15_000, 64, 1_000_000)
    """A code block longer than this is cut between lines, closed and reopened."""
    lists: Literal["together", "lines"] = "together"
    """Whether consecutive list items and quote lines share a message, or each line has its own."""
    sentence_ends: Literal["all", "period"] = "all"
    """Which marks end a sentence at degree 3: all of them, or only full stops."""
    auto_close: Literal["markdown", "all", "off"] = "markdown"
    """What is closed when the text ends inside it: Markdown, also quotes and brackets, nothing."""
    fences: Literal["meant", "next"] = "meant"
    """Where a code block ends: where its writer meant it to, or at the next three backticks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalizing(Segmenting):
    """Stage 6: in whose voice, and what is cleaned."""

    persona: Persona | None = None
    """Who speaks; its name before a line is a label and not shown."""
    rules: bool = True
    """Whether the rules of stage 6 run at all."""
    tables: Literal["picture", "code", "off"] = "picture"
    """What becomes of a table: a picture, a code block with aligned columns, or nothing."""
    personas: tuple[Persona, ...] = ()
    """The other personas of the conversation, whose faces may be worn and whose words are not ours."""
    people: tuple[Person, ...] = ()
    """The people of the conversation, or of the server, who may be mentioned."""
    emoji: tuple[Emoji, ...] = ()
    """The server's custom emoji; without any, shortcodes and tags stay as they are."""
    emoji_usage: bool = True
    """Whether the bot uses emoji; if not, all of them are removed."""
    emoji_preserve_unresolved_shortcodes: bool = False
    """Whether shortcodes and tags that the server does not know stay."""
    emoji_unique_lookback: int = _number(5, 0, 1000)
    """How many of our recent messages are searched for custom emoji that would be repeats; 0 is none."""
    recent_messages: tuple[str, ...] = ()
    """Our own last messages before this turn, the newest last."""
    uncensor_unicode_space: bool = False
    """Whether the blank U+2800 becomes a space."""
    uncensor_sanitize: bool = False
    """Whether middle dots U+00B7 inside of words are removed."""
    prefill: str = ""
    """What the answer was made to begin with; shown once, and stripped where the model repeats it."""
    stop_strings: tuple[str, ...] = ()
    """Texts at which the answer ends, up to 40 of up to 200 characters; `stop_strings` is for the request."""
    speaker_guard: Literal["off", "known", "any"] = "off"
    """Which label of another speaker at the start of a line ends the answer: none, a known one, any."""
    speaker_label_length: int = _number(64, 1, 1000)
    """Characters of a speaker's label or of a render modifier, at most."""
    webhook_name_length: int = _number(80, 10, 80)
    """Characters of the name that a message is sent under, at most."""
    adapt: bool = True
    """Whether Markdown that Discord cannot show becomes what it can show."""
    last_look: Speaker | None = None
    """The speaker of our last message, if it is fresh and nobody wrote since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Splitting(Normalizing):
    """Stage 7, first half: what one message may hold."""

    message_length: int = _number(1950, 32, DISCORD_LIMIT)
    """Code points of one message, at most."""
    emoji_run_prefix_length: int = _number(3, 1, 32)
    """Consecutive custom emoji share a message while their names share this many letters."""
    join: Literal["as_written", "blank_line"] = "as_written"
    """How the lines of one text are joined at degree 0."""
    humanize: bool = True
    """Whether degree 3 also changes the text: lower case, fewer commas."""
    comma_removed: float = _number(0.4, 0, 1)
    """Chance that the humanizer removes a comma."""
    comma_break: float = _number(0.2, 0, 1)
    """Chance that the humanizer breaks the message at a comma."""
    exclamation_break: float = _number(0.5, 0, 1)
    """Chance that it breaks after `!` and `?`, when `sentence_ends` is `period`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning(Splitting):
    """Stage 7, second half: when it is sent, and how much."""

    typing: Literal["auto", "on", "off"] = "auto"
    """Whether messages wait as if typed; `auto` is on for degrees 2 and 3."""
    seconds_per_character: float = _number(0.010, 0, 10)
    """Typing speed."""
    typing_floor: float = _number(0.750, 0, 60)
    """The shortest wait before a message that is not the first."""
    typing_cap: float = _number(4.0, 0, 60)
    """The longest wait, thinking pauses aside."""
    pause_chance: float = _number(0.25, 0, 1)
    """Chance of a thinking pause before a message."""
    pause_least: float = _number(0.25, 0, 60)
    """The shortest thinking pause."""
    pause_most: float = _number(1.5, 0, 60)
    """The longest thinking pause."""
    message_cap: int = _number(40)
    """Messages of one turn before it is halted for safety; 0 is no cap."""
    send_message_limit: int = _number(0)
    """Messages of one turn before it ends silently; 0 is no limit."""
    queue_length: int = _number(8, 1, 100)
    """Full messages that may wait at degree 0 before they are released early."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turning(Planning):
    """Stage 4: how long a turn waits, and for what."""

    idle_timeout: float = _number(120.0, 0.001, 86_400)
    """Seconds without a sign of life after which a source is silent."""
    silence_timeout: float = _number(300.0, 0.001, 86_400)
    """Seconds of nothing but signs of life after which it is silent too."""
    closing_timeout: float = _number(5.0, 0.001, 600)
    """Seconds that a source or a message in flight may take to end when the turn must."""
    outbox_length: int = _number(64 * 1024, 1)
    """Characters of messages that may wait before the source is not read on."""
    rest_as_file: bool = True
    """Whether what the message cap holds back is sent as one text file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivering(Turning):
    """Stage 7, the way out: whom a message may reach, and how hard it is tried."""

    mentions: Literal["resolved", "nobody", "users", "users_and_roles"] = "resolved"
    """Who may be pinged: those of `people` whom a message names, nobody, any user it names, roles as well."""
    reply_ping: bool = False
    """Whether the author of the message replied to is pinged."""
    previews: Literal["auto", "off"] = "auto"
    """Whether links show a preview."""
    merge: Literal["auto", "off"] = "auto"
    """Whether messages that Discord's rate limits made late are joined into fewer."""
    blocked: Literal["stop", "continue"] = "stop"
    """Whether the answer ends or goes on when the server's filter blocks a part of it."""
    delivery_timeout: float = _number(120.0, 0, 3600)
    """Seconds for which one message is tried while Discord does not answer or is busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(Delivering):
    """Everything that can be set, flat, with the defaults of the house."""

    def __post_init__(self) -> None:
        for name, kind in _VALUES.items():
            object.__setattr__(self, name, as_value(kind, name, getattr(self, name)))
        for name, kind in _LISTS.items():
            object.__setattr__(self, name, as_values(kind, name, getattr(self, name)))
        object.__setattr__(self, "recent_messages", as_texts("recent_messages", self.recent_messages))
        object.__setattr__(self, "stop_strings", as_stop_strings("stop_strings", self.stop_strings))
        object.__setattr__(self, "degree", _degree(self.degree))
        for spec in fields(self):
            _check(spec, getattr(self, spec.name))
        if self.pause_most < self.pause_least:
            raise SettingsError("pause_most", f"at least pause_least ({self.pause_least})", self.pause_most)
        if self.overflow_back >= self.overflow_target:
            raise SettingsError("overflow_back", "less than overflow_target", self.overflow_back)
        if self.comma_removed + self.comma_break > 1:
            raise SettingsError("comma_break", "at most 1 - comma_removed", self.comma_break)

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from a TOML table or a JSON object, whose keys are the field names."""
        return build(cls, "settings", values)


def as_stop_strings(where: str, values: object) -> tuple[str, ...]:
    """A list of stop strings, without repeats, in its order."""
    kept = tuple(dict.fromkeys(as_texts(where, values)))
    if len(kept) > STOP_CAP:
        raise SettingsError(where, f"at most {STOP_CAP} texts", len(kept))
    for value in kept:
        if not 1 <= len(value) <= STOP_LENGTH:
            raise SettingsError(where, f"texts of 1 to {STOP_LENGTH} characters", len(value))
    return kept


def _degree(value: object) -> Degree:
    if isinstance(value, str) and value.upper() in Degree.__members__:
        return Degree[value.upper()]
    if isinstance(value, int) and not isinstance(value, bool) and value in {0, 1, 2, 3}:
        return Degree(value)
    raise SettingsError("degree", "0 to 3, or NONE, LIGHT, MEDIUM, HEAVY", value)


def _check(spec: Field[Any], value: object) -> None:
    """One field against its annotation and its range."""
    hint = _HINTS[spec.name]
    if hint is bool:
        if not isinstance(value, bool):
            raise SettingsError(spec.name, "true or false", value)
    elif hint in (int, float):
        _check_number(spec, hint, value)
    elif (choices := get_args(hint)) and all(isinstance(choice, str) for choice in choices):
        if value not in choices:
            raise SettingsError(spec.name, " or ".join(choices), value)
    elif hint is str and not isinstance(value, str):
        raise SettingsError(spec.name, "a text", value)


def _check_number(spec: Field[Any], hint: type, value: object) -> None:
    kinds: tuple[type, ...] = (int,) if hint is int else (int, float)
    least, most = spec.metadata["least"], spec.metadata["most"]
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        whole = "a whole number" if hint is int else "a number"
        reach = f"of at least {least}" if most == float("inf") else f"from {least} to {most}"
        raise SettingsError(spec.name, f"{whole} {reach}", value)


_HINTS = get_type_hints(Settings)
_VALUES: dict[str, type[Any]] = {"persona": Persona, "last_look": Speaker}
_LISTS: dict[str, type[Any]] = {"personas": Persona, "people": Person, "emoji": Emoji}
