r"""Golden pages: what a model writes and what the channel must show, as a text that anyone can write.

    A sprite is worn until another is named.        the title: one sentence
    persona: Luna happy mad                         settings and context, by their field names
    === model                                       what the model writes
    Luna (mad): Hmph.
    === channel                                     the messages, `---` between them
    Luna [mad]: Hmph.

A second `model` block is the round after a tool call. Further blocks are `thoughts`, `details` and `halt` (of
the speaker guard; none if absent) and `dropped` (not compared if absent). Headers that are no settings:
`aliases` of the persona, `alter: yes`, `ends: tool_call`, and `escapes: yes`, which gives blocks `\n`, `\r`,
`\t`, `\s` (a space), `\u200b`, `\U0001f600`, `\-` and the like for themselves,
and `\{text*90}` for many of the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from streamcord._events import Boundary, Captured, Dropped, Halt, Message, Speaker, Table
from streamcord._settings import AnswerContext, Emoji, Person, Persona, Settings, Sprite, read_settings
from streamcord._text.pipeline import Pipeline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamcord._events import TurnEvent

_ESCAPE = re.compile(
    r"\\(?:\{(?P<unit>(?:\\.|[^*\\])*)\*(?P<count>\d+)\}|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})|(?P<one>.))"
)
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "s": " ", "0": "\0"}
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Page:
    """One golden case."""

    title: str
    settings: Settings
    context: AnswerContext
    rounds: tuple[str, ...]
    expected: dict[str, tuple[str, ...]]
    ends: Boundary = Boundary.FINAL


def parse_page(text: str) -> Page:
    """A page from its text."""
    title, _, rest = text.partition("\n")
    header_text, *block_texts = re.split(r"^=== ", rest, flags=re.MULTILINE)
    headers = dict(_parse_header(line) for line in header_text.splitlines() if line.strip())
    escapes = headers.pop("escapes", "no") == "yes"
    ends = Boundary(headers.pop("ends", "final"))
    rounds: list[str] = []
    expected: dict[str, tuple[str, ...]] = {"thoughts": (), "details": (), "halt": ()}
    for block in block_texts:
        name, _, body = block.partition("\n")
        body = body.removesuffix("\n")
        unescape = _unescape if escapes else str
        if name.strip() == "model":
            rounds.append(unescape(body))
        elif name.strip() in ("channel", "thoughts", "details", "dropped", "halt"):
            expected[name.strip()] = _parse_parts(body, unescape)
        else:
            raise ValueError(f"unknown block {name!r}")
    if not rounds or "channel" not in expected:
        raise ValueError("a page needs a model and a channel block")
    return Page(title, *_parse_settings(headers), tuple(rounds), expected, ends)


def _parse_header(line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise ValueError(f"header line without a colon: {line!r}")
    return key.strip(), value.strip()


def _parse_parts(body: str, unescape: Callable[[str], str]) -> tuple[str, ...]:
    if not body:
        return ()
    return tuple(
        unescape(part)
        for part in re.split(r"^---\n", body + "\n", flags=re.MULTILINE)
        for part in [part[:-1]]
    )


def _parse_settings(headers: dict[str, str]) -> tuple[Settings, AnswerContext]:
    values: dict[str, Any] = {}
    aliases = tuple(alias.strip() for alias in headers.pop("aliases", "").split(",") if alias.strip())
    alter = headers.pop("alter", "no") == "yes"
    for key, value in headers.items():
        if key == "persona":
            values[key] = _parse_persona(value, aliases, alter=alter)
        else:
            values[key] = _PARSERS.get(key, _parse_value)(value)
    return read_settings(values)


def _parse_persona(value: str, aliases: tuple[str, ...] = (), *, alter: bool = False) -> Persona:
    """The first word is the name, the others are sprites; `_` is a space, `!` an identity, `?` unusable."""
    name, *sprites = value.split()
    return Persona(_spaced(name), aliases, f"{name}.png", tuple(map(_parse_sprite, sprites)), alter)


def _parse_sprite(word: str) -> Sprite:
    name = word.rstrip("!?")
    return Sprite(_spaced(name), f"{name}.png", identity="!" in word, usable="?" not in word)


def _parse_personas(value: str) -> list[Persona]:
    """`Ren, Mika = Mimi`: names, each with its aliases."""
    parts = [[word.strip() for word in part.split("=")] for part in value.split(",")]
    return [Persona(name, tuple(aliases), f"{name}.png") for name, *aliases in parts]


def _parse_people(value: str) -> list[Person]:
    """`1 alice = Alice Smith = Al, 2 bob`: id, handle, names."""
    people = []
    for part in value.split(","):
        first, *names = [word.strip() for word in part.split("=")]
        number, _, handle = first.partition(" ")
        people.append(Person(int(number), handle, tuple(names), f"{handle}.png"))
    return people


def _parse_emoji(value: str) -> list[Emoji]:
    """`smile 11, wave 22 animated`."""
    words = [part.split() for part in value.split(",")]
    return [Emoji(name, int(number), bool(animated)) for name, number, *animated in words]


def _parse_look(value: str) -> Speaker:
    """`Luna (mad) = Luna (mad): `: the name shown, and the label."""
    name, _, label = value.partition("=")
    return Speaker(name.strip(), None, f"{label.strip()} " if label.strip() else "")


def _parse_quoted(value: str) -> str:
    return _unescape(value.strip('"'))


def _spaced(word: str) -> str:
    return word.replace("_", " ")


_PARSERS: dict[str, Callable[[str], Any]] = {
    "personas": _parse_personas,
    "people": _parse_people,
    "emoji": _parse_emoji,
    "previous_speaker": _parse_look,
    "prefill": _parse_quoted,
    "recent_messages": lambda value: value.split(" / "),
}


def _parse_value(value: str) -> bool | int | float | str:
    if value.lower() in _BOOLEANS:
        return _BOOLEANS[value.lower()]
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def _unescape(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        if match["count"]:
            return _unescape(match["unit"]) * int(match["count"])
        if code := match["four"] or match["eight"]:
            return chr(int(code, 16))
        return _SIMPLE.get(match["one"], match["one"])

    return _ESCAPE.sub(replace, text)


def play(page: Page, slice_text: Callable[[str], Sequence[str]]) -> list[TurnEvent]:
    """All events of a page, each round fed in slices and ended by a tool call, the last by the page's end."""
    pipeline = Pipeline(page.settings, Random(0), context=page.context)
    events: list[TurnEvent] = []
    for number, text in enumerate(page.rounds, 1):
        for piece in slice_text(text):
            events += pipeline.feed(piece)
        events += pipeline.flush(page.ends if number == len(page.rounds) else Boundary.TOOL_CALL)
    return events


