"""Our answer to each function of the reference, in the reference's own terms; those of stage 6 are apart."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from reference_rules import RULE_RUNS, rule_settings

from streamcord import Boundary, Captured, Message, Persona, Pipeline, Settings
from streamcord._events import Segment, Table, Visible
from streamcord._text.language.sentences import split_sentences
from streamcord._text.layout.humanizer import humanize
from streamcord._text.layout.splitter import Splitter
from streamcord._text.markdown.scanner import scan
from streamcord._text.reasoning_blocks import BlockExtractor
from streamcord._text.segmenter import Segmenter
from streamcord.settings import read_settings

Arguments: TypeAlias = dict[str, Any]

SPEC_SETTINGS: Arguments = {
    "lists": "lines",
    "join": "blank_line",
    "sentence_ends": "period",
    "auto_close": "all",
    "convert_markdown": False,
    "code_fence_matching": "first",
}
"""The settings that restore the seeds' own behaviour where ours differs by choice."""


def build(degree: int = 1, **values: Any) -> Settings:  # noqa: ANN401
    return Settings.from_mapping({"degree": degree, "typing": "off", "message_cap": 0, **values})


def chunk_message(text: str, arguments: Arguments, **values: Any) -> list[str]:  # noqa: ANN401
    settings = build(arguments["degree"], humanize=False, **values)
    return Splitter(settings).split(text, limit=arguments["max"])


def stream_messages(text: str | list[str], arguments: Arguments, **values: Any) -> Arguments:  # noqa: ANN401
    # The runs of the reference were made by a bot of this name, with its dice switched off.
    own = {"humanize": False, "persona": Persona("Tomori"), **rule_settings(arguments)}
    plain = {"degree": arguments["degree"], "typing": "off", "message_cap": 0}
    settings, context = read_settings({**plain, **own, **values})
    pipeline = Pipeline(settings, Random(0), context=context)
    events = [event for piece in _pieces(text, arguments) for event in pipeline.feed(piece)]
    events += pipeline.flush(Boundary.TOOL_CALL if arguments.get("toolCallAfter") else Boundary.FINAL)
    captured = [event for event in events if isinstance(event, Captured)]
    return {
        "messages": [_shown(event) for event in events if isinstance(event, Message)],
        "thoughts": [block.text.strip() for block in captured if block.kind == "think"],
        "details": [block.text.strip() for block in captured if block.kind == "details"],
    }


def _shown(message: Message) -> str:
    tables = [f"[[TABLE]]{file.source}" for file in message.files if isinstance(file, Table)]
    return "\n".join(tables) or message.content


def _pieces(text: str | list[str], arguments: Arguments) -> list[str]:
    if isinstance(text, list):
        return text
    size = arguments["chunk"]
    return [text[at : at + size] for at in range(0, len(text), size)]


def stream_segments(text: str | list[str], arguments: Arguments, **values: Any) -> list[list[str]]:  # noqa: ANN401
    settings = build(arguments["degree"], **values)
    segmenter = Segmenter(settings)
    capture = BlockExtractor(settings)
    found: list[Segment] = []
    for piece in _pieces(text, arguments):
        found += [
            cut
            for event in capture.feed(piece)
            if isinstance(event, Visible)
            for cut in segmenter.feed(event.text)
        ]
    rest = [
        cut for event in capture.flush() if isinstance(event, Visible) for cut in segmenter.feed(event.text)
    ]
    return [
        [segment.boundary.value, segment.text + segment.suffix]
        for segment in [*found, *rest, *segmenter.flush()]
        if isinstance(segment, Segment)
    ]


def sentence_split(text: str, arguments: Arguments, **values: Any) -> list[str]:  # noqa: ANN401, ARG001
    return split_sentences(text)


def has_incomplete_markers(text: str, arguments: Arguments, **values: Any) -> bool:  # noqa: ANN401, ARG001
    """Whether a newline behind the text would be held."""
    segmenter = Segmenter(build(**values))
    cuts = [segment.text for segment in segmenter.feed(text + "\nNext line. " + "More words here. " * 2)]
    return not "".join(cuts).startswith(text)


