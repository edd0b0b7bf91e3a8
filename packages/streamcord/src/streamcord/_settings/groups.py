"""The settings of each stage, in the order of the stages.

A field is declared once, with its default, its description and its range; checks, error messages, `help()`, the
settings file and the docs are derived from that (see `_common/fields.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .._common.fields import setting
from .._events import Degree

DISCORD_LIMIT = 2000
"""Characters of one message: https://docs.discord.com/developers/resources/message#create-message ."""
LIVE_LIMIT = 4000
"""Characters of all texts of one Components V2 message."""
LIVE_LIMIT_BYTES = 10_170
"""UTF-8 bytes of all texts of one Components V2 message; each text display takes `DISPLAY_BYTES` of them.

Discord answers 500 to more, which no document says: https://github.com/discord/discord-api-docs/issues/8554 .
"""
DISPLAY_BYTES = 12


# Only `Settings` is shown and compared: the groups need no `repr` and no `eq` of their own.


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CaptureSettings:
    """Stage 5, first half: extraction of reasoning, details and secrets from the text."""

    details: Literal["memory", "spoiler", "show"] = setting(
        "spoiler",
        "What becomes of `<details>` blocks: taken out as notes for the memory (`TurnResult.details`), shown as "
        "spoilers below their summary, or shown. A tag within a sentence, and a block that is not closed within 4 000 "
        "characters, is no note.",
    )
    starts_in_thought: bool = setting(False, "The model begins inside a thought, without an opening tag.")
    # Not in `repr`: settings are logged.
    secrets: tuple[str, ...] = setting(
        (),
        "Keys and passwords of your own, of which 8 characters or more are never shown.",
        repr=False,
    )
    # A model that repeats itself for ever must end, even if nothing is shown.
    answer_cap: int = setting(
        1024 * 1024,
        "Characters of one answer that are read before it is halted; 0 means no cap.",
        minimum=0,
        maximum=1024 * 1024 * 1024,
    )


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class SegmentSettings:
    """Stage 5, second half: where the text may be cut."""

    degree: Degree | Literal[0, 1, 2, 3] = setting(
        Degree.MEDIUM,
        "How human it looks: 0 one text, 1 a message per line, 2 the same with pauses, 3 a message per sentence.",
    )
    # --- How long text is held back: an open delimiter delays the cut, but never for ever ---
    unmatched_delimiter_limit: int = setting(
        600,
        "An opening delimiter (quote, bracket, `**` …) without a match within this many characters is plain text.",
        minimum=1,
        maximum=100_000,
    )
    spoiler_length: int = setting(
        4000, "The same limit for spoilers, which may also contain blank lines.", minimum=1, maximum=100_000
    )
    list_split_length: int = setting(
        600,
        "A list, quote or stanza longer than this is cut at its next item or line.",
        minimum=1,
        maximum=100_000,
    )
    table_split_length: int = setting(
        16_000,
        "A table longer than this continues as another; one line of a list or quote is cut like prose.",
        minimum=1,
        maximum=1_000_000,
    )
    # --- Text without any boundary is cut at the best place near a length ---
    overflow_target: int = setting(
        1000, "A line of prose that is longer is cut near this length.", minimum=64, maximum=100_000
    )
    overflow_before: int = setting(
        300, "How far before the target a cut may lie.", minimum=0, maximum=100_000
    )
    overflow_after: int = setting(200, "How far after the target a cut may lie.", minimum=0, maximum=100_000)
    code_overflow: int = setting(
        15_000,
        "A code block longer than this is cut between lines, closed and reopened.",
        minimum=64,
        maximum=1_000_000,
    )
    # --- What belongs together ---
    lists: Literal["together", "lines"] = setting(
        "together",
        "Whether consecutive list items and quote lines share a message, or each line has its own.",
    )
    sentence_ends: Literal["all", "period"] = setting(
        "all", "Which marks end a sentence at degree 3: all of them, or only full stops."
    )
    clause_trim: bool = setting(False, "Whether an incomplete clause before a tool call is left out.")
    headings: Literal["together", "alone"] = setting(
        "together", "Whether a heading or a divider shares a message with the text that follows it."
    )
    # --- Delimiters without a partner ---
    auto_close: Literal["markdown", "all", "off"] = setting(
        "markdown",
        "Which open delimiters are closed at the end of the text: Markdown, also quotes and brackets, or none.",
    )
    code_fence_matching: Literal["nested", "first"] = setting(
        "nested",
        "Where a code block ends: at the fence that matches its nesting, or at the next three backticks.",
    )


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class NormalizeSettings:
    """Stage 6: changes of the text by rules."""

    rules: bool = setting(True, "Whether the text is cleaned up: labels, emoji, mentions and custom rules.")
    tables: Literal["picture", "card", "code", "off"] = setting(
        "picture",
        "How a table is shown: a picture, a card with picture, rows as text and a button for its source, "
        "a code block with aligned columns; `off` leaves the table as written.",
    )
    diagrams: Literal["auto", "picture", "code"] = setting(
        "auto",
        "How a Mermaid block is shown: a picture with a button for its source, or code; `auto` is a picture where "
        "the extra `diagrams` is installed.",
    )
    formulas: Literal["auto", "picture", "code"] = setting(
        "auto",
        "How a formula on lines of its own is shown that Unicode cannot carry: a picture, or code; `auto` is a "
        "picture where the extra `formulas` is installed.",
    )
    impersonation: Literal["all", "personas", "off"] = setting(
        "all",
        "Whose name and avatar `Luna (Rex): ` may use: those of other personas and of people, of personas "
        "only, or of no one.",
    )
    held_punctuation: Literal["line", "prefix"] = setting(
        "line",
        "Where `...` alone on a line goes: on a line of its own before what follows, or directly before its "
        "first word; with `prefix`, `?!?!` too.",
    )
    # --- Emoji ---
    emoji_usage: bool = setting(True, "Whether the bot uses emoji; if not, all of them are removed.")
    emoji_preserve_unresolved_shortcodes: bool = setting(
        False, "Whether shortcodes and tags that the server does not know stay."
    )
    emoji_unique_lookback: int = setting(
        5,
        "How many of our recent messages are searched for custom emoji that would be repeats; 0 means none.",
        minimum=0,
        maximum=1000,
    )
    # --- Characters that some models put between letters to get around their own filters ---
    uncensor_unicode_space: bool = setting(
        False, "Whether the blank character U+2800 is replaced by a space."
    )
    strip_middle_dots: bool = setting(False, "Whether middle dots U+00B7 inside of words are removed.")
    # --- Where the answer ends early ---
    stop_strings: tuple[str, ...] = setting(
        (),
        "Texts at which the answer ends: up to 40 of up to 200 characters.",
    )
    speaker_guard: Literal["off", "known", "any", "label"] = setting(
        "off",
        "Which label of another speaker at the start of a line ends the answer: none, a known name, "
        "any name, any text before a colon.",
    )
    # --- Links ---
    links: Literal["all", "known", "none"] = setting(
        "all",
        "Which links can be clicked: all, those to `link_hosts`, or none; for other links the address is shown.",
    )
    link_hosts: tuple[str, ...] = setting(
        (),
        "Hosts to which links may lead if `links` is `known`, such as example.com; subdomains are included.",
    )
    citations: Literal["list", "footnotes", "off"] = setting(
        "list",
        "How sources are shown that a model names: in a list below the answer, as numbered links in the text where "
        "the provider says to which words they belong, or only in `TurnResult.citations`.",
    )
    convert_markdown: bool = setting(
        True, "Whether Markdown that Discord cannot show is converted to Markdown that it can show."
    )


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class SplitSettings:
    """Stage 7, first half: what one message may hold."""

    # 50 below Discord's limit, for the markup that reopens a code block or a spoiler.
    message_length: int = setting(
        1950,
        "The longest message, in code points; Discord takes 2000, other platforms may take more.",
        minimum=32,
        maximum=1_000_000,
    )
    emoji_run_prefix_length: int = setting(
        3,
        "Consecutive custom emoji share a message if their names begin with this many equal letters.",
        minimum=1,
        maximum=32,
    )
    emoji_particles: bool = setting(
        True,
        "Whether an emoji stays with what touches its end, as in `:cry:'s fault` and `:soup:は`; if not, it is "
        "sent alone like others.",
    )
    join: Literal["as_written", "blank_line"] = setting(
        "as_written", "How the lines of one text are joined at degree 0."
    )
    # --- The humanizer, at degree 3 ---
    humanize: bool = setting(True, "Whether degree 3 also changes the text: lower case, fewer commas.")
    comma_removal_chance: float = setting(
        0.4, "Chance that the humanizer removes a comma.", minimum=0, maximum=1
    )
    comma_break: float = setting(
        0.2, "Chance that the humanizer breaks the message at a comma.", minimum=0, maximum=1
    )
    exclamation_break: float = setting(
        0.5,
        "Chance that it breaks after `!` and `?`, when `sentence_ends` is `period`.",
        minimum=0,
        maximum=1,
    )


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class PlanSettings:
    """Stage 7, second half: when it is sent, and how much."""

    typing: Literal["auto", "on", "off"] = setting(
        "auto", "Whether messages wait as if typed; `auto` is on for degrees 2 and 3."
    )
    seconds_per_character: float = setting(0.010, "Typing speed.", minimum=0, maximum=10)
    typing_delay_min: float = setting(
        0.750, "The shortest wait before a message that is not the first.", minimum=0, maximum=60
    )
    typing_delay_max: float = setting(
        4.0, "The longest wait, without thinking pauses.", minimum=0, maximum=60
    )
    max_typing_lag: float = setting(
        6.0,
        "The most seconds that typing adds to the whole answer: waits shrink while finished messages pile up.",
        minimum=0,
        maximum=3600,
    )
    # A random pause now and then, as if the writer stopped to think.
    pause_chance: float = setting(0.25, "Chance of a thinking pause before a message.", minimum=0, maximum=1)
    pause_min: float = setting(0.25, "The shortest thinking pause.", minimum=0, maximum=60)
    pause_max: float = setting(1.5, "The longest thinking pause.", minimum=0, maximum=60)
    sprite_names: Literal["decorated", "alternate"] = setting(
        "decorated",
        "Which name a sprite has after a message of the bot itself: `Luna (mad)`, or the plain one, which "
        "alternates from sprite to sprite only.",
    )
    # The cap is for safety and is announced; the limit is the caller's wish and is silent.
    message_cap: int = setting(
        40,
        "Messages of one turn before it is halted for safety (at degrees 1 and 2 after merging the last); 0: no cap.",
        minimum=0,
        maximum=100_000,
    )
    send_message_limit: int = setting(
        0,
        "Messages of one turn before it ends without a notice; 0 means no limit.",
        minimum=0,
        maximum=100_000,
    )


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class TurnSettings:
    """Stage 4: how long a turn waits, and for what."""

    # Two timeouts: a server that sends keep-alives is alive, but may have lost the request.
    idle_timeout: float = setting(
        120.0, "Abort if a source sends nothing for this many seconds.", minimum=0.001, maximum=86_400
    )
    keepalive_timeout: float = setting(
        300.0,
        "Abort if only keep-alives arrive for this many seconds.",
        minimum=0.001,
        maximum=86_400,
    )
    sends_are_progress: bool = setting(
        False, "Whether a sent message is a sign of life of its source, which may then be silent for longer."
    )
    closing_timeout: float = setting(
        5.0,
        "When a turn ends, seconds to wait for the source to close and for a message that is being sent.",
        minimum=0.001,
        maximum=600,
    )
    turn_timeout: float = setting(
        0.0,
        "Seconds after which an answer ends as `timeout`; what was received is sent at once. 0 is no limit.",
        minimum=0,
        maximum=86_400,
    )
    idle_flush: float = setting(
        1.0,
        "Seconds without text after which finished sentences and lines are sent, for sources that run tools; "
        "not at degree 0. 0 is never.",
        minimum=0,
        maximum=600,
    )
    rest_as_file: bool = setting(
        True, "Whether text beyond the message cap is sent as one text file; if not, a notice says so."
    )


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class DeliverySettings:
    """Stage 7, delivery: whom a message may reach, and how long it is retried."""

    delivery: Literal["messages", "live"] = setting(
        "messages",
        "How an answer arrives: as separate messages, or as one live message that is edited.",
    )
    # --- Live messages ---
    live_limit: int = setting(
        DISCORD_LIMIT,
        "The longest live message, in characters; above 2000 it is converted to Components V2.",
        minimum=DISCORD_LIMIT,
        maximum=LIVE_LIMIT,
    )
    live_message_max_age: float = setting(
        60.0,
        "Seconds after which a live answer ends with a new message, because edits notify no one; "
        "0 means never.",
        minimum=0,
        maximum=3300,
    )
    # --- Notifications and mentions ---
    notify: Literal["first", "last", "all", "none"] = setting(
        "first", "Which messages of an answer notify people; the others are sent without a notification."
    )
    notices: Literal["embed", "card"] = setting(
        "embed",
        "How a notice of the program looks: an embed, or a frame of Components V2, which needs no "
        "permission to embed links.",
    )
    webhook_identity: Literal["position", "component"] = setting(
        "position",
        "How a persona's message is recognized after a lost response: by its position and text, or by a "
        "component id, which needs Components V2 (no link previews, no text in its push notification).",
    )
    mentions: Literal["resolved", "nobody", "users", "users_and_roles"] = setting(
        "resolved",
        "Who may be pinged: those of `people` that a message names, no one, any user it names, or roles too.",
    )
    reply_ping: bool = setting(False, "Whether the author of the message replied to is pinged.")
    reply_notice: Literal["embed", "message"] = setting(
        "embed",
        "How a persona's first message links to what it answers: by an embed of its own, or by a message before "
        "it, which only personas with `alter` have.",
    )
    previews: Literal["auto", "off"] = setting("auto", "Whether links show a preview.")
    # --- Rate limits, filters and outages ---
    merge: Literal["auto", "off"] = setting(
        "auto", "Whether messages that are late because of Discord's rate limits are joined into fewer."
    )
    on_filtered: Literal["stop", "continue"] = setting(
        "stop", "Whether the answer ends or continues when the server's filter blocks a part of it."
    )
    delivery_timeout: float = setting(
        120.0,
        "How long a message is retried while Discord does not respond or is overloaded, in seconds.",
        minimum=0,
        maximum=3600,
    )