def draw(page: Page, events: Sequence[TurnEvent]) -> dict[str, tuple[str, ...]]:
    """The events as the blocks of a page, those that it expects."""
    drawn = {
        "channel": tuple(_draw_message(event) for event in events if isinstance(event, Message)),
        "halt": tuple(e.reason for e in events if isinstance(e, Halt) and e.reason == "speaker_guard"),
        "thoughts": _draw_captured(events, "think"),
        "details": _draw_captured(events, "details"),
        "dropped": tuple(
            e.text.strip()
            for e in events
            if isinstance(e, Dropped) and e.reason != "white space" and e.text.strip()
        ),
    }
    return {name: drawn[name] for name in page.expected}


def _draw_captured(events: Sequence[TurnEvent], kind: str) -> tuple[str, ...]:
    texts: list[str] = []
    joins = False
    for event in events:
        if isinstance(event, Captured) and event.kind == kind:
            texts[-1:] = [texts[-1] + event.text] if joins else [*texts[-1:], event.text]
            joins = event.more
    return tuple(text.strip() for text in texts)


def _draw_message(message: Message) -> str:
    """Its words; a table as its plain text, below a line that says so."""
    tables = [file.plain for file in message.files if isinstance(file, Table)]
    if tables:
        title = [message.content] if message.content else []
        return "\n".join([*title, *(f"[table]\n{plain}" for plain in tables)])
    if message.speaker is None:
        return message.content
    sprite = re.search(r"\(([^()]+)\): $", message.speaker.label)
    return f"{message.speaker.name}{f' [{sprite.group(1)}]' if sprite else ''}: {message.content}"
