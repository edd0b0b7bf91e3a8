"""Every fixture: a stream as the documentation named in its first line describes it, and what it means.

What is expected here was written by reading the documentation; the official SDKs read the same bytes in
`test_oracles.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from providers.streams import as_json, bytewise, decoded, slices, whole
from streamcord._exceptions import ProviderError
from streamcord._providers.apis.google_interactions import GoogleInteractions
from streamcord._providers.apis.novelai import NovelAI
from streamcord._providers.apis.registry import Anthropic, ApiAdapter, Google, OpenAIChat, OpenAIResponses

FIXTURES = Path(__file__).parent.parent / "fixtures"
STREAMS = sorted(FIXTURES.glob("*/*.sse"))
DIALECTS: dict[str, ApiAdapter] = {
    "anthropic": Anthropic(),
    "google-interactions": GoogleInteractions(),
    "novelai": NovelAI(),
    "openai-responses": OpenAIResponses(),
}


def dialect_of(stream: Path, expected: dict[str, Any]) -> ApiAdapter:
    cumulative = bool(expected.get("cumulative"))
    if stream.parent.name == "openai":
        return OpenAIChat(cumulative=cumulative)
    if stream.parent.name == "google":
        return Google(cumulative=cumulative)
    return DIALECTS[stream.parent.name]


def raised(error: ProviderError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    written: dict[str, Any] = {"error": type(error).__name__, "retryable": error.retryable}
    if (pause := getattr(error, "retry_after", None)) is not None:
        written["retry_after"] = pause
    return written


@pytest.mark.parametrize("stream", STREAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
@pytest.mark.parametrize("cut", [whole, bytewise, slices(1), slices(2, 200), slices(3, 7)])
def test_a_fixture_means_what_stands_beside_it_however_it_is_sliced(stream: Path, cut: Any) -> None:
    expected = json.loads(stream.with_suffix(".json").read_text("utf-8"))

    events, error = decoded(dialect_of(stream, expected).decoder(), cut(stream.read_bytes()))

    assert [as_json(event) for event in events] == expected["events"]
    assert raised(error) == expected.get("raises")


@pytest.mark.parametrize("stream", STREAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_fixture_cites_its_documentation(stream: Path) -> None:
    first = stream.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()[0]

    assert first.startswith(b": https://")


@pytest.mark.parametrize("stream", STREAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_fixture_cut_anywhere_says_a_beginning_of_what_it_says_whole(stream: Path) -> None:
    expected = json.loads(stream.with_suffix(".json").read_text("utf-8"))
    content = stream.read_bytes()

    for end in range(0, len(content), 3):
        events, error = decoded(dialect_of(stream, expected).decoder(), whole(content[:end]))
        said = [as_json(event) for event in events]
        if error is not None:
            assert said == expected["events"][: len(said)]
        else:
            assert said[-1]["event"] == "Finish"
