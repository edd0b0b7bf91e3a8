"""All settings: one frozen class per stage, each building on the one before, and one flat `Settings`.

The classes form a chain, so that `Settings` is flat for its users (a field has one name in Python, TOML,
batch lines and docs) while a stage that takes `Segmenting` can see its own fields and those before it,
but none that come later. Values are checked when settings are built, and never again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ._cast import Emoji, Person, Persona, Sprite
from ._errors import SettingsError
from ._events import Degree, Speaker
from ._shared.fields import build, check_fields, describe_fields, setting

__all__ = [
    "DISCORD_LIMIT",
    "LIVE_LIMIT",
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
LIVE_LIMIT = 4000
"""What the texts of a message of Components V2 may hold together."""
STOP_CAP = 40
STOP_LENGTH = 200


# Only `Settings` is shown and compared; what the parts of it do not need is not made at every import.
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Capturing:
    """Stage 5, first half: what is taken out of the text."""

    starts_in_thought: bool = setting(False, "The model begins inside a thought, without an opening tag.")
    capture_cap: int = setting(
        256 * 1024,
        "Characters of one captured block that are held before they leave as a piece.",
        least=1024,
        most=64 * 1024 * 1024,
    )
    secrets: tuple[str, ...] = setting(
        (),
        "Keys and passwords of your own, of which nobody is ever shown 8 characters or more.",
        repr=False,
    )
    answer_cap: int = setting(
        1024 * 1024,
        "Characters of one answer that are read before it is halted; 0 is no cap.",
        least=0,
        most=1024 * 1024 * 1024,
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Segmenting(Capturing):
    """Stage 5, second half: where the text may be cut."""

    degree: Degree | Literal[0, 1, 2, 3] = setting(
        Degree.MEDIUM,
        "How human it looks: 0 one text, 1 a message per line, 2 the same with pauses, 3 one per sentence.",
    )
    hold_length: int = setting(
        600, "Characters after which an opener without its closer was not an opener.", least=1, most=100_000
    )
    spoiler_length: int = setting(
        4000, "The same for spoilers, which may also run over blank lines.", least=1, most=100_000
    )
    list_hold: int = setting(
        600, "A list or quote longer than this is cut at its next item.", least=1, most=100_000
    )
    table_hold: int = setting(
        16_000,
        "A table longer than this goes on as another; one line of a list or quote is cut like prose.",
        least=1,
        most=1_000_000,
    )
    overflow_target: int = setting(
        1000, "A line of prose is cut near this length when it has no end.", least=64, most=100_000
    )
    overflow_back: int = setting(300, "How far before the target a cut may lie.", least=0, most=100_000)
    overflow_forward: int = setting(200, "How far behind the target a cut may lie.", least=0, most=100_000)
    code_overflow: int = setting(
        15_000,
        "A code block longer than this is cut between lines, closed and reopened.",
        least=64,
        most=1_000_000,
    )
    lists: Literal["together", "lines"] = setting(
        "together",
        "Whether consecutive list items and quote lines share a message, or each line has its own.",
    )
    sentence_ends: Literal["all", "period"] = setting(
        "all", "Which marks end a sentence at degree 3: all of them, or only full stops."
    )
    clause_trim: bool = setting(False, "Whether a clause that a tool call interrupts is left out.")
    headings: Literal["together", "alone"] = setting(
        "together", "Whether a heading shares a message with what it heads, and a rule with what follows it."
    )
    auto_close: Literal["markdown", "all", "off"] = setting(
        "markdown",
        "What is closed when the text ends inside it: Markdown, also quotes and brackets, nothing.",
    )
    fences: Literal["meant", "next"] = setting(
        "meant", "Where a code block ends: where its writer meant it to, or at the next three backticks."
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Normalizing(Segmenting):
    """Stage 6: in whose voice, and what is cleaned."""

    persona: Persona | None = setting(None, "Who speaks; its name before a line is a label and not shown.")
    rules: bool = setting(True, "Whether the rules of stage 6 run at all.")
    tables: Literal["picture", "card", "code", "off"] = setting(
        "picture",
        "What becomes of a table: a picture, a card with picture, rows as text and a button for its source, "
        "a code block with aligned columns, or nothing.",
    )
    personas: tuple[Persona, ...] = setting(
        (), "The other personas of the conversation, whose faces may be worn and whose words are not ours."
    )
    copied_looks: Literal["all", "personas", "off"] = setting(
        "all",
        "Whose name and face `Luna (Rex): ` may borrow: those of other personas and of people, of personas "
        "only, or nobody's.",
    )
    people: tuple[Person, ...] = setting(
        (), "The people of the conversation, or of the server, who may be mentioned."
    )
    emoji: tuple[Emoji, ...] = setting(
        (), "The server's custom emoji; without any, shortcodes and tags stay as they are."
    )
    emoji_usage: bool = setting(True, "Whether the bot uses emoji; if not, all of them are removed.")
    emoji_preserve_unresolved_shortcodes: bool = setting(
        False, "Whether shortcodes and tags that the server does not know stay."
    )
    emoji_unique_lookback: int = setting(
        5,
        "How many of our recent messages are searched for custom emoji that would be repeats; 0 is none.",
        least=0,
        most=1000,
    )
    recent_messages: tuple[str, ...] = setting((), "Our own last messages before this turn, the newest last.")
    uncensor_unicode_space: bool = setting(False, "Whether the blank U+2800 becomes a space.")
    uncensor_sanitize: bool = setting(False, "Whether middle dots U+00B7 inside of words are removed.")
    prefill: str = setting(
        "", "What the answer was made to begin with; shown once, and stripped where the model repeats it."
    )
    stop_strings: tuple[str, ...] = setting(
        (),
        "Texts at which the answer ends: up to 40 of up to 200 characters.",
    )
    speaker_guard: Literal["off", "known", "any", "label"] = setting(
        "off",
        "Which label of another speaker at the start of a line ends the answer: none, a known name, "
        "any name, whatever stands before a colon.",
    )
    speaker_label_length: int = setting(
        64, "Characters of a speaker's label or of a render modifier, at most.", least=1, most=1000
    )
    webhook_name_length: int = setting(
        80, "Characters of the name that a message is sent under, at most.", least=10, most=80
    )
    links: Literal["all", "known", "none"] = setting(
        "all",
        "Which links can be clicked: all, those to `link_hosts`, or none; of others people see the address.",
    )
    link_hosts: tuple[str, ...] = setting(
        (), "Hosts to which links may lead when `links` is `known`, such as example.com, with all below them."
    )
    adapt: bool = setting(True, "Whether Markdown that Discord cannot show becomes what it can show.")
    last_look: Speaker | None = setting(
        None, "The speaker of our last message, if it is fresh and nobody wrote since."
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Splitting(Normalizing):
    """Stage 7, first half: what one message may hold."""

    message_length: int = setting(1950, "Code points of one message, at most.", least=32, most=DISCORD_LIMIT)
    emoji_run_prefix_length: int = setting(
        3,
        "Consecutive custom emoji share a message while their names share this many letters.",
        least=1,
        most=32,
    )
    join: Literal["as_written", "blank_line"] = setting(
        "as_written", "How the lines of one text are joined at degree 0."
    )
    humanize: bool = setting(True, "Whether degree 3 also changes the text: lower case, fewer commas.")
    comma_removed: float = setting(0.4, "Chance that the humanizer removes a comma.", least=0, most=1)
    comma_break: float = setting(
        0.2, "Chance that the humanizer breaks the message at a comma.", least=0, most=1
    )
    exclamation_break: float = setting(
        0.5, "Chance that it breaks after `!` and `?`, when `sentence_ends` is `period`.", least=0, most=1
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Planning(Splitting):
    """Stage 7, second half: when it is sent, and how much."""

    typing: Literal["auto", "on", "off"] = setting(
        "auto", "Whether messages wait as if typed; `auto` is on for degrees 2 and 3."
    )
    seconds_per_character: float = setting(0.010, "Typing speed.", least=0, most=10)
    typing_floor: float = setting(
        0.750, "The shortest wait before a message that is not the first.", least=0, most=60
    )
    typing_cap: float = setting(4.0, "The longest wait, thinking pauses aside.", least=0, most=60)
    pause_chance: float = setting(0.25, "Chance of a thinking pause before a message.", least=0, most=1)
    pause_least: float = setting(0.25, "The shortest thinking pause.", least=0, most=60)
    pause_most: float = setting(1.5, "The longest thinking pause.", least=0, most=60)
    message_cap: int = setting(
        40, "Messages of one turn before it is halted for safety; 0 is no cap.", least=0, most=100_000
    )
    send_message_limit: int = setting(
        0, "Messages of one turn before it ends silently; 0 is no limit.", least=0, most=100_000
    )
    queue_length: int = setting(
        8, "Full messages that may wait at degree 0 before they are released early.", least=1, most=100
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Turning(Planning):
    """Stage 4: how long a turn waits, and for what."""

    idle_timeout: float = setting(
        120.0, "Seconds without a sign of life after which a source is silent.", least=0.001, most=86_400
    )
    silence_timeout: float = setting(
        300.0, "Seconds of nothing but signs of life after which it is silent too.", least=0.001, most=86_400
    )
    closing_timeout: float = setting(
        5.0,
        "Seconds that a source or a message in flight may take to end when the turn must.",
        least=0.001,
        most=600,
    )
    outbox_length: int = setting(
        64 * 1024,
        "Characters of messages that may wait before the source is not read on.",
        least=1,
        most=1024 * 1024 * 1024,
    )
    rest_as_file: bool = setting(True, "Whether what the message cap holds back is sent as one text file.")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Delivering(Turning):
    """Stage 7, the way out: whom a message may reach, and how hard it is tried."""

    delivery: Literal["bubbles", "live"] = setting(
        "bubbles",
        "How an answer arrives: as messages one after the other, or as one message that grows by edits.",
    )
    live_limit: int = setting(
        DISCORD_LIMIT,
        "Characters up to which a message grows; above 2000 it becomes one of Components V2 on the way.",
        least=DISCORD_LIMIT,
        most=LIVE_LIMIT,
    )
    fresh_after: float = setting(
        60.0,
        "Seconds after which an answer that grew ends with a new message, since edits notify nobody; "
        "0 is never.",
        least=0,
        most=3300,
    )
    notify: Literal["first", "last", "all", "none"] = setting(
        "first", "Which messages of an answer may make a phone ring; the others are sent silent."
    )
    notices: Literal["embed", "card"] = setting(
        "embed",
        "How a notice looks that is not the model's: an embed, or a frame of Components V2, which needs no "
        "right to embed links.",
    )
    webhook_identity: Literal["position", "component"] = setting(
        "position",
        "How a persona's message is known again when its fate is in doubt: by its place and words, or by a "
        "number in it, which makes it one of Components V2 (no preview of links, no words in its push).",
    )
    mentions: Literal["resolved", "nobody", "users", "users_and_roles"] = setting(
        "resolved",
        "Who may be pinged: those of `people` that a message names, nobody, any user it names, or roles too.",
    )
    reply_ping: bool = setting(False, "Whether the author of the message replied to is pinged.")
    previews: Literal["auto", "off"] = setting("auto", "Whether links show a preview.")
    merge: Literal["auto", "off"] = setting(
        "auto", "Whether messages that Discord's rate limits made late are joined into fewer."
    )
    blocked: Literal["stop", "continue"] = setting(
        "stop", "Whether the answer ends or goes on when the server's filter blocks a part of it."
    )
    delivery_timeout: float = setting(
        120.0,
        "Seconds for which one message is tried while Discord does not answer or is busy.",
        least=0,
        most=3600,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(Delivering):
    """Everything that can be set, flat, with the defaults of the house."""

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "stop_strings", as_stop_strings("stop_strings", self.stop_strings))
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
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise SettingsError(where, "a list of texts", values)
    kept = tuple(dict.fromkeys(values))
    if len(kept) > STOP_CAP:
        raise SettingsError(where, f"at most {STOP_CAP} texts", len(kept))
    for value in kept:
        if not 1 <= len(value) <= STOP_LENGTH:
            raise SettingsError(where, f"texts of 1 to {STOP_LENGTH} characters", len(value))
    return kept


Settings.__doc__ = (Settings.__doc__ or "") + describe_fields(Settings)
