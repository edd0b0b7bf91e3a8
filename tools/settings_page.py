"""Write docs/settings.md: every setting with its default, its allowed values, and its effect on a short text.

python tools/settings_page.py            write the page
python tools/settings_page.py --check    only say whether it is up to date
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from streamcord import Boundary, Captured, Degree, Halt, Message, Pipeline
from streamcord._common.fields import FieldSpec, fields_of
from streamcord._settings import (
    AnswerContext,
    CaptureSettings,
    DeliverySettings,
    NormalizeSettings,
    PlanSettings,
    SegmentSettings,
    SplitSettings,
    TurnSettings,
    read_settings,
)
from streamcord.records import Dropped

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
STAGES = (
    CaptureSettings,
    SegmentSettings,
    NormalizeSettings,
    SplitSettings,
    PlanSettings,
    TurnSettings,
    DeliverySettings,
    AnswerContext,
)

HEAD = """\
# Settings

<!-- Written by tools/settings_page.py: change the fields of `Settings` and run it again. -->

Every setting has one name everywhere: `Settings(degree=0)` in Python, `degree = 0` under `[settings]` in the bot's file, and
`/settings set degree 0` in Discord. `AnswerContext` holds what belongs to one answer.

Samples come from the real pipeline: an answer as the model writes it, its messages with the default, then with another value.
Messages are in brackets, `⏎` is a line break, and text that is not shown is in parentheses. Delays are off where they do not
matter.
"""


class Sample(NamedTuple):
    """An answer, another value of the setting, what else is set, and what ends the answer."""

    text: str
    value: Any
    around: Mapping[str, Any] = {}
    end: Boundary = Boundary.FINAL


LUNA = {"persona": {"name": "Luna", "sprites": [{"name": "mad"}]}}
ANN = {"people": [{"id": 7, "handle": "ann"}]}
WAVE = {"emoji": [{"name": "wave", "id": 1}, {"name": "wave_back", "id": 2}, {"name": "cat", "id": 3}]}
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"
PROSE = " ".join(f"and {number}" for number in range(200)) + ", and so on " * 30

SAMPLES: dict[str, Sample] = {
    "details": Sample("A riddle. <details><summary>Answer</summary>It is 42.</details>", "memory"),
    "starts_in_thought": Sample("They greet me, so I greet them.", True),
    "secrets": Sample("The key is h7GkQ-2vLx9, keep it.", ["h7GkQ-2vLx9"]),
    "answer_cap": Sample("One two three four.", 8),
    "degree": Sample("Hi Ann! How are you?\nI am fine. And you?", 3),
    "unmatched_delimiter_limit": Sample("A **bold start without an end.\nNext line.\nLast line.", 10),
    "spoiler_length": Sample("A ||spoiler without an end.\nNext line.\nLast line.", 10),
    "list_split_length": Sample("- one\n- two\n- three\n- four", 12),
    "table_split_length": Sample(TABLE + "\n| 3 | 4 |" * 9, 60),
    "overflow_target": Sample(PROSE, 600),
    "overflow_before": Sample(PROSE, 0, {"overflow_after": 0}),
    "overflow_after": Sample("and " * 252 + "done. " + "and " * 99 + "on", 0),
    "code_overflow": Sample("```py\n" + "print(1)\n" * 10 + "```", 64),
    "lists": Sample("- one\n- two", "lines"),
    "sentence_ends": Sample("Really? Yes. Great!", "period", {"degree": 3, "humanize": False, "exclamation_break": 0}),
    "clause_trim": Sample("I look it up. One mom", True, end=Boundary.TOOL_CALL),
    "headings": Sample("## Plan\nWe begin today.\n---\nThen we rest.", "alone"),
    "auto_close": Sample("This is **bold", "off"),
    "code_fence_matching": Sample("```md\n# a\n```sh\nb\n```\nc", "first"),
    "persona": Sample("Luna: Hello!", {"name": "Luna"}),
    "rules": Sample("Luna: Hello @ann", False, {**LUNA, **ANN}),
    "tables": Sample(TABLE, "code"),
    "diagrams": Sample("```mermaid\ngraph LR\nA --> B\n```", "picture"),
    "formulas": Sample(r"\[\begin{pmatrix} a & b \end{pmatrix}\]", "picture"),
    "impersonation": Sample("Luna (Ren): Woof.", "off", {**LUNA, "personas": [{"name": "Ren"}]}),
    "personas": Sample("Hello!\nRen: Not me.", [{"name": "Ren"}], {**LUNA, "speaker_guard": "known"}),
    "people": Sample("Hello @ann!", ANN["people"]),
    "asker": Sample("Hello {{user}}!", "Ann", LUNA),
    "emoji": Sample("Hello :wave:", WAVE["emoji"]),
    "emoji_usage": Sample("Hello :wave: 👋", False, WAVE),
    "emoji_preserve_unresolved_shortcodes": Sample("Hello :nobody_knows:", True, WAVE),
    "emoji_unique_lookback": Sample("Hi :wave:", 0, {**WAVE, "recent_messages": ["Bye <:wave:1>"]}),
    "recent_messages": Sample("Hi :wave:", ["Bye <:wave:1>"], WAVE),
    "uncensor_unicode_space": Sample("he\u2800llo", True),
    "strip_middle_dots": Sample("he·llo", True),
    "prefill": Sample("here it is.", "Sure, "),
    "speaker_guard": Sample("Hello!\nAnn: Hi.", "any"),
    "links": Sample("See [this](https://a.example/x) or https://b.example.", "none"),
    "link_hosts": Sample("See [this](https://a.example/x) or https://b.example.", ["a.example"], {"links": "known"}),
    "convert_markdown": Sample("One<br>two, $x^2$", False),
    "previous_speaker": Sample("Luna (mad): Hmph.", {"name": "Luna", "label": "Luna: "}, LUNA),
    "message_length": Sample("These words are too many for one message of 32.", 32),
    "emoji_run_prefix_length": Sample(":wave: :wave_back: :cat:", 5, WAVE),
    "held_punctuation": Sample("Well\n...\nFine.", "prefix"),
    "emoji_particles": Sample(":wave:'s turn", False, WAVE),
    "join": Sample("One.\nTwo.", "blank_line", {"degree": 0}),
    "humanize": Sample("Well, I see. Fine.", False, {"degree": 3}),
    "comma_removal_chance": Sample("I came, and I saw, but I left", 1, {"degree": 3, "comma_break": 0}),
    "comma_break": Sample("I came, and I saw, but I left", 1, {"degree": 3, "comma_removal_chance": 0}),
    "exclamation_break": Sample("Oh! Really? Yes.", 1, {"degree": 3, "sentence_ends": "period", "humanize": True}),
    "typing": Sample("One.\nTwo.", "off"),
    "seconds_per_character": Sample("One.\nTwo words and more.", 0.1, {"pause_chance": 0}),
    "typing_delay_min": Sample("One.\nTwo.", 2.0, {"pause_chance": 0}),
    "typing_delay_max": Sample("One.\nTwo words and more.", 1.0, {"pause_chance": 0, "seconds_per_character": 0.1}),
    "pause_chance": Sample("One.\nTwo.", 1),
    "pause_min": Sample("One.\nTwo.", 3, {"pause_chance": 1, "pause_max": 3}),
    "pause_max": Sample("One.\nTwo.", 10, {"pause_chance": 1}),
    "message_cap": Sample("One.\nTwo.\nThree.", 2),
    "send_message_limit": Sample("One.\nTwo.\nThree.", 2),
}  # fmt: skip

# What a pipeline alone cannot show, and why.
WITHOUT_SAMPLE = {
    "stop_strings": "where the source is not read on",
    "idle_flush": "time of the source",
    "idle_timeout": "time of the source",
    "turn_timeout": "time of the turn",
    "keepalive_timeout": "time of the source",
    "closing_timeout": "time of the source",
    "sends_are_progress": "time of the source",
    "citations": "sources that come beside the text",
    "sprite_names": "the name over a message",
    "reply_notice": "what Discord shows above a message",
    "rest_as_file": "a file that the turn sends after `message_cap`",
    "delivery": "when and where messages are shown, not what they hold",
    "live_limit": "answers of more than two thousand characters",
    "live_message_max_age": "time of Discord",
    "webhook_identity": "what a crash costs, not what an answer says",
    "notices": "how Discord shows what is not the model's",
    "notify": "whom Discord notifies",
    "mentions": "whom Discord notifies",
    "reply_ping": "whom Discord notifies",
    "max_typing_lag": "when messages are sent",
    "previews": "what Discord shows below a link",
    "merge": "what happens under rate limits",
    "on_filtered": "what happens when a server's filter refuses a message",
    "delivery_timeout": "time of Discord",
}
TIMING = {name for name in fields_of(PlanSettings) if name not in fields_of(SplitSettings)} - {"message_cap", "send_message_limit"}  # fmt: skip


def main() -> int:
    text = write_page()
    if sys.argv[1:] == ["--check"]:
        fresh = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text
        print("docs/settings.md is up to date" if fresh else "run python tools/settings_page.py")
        return 0 if fresh else 1
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE.name}")
    return 0


def write_page() -> str:
    return "\n".join([HEAD, *_sections()])


def _sections() -> Iterator[str]:
    known: set[str] = set()
    for stage in STAGES:
        yield f"## {_title(stage)}\n"
        for name, spec in fields_of(stage).items():
            if name not in known:
                yield from _setting(spec)
        known |= fields_of(stage).keys()


def _title(stage: type) -> str:
    if stage is AnswerContext:
        return "What belongs to one answer"
    said = (stage.__doc__ or "").splitlines()[0].partition(": ")[2]
    return said[0].upper() + said[1:].rstrip(".")


def _setting(spec: FieldSpec) -> Iterator[str]:
    yield f"### `{spec.name}`\n"
    yield f"{spec.doc}\n"
    yield f"Default: {_value(spec.default)}. Allowed: {spec.allowed}.\n"
    sample = SAMPLES.get(spec.name)
    if sample is not None:
        yield "\n".join(["```text", *show_sample(spec, sample), "```\n"])
    elif spec.name in WITHOUT_SAMPLE:
        yield f"No sample: this is about {WITHOUT_SAMPLE[spec.name]}.\n"


def show_sample(spec: FieldSpec, sample: Sample) -> Iterator[str]:
    """The answer, its messages with the default, and with another value; a line each."""
    around = {**({} if spec.name in TIMING else {"typing": "off"}), **sample.around}
    rows = [
        ("answer", _flat(sample.text)),
        (_code(spec.name, spec.default), become(sample.text, around, sample.end)),
        (
            _code(spec.name, sample.value),
            become(sample.text, {**around, spec.name: sample.value}, sample.end),
        ),
    ]
    width = max(len(head) for head, _ in rows)
    for head, shown in rows:
        yield f"{head:{width}}  {shown}"


def become(text: str, values: Mapping[str, Any], end: Boundary = Boundary.FINAL) -> str:
    """The messages that a text becomes, and what is not in them, on one line."""
    settings, context = read_settings(values)
    pipeline = Pipeline(settings, Random(2), context=context)
    return " ".join(
        shown for event in (*pipeline.feed(text), *pipeline.flush(end)) if (shown := _event(event))
    )


def _event(event: object) -> str:
    match event:
        case Message():
            wait = f"+{event.delay:.1f}s " if event.delay else ""
            who = f"{event.speaker.name}: " if event.speaker else ""
            files = "".join(f" ▣ {file.name}" for file in event.files)
            return f"{wait}[{who}{_flat(event.content)}{files}]"
        case Captured(kind, inner):
            return f"({kind}: {_flat(inner)})"
        case Dropped(inner, reason) if inner.strip():
            return f"({reason}: {_flat(inner)})"
        case Halt(reason):
            return f"(ends: {reason})"
        case _:
            return ""


def _flat(text: str) -> str:
    flat = text.replace("\n", "⏎")
    return flat if len(flat) <= 110 else f"{flat[:30]} … {flat[-30:]} ({len(flat)} characters)"


def _code(name: str, value: object) -> str:
    shown = _value(value).strip("`")
    return f"{name} = {shown if len(shown) <= 24 else '…'}"


def _value(value: object) -> str:
    if value is MISSING or value is None:
        return "none"
    if isinstance(value, Degree):
        return f"`{value.value}`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return f'`"{value}"`'
    if isinstance(value, tuple | list):
        return "`[]`" if not value else f"`{list(value)}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


if __name__ == "__main__":
    raise SystemExit(main())