def auto_close(text: str, arguments: Arguments, **values: Any) -> str:  # noqa: ANN401, ARG001
    segments = [segment for segment in _segments(text, **values) if isinstance(segment, Segment)]
    return "".join(segment.text + segment.suffix for segment in segments)


def _segments(text: str, **values: Any) -> list[Any]:  # noqa: ANN401
    segmenter = Segmenter(build(**values))
    return [*segmenter.feed(text), *segmenter.flush()]


def overflow_index(text: str, arguments: Arguments, **values: Any) -> int:  # noqa: ANN401
    segmenter = Segmenter(build(**values, overflow_target=arguments["target"]))
    segments = segmenter.feed(text) or segmenter.flush()
    return len(segments[0].text) if segments else 0


def process_buffer(text: str, arguments: Arguments, **values: Any) -> Arguments:  # noqa: ANN401
    segments = Segmenter(build(arguments["degree"], **values)).feed(text)
    if not segments:
        return {"flush": False, "segment": None, "rest": text, "boundary": None}
    first = segments[0]
    return {
        "flush": True,
        "segment": first.text,
        "rest": text[len(first.text) :],
        "boundary": first.boundary.value,
    }


def drain(kind: str, chunks: list[str]) -> Arguments:
    capture = BlockExtractor(build(details="memory"))
    events = [event for chunk in chunks for event in capture.feed(chunk)]
    found = [event for event in events if isinstance(event, Captured)]
    visible = "".join(event.text for event in events if isinstance(event, Visible))
    rest = [event for event in capture.flush() if isinstance(event, Captured)]
    return {"buffer": visible, kind: [block.text for block in found], "inside": bool(rest)}


def drain_think(chunks: list[str], arguments: Arguments, **values: Any) -> Arguments:  # noqa: ANN401, ARG001
    return drain("thoughts", chunks)


def drain_details(chunks: list[str], arguments: Arguments, **values: Any) -> Arguments:  # noqa: ANN401, ARG001
    return drain("details", chunks)


def tag_prefix(text: str, arguments: Arguments, **values: Any) -> int | None:  # noqa: ANN401, ARG001
    """Where the text that may still become a tag begins."""
    shown = sum(len(event.text) for event in BlockExtractor(build()).feed(text) if isinstance(event, Visible))
    return shown if shown < len(text.rstrip()) else None


def trim_clause(text: str, arguments: Arguments, **values: Any) -> str:  # noqa: ANN401, ARG001
    segmenter = Segmenter(build(1, **values))
    found = [*segmenter.feed(text), *segmenter.flush(Boundary.TOOL_CALL, trim=True)]
    return "".join(segment.text for segment in found if isinstance(segment, Segment))


def clean_output(text: str, arguments: Arguments, **values: Any) -> str:  # noqa: ANN401
    persona = Persona(arguments["botName"])
    own = {"degree": 0, "persona": persona, **rule_settings(arguments)}
    settings, context = read_settings({**own, **values})
    pipeline = Pipeline(settings, context=context)
    events = [*pipeline.feed(text), *pipeline.flush()]
    return "\n".join(event.content for event in events if isinstance(event, Message))


def humanize_string(text: str, arguments: Arguments, **values: Any) -> list[str]:  # noqa: ANN401, ARG001
    settings = build(3, comma_removal_chance=0, comma_break=0, exclamation_break=0, **values)
    spans = [(span.start, span.end) for span in scan(text, settings)]
    edits, _ = humanize(text, Random(0), settings, protected=spans)
    for start, end, after in reversed(edits):
        text = text[:start] + after + text[end:]
    return [text]


RUNS: dict[str, Callable[..., Any]] = {
    "chunkMessage": chunk_message,
    "streamMessages": stream_messages,
    "streamSegments": stream_segments,
    "sentenceSplit": sentence_split,
    "hasIncompleteSemanticMarkers": has_incomplete_markers,
    "autoCloseIncompleteMarkers": auto_close,
    "findRegularOverflowFlushIndex": overflow_index,
    "processBufferContent": process_buffer,
    "drainThink": drain_think,
    "drainDetails": drain_details,
    "findTrailingReasoningTagPrefix": tag_prefix,
    "trimTrailingIncompleteClause": trim_clause,
    "cleanLLMOutput": clean_output,
    "humanizeString": humanize_string,
    **RULE_RUNS,
}
