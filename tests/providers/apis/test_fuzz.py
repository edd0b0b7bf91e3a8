"""Whatever a server sends: a decoder says something or raises `ProviderError`, never anything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from providers.streams import decoded, share, slices, whole
from streamcord._events import Finish
from streamcord._providers.apis.novelai import NovelAI
from streamcord._providers.apis.registry import Anthropic, ApiAdapter, Google, OpenAIChat, OpenAIResponses

DIALECTS = [
    OpenAIChat(),
    OpenAIChat(cumulative=True),
    OpenAIResponses(),
    Anthropic(),
    Google(),
    Google(cumulative=True),
    NovelAI(),
]
STREAMS = [path.read_bytes() for path in sorted((Path(__file__).parent.parent / "fixtures").glob("*/*.sse"))]
WORDS = sorted(
    {
        word
        for stream in STREAMS
        for word in stream.decode().replace('"', "\n").split("\n")
        if word.isprintable() and 0 < len(word) < 40
    }
)

SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(WORDS) | st.text(max_size=3)
PAYLOADS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=15,
)


def check(dialect: ApiAdapter, pieces: list[bytes]) -> None:
    events, error = decoded(dialect.decoder(), pieces)

    assert error is not None or isinstance(events[-1], Finish)
    assert sum(isinstance(event, Finish) for event in events) == (error is None)


def mutated(data: st.DataObject, value: Any) -> Any:
    """A value in which some part was replaced by something that was not expected there."""
    if data.draw(st.integers(0, 9)) == 0:
        return data.draw(PAYLOADS)
    if isinstance(value, dict):
        return {key: mutated(data, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [mutated(data, inner) for inner in value]
    return value


@given(st.sampled_from(DIALECTS), st.lists(PAYLOADS, max_size=5))
@share(4)
def test_any_json_is_read_calmly(dialect: ApiAdapter, payloads: list[Any]) -> None:
    check(dialect, [b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads])


@given(st.sampled_from(DIALECTS), st.data())
@share(8)
def test_a_stream_with_a_wrong_part_is_read_calmly(dialect: ApiAdapter, data: st.DataObject) -> None:
    lines = data.draw(st.sampled_from(STREAMS)).splitlines(keepends=True)
    content = b""
    for line in lines:
        if line.startswith(b"data: {"):
            try:
                payload = mutated(data, json.loads(line[6:]))
            except ValueError:
                payload = None
            line = b"data: " + json.dumps(payload).encode() + b"\n"  # noqa: PLW2901
        content += line

    check(dialect, whole(content))


@given(
    st.sampled_from(DIALECTS),
    st.sampled_from(STREAMS),
    st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=4)), max_size=5),
)
@share(2)
def test_a_stream_with_damaged_bytes_is_read_calmly(
    dialect: ApiAdapter, stream: bytes, damage: list[tuple[int, bytes]]
) -> None:
    for at, replacement in damage:
        stream = stream[:at] + replacement + stream[at + len(replacement) :]

    check(dialect, slices(1)(stream))
