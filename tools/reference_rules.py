"""Our answer to the reference's functions of stage 6: emoji, mentions, labels, guard, tables; and the overlap."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias

from streamcord import Degree, Emoji, Person, Persona, Settings
from streamcord._providers.sdk_streams import drop_overlap
from streamcord._text.markdown.tables import read_rows
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.persona_labels import PersonaLabels
from streamcord._text.rules.speaker_guard import Guard, find_foreign_line
from streamcord._text.rules.sprites import SpriteTable
from streamcord._text.rules.table_extraction import split_tables
from streamcord._text.segmenter import Segmenter
from streamcord._text.traced_text import TracedText
from streamcord.settings import read_settings
from streamcord.utils import clean_tool_text

__all__ = ["RULE_RUNS", "rule_settings"]

Arguments: TypeAlias = dict[str, Any]

_TAG = re.compile(r"<(a?):(\w+):(\d+)>")


def rule_settings(arguments: Arguments) -> Arguments:
    """The settings that a run's own arguments ask for."""
    tags = arguments.get("emojis") or arguments.get("emojiStrings") or ()
    found = [match for tag in tags if (match := _TAG.fullmatch(tag))]
    return {
        "people": people(arguments),
        "emoji": [
            Emoji(name, int(number), animated == "a") for animated, name, number in map(_groups, found)
        ],
        "recent_messages": arguments.get("history", []),
        "speaker_guard": "label" if arguments.get("speakerGuard") else "off",
        "emoji_usage": arguments.get("emojiUsage", True),
        "uncensor_unicode_space": arguments.get("unicodeSpaces", False),
        "strip_middle_dots": arguments.get("sanitize", False),
    }


def _groups(found: re.Match[str]) -> tuple[str, ...]:
    return found.groups()


def people(arguments: Arguments) -> list[Person]:
    """One person for each id of a name."""
    mentions: dict[str, list[str]] = arguments.get("mentions", {})
    return [Person(int(number), name) for name, numbers in mentions.items() for number in numbers]


def drop_overlapping(text: str, arguments: Arguments, **values: Any) -> str:  # noqa: ANN401, ARG001
    async def source() -> AsyncIterator[str]:
        yield arguments["recent"]
        yield text

    async def read() -> list[Any]:
        return [piece async for piece in drop_overlap(source())]

    return "".join(asyncio.run(read())[1:])


def clean(text: str, arguments: Arguments, **values: Any) -> str:  # noqa: ANN401, ARG001
    settings, context = read_settings(rule_settings(arguments))
    return clean_tool_text(text, settings, context=context)


def truncate(text: str, arguments: Arguments, **values: Any) -> Arguments:  # noqa: ANN401, ARG001
    settings = Settings(speaker_guard="label")
    from_start = arguments.get("includeStart", False)
    found = find_foreign_line(ParsedText(text, settings), Guard(settings), from_start=from_start)
    return {"text": text[: found[0]] if found else text, "stopTriggered": found is not None}


def parse_label(text: str, arguments: Arguments, **values: Any) -> Arguments | None:  # noqa: ANN401
    """Any label: the guard would end an answer here."""
    if truncate(text, {**arguments, "includeStart": True}, **values)["text"]:
        return None
    label = Guard(Settings(speaker_guard="label")).label.match(text)
    return {"body": text[label.end() :]} if label else None


def parse_modifier(text: str, arguments: Arguments, **values: Any) -> Arguments | None:  # noqa: ANN401, ARG001
    name, *aliases = arguments["names"]
    persona = Persona(name, tuple(aliases))
    labels = PersonaLabels(persona, SpriteTable(persona, Settings()))
    line = labels.lines.match(text)
    label = labels.label.match(text, line.end()) if line else None
    if label is None or not label.lastindex:
        return None
    return {"modifier": label[label.lastindex], "body": text[label.end() :]}


def extract_tables(text: str, arguments: Arguments, **values: Any) -> list[Arguments]:  # noqa: ANN401, ARG001
    found: list[Arguments] = []
    for part in split_tables(TracedText.from_spans(text, ((0, len(text)),)), Settings()):
        if part.table is None:
            found.append({"type": "text", "content": part.traced.text})
            continue
        header, *rows = read_rows(part.table.source)
        sides = [side.value for side in part.table.alignments]
        found.append(
            {
                "type": "table",
                "content": part.traced.text,
                "header": header,
                "rows": rows,
                "alignments": sides,
            }
        )
    return found


def holds_table(text: str, arguments: Arguments, **values: Any) -> bool:  # noqa: ANN401, ARG001
    """Whether the text ends in a table that may still go on."""
    segmented = "".join(segment.text for segment in Segmenter(Settings(degree=Degree.LIGHT)).feed(text))
    return text[len(segmented) :].lstrip().startswith("|")


RULE_RUNS: dict[str, Callable[..., Any]] = {
    "dedupIncomingChunk": drop_overlapping,
    "filterDuplicateCustomEmojis": clean,
    "replaceMentionHandles": clean,
    "truncateBeforeGenericSpeakerLine": truncate,
    "parseLeadingGenericSpeakerLabel": parse_label,
    "parseLeadingRenderModifier": parse_modifier,
    "extractMarkdownTableSegments": extract_tables,
    "hasTrailingIncompleteMarkdownTable": holds_table,
}
