"""Our answer to each function of the reference, in the reference's own terms.

A function that belongs to a stage which does not exist here yet has no entry: its runs are counted apart.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from streamcord import Boundary, Captured, Message, Persona, Pipeline, Settings
from streamcord.core.capture import BlockCapture
from streamcord.core.segmenter import Segmenter
from streamcord.core.sentences import split_sentences
from streamcord.core.splitter import Splitter
from streamcord.events import Segment, Visible

Arguments: TypeAlias = dict[str, Any]

SEEDS: Arguments = {"lists": "lines", "join": "blank_line", "sentence_ends": "period", "auto_close": "all"}
"""The settings that restore the seeds' own behaviour where ours differs by choice."""


def build(degree: int = 1, **values: Any) -> Settings:  # noqa: ANN401
    return Settings.from_mapping({"degree": degree, "typing": "off", "message_cap": 0, **values})


def chunk_message(text: str, arguments: Arguments, **values: Any) -> list[str]:  # noqa: ANN401
    settings = build(arguments["degree"], humanize=False, **values)
    return Splitter(settings).split(text, limit=arguments["max"])


def stream_messages(text: str, arguments: Arguments, **values: Any) -> Arguments:  # noqa: ANN401
    chance = {"comma_removed": 0, "comma_break": 0, "exclamation_break": 0}
    pipeline = Pipeline(build(arguments["degree"], **chance, **values), Random(0))
    events = [event for piece in _pieces(text, arguments) for event in pipeline.feed(piece)]
    boundary = Boundary.TOOL_CALL if "toolCallAfter" in arguments else Boundary.FINAL
    events += pipeline.flush(boundary)
    captured = [event for event in events if isinstance(event, Captured)]
    return {
        "messages": [event.content for event in events if isinstance(event, Message)],
        "thoughts": [block.text.strip() for block in captured if block.kind == "think"],
        "details": [block.text.strip() for block in captured if block.kind == "details"],
    }


def _pieces(text: str, arguments: Arguments) -> list[str]:
    size = arguments["chunk"]
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return pieces[: arguments["toolCallAfter"]] if "toolCallAfter" in arguments else pieces


def stream_segments(text: str, arguments: Arguments, **values: Any) -> list[list[str]]:  # noqa: ANN401
    segmenter = Segmenter(build(arguments["degree"], **values))
    found = [segment for piece in _pieces(text, arguments) for segment in segmenter.feed(piece)]
    return [
        [segment.boundary.value, segment.text + segment.suffix]
        for segment in [*found, *segmenter.flush()]
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
    return len(segments[0].text)


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
    capture = BlockCapture(build())
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
    shown = sum(len(event.text) for event in BlockCapture(build()).feed(text) if isinstance(event, Visible))
    return shown if shown < len(text.rstrip()) else None


def trim_clause(text: str, arguments: Arguments, **values: Any) -> str:  # noqa: ANN401, ARG001
    segmenter = Segmenter(build(3, **values))
    found = [*segmenter.feed(text), *segmenter.flush(Boundary.TOOL_CALL, trim=True)]
    return "".join(segment.text for segment in found if isinstance(segment, Segment))


def clean_output(text: str, arguments: Arguments, **values: Any) -> str:  # noqa: ANN401
    persona = Persona(arguments["botName"])
    pipeline = Pipeline(Settings.from_mapping({"degree": 0, "persona": persona, **values}))
    events = [*pipeline.feed(text), *pipeline.flush()]
    return "\n".join(event.content for event in events if isinstance(event, Message))


def humanize_string(text: str, arguments: Arguments, **values: Any) -> list[str]:  # noqa: ANN401, ARG001
    chance = {"comma_removed": 0, "comma_break": 0, "exclamation_break": 0}
    # The function alone: the text is not cut into sentences first.
    found = Splitter(build(3, **chance, **values)).split(text)
    return [" ".join(found)] if "```" not in text else found


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
}
