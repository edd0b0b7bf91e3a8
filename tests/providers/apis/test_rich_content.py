"""Pictures, sources and code in the streams of providers, and tools that providers run themselves."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from streamcord import Citation, Finish, GeneratedImage, KeepAlive, SettingsError, TextDelta
from streamcord._exceptions import ProviderError
from streamcord._providers.apis.anthropic import Anthropic
from streamcord._providers.apis.base import ApiAdapter, ServerEvent
from streamcord._providers.apis.google import Google
from streamcord._providers.apis.google_interactions import GoogleInteractions
from streamcord._providers.apis.openai_chat import OpenAIChat
from streamcord._providers.apis.openai_responses import OpenAIResponses
from streamcord._providers.apis.rich_content import (
    code_block,
    image_from_base64,
    image_from_url,
    output_block,
)
from streamcord._providers.prompt import Options, Prompt, ToolSpec, user
from streamcord._providers.response_reader import ResponseReader
from streamcord.settings import build

APIS: list[ApiAdapter] = [Anthropic(), Google(), GoogleInteractions(), OpenAIChat(), OpenAIResponses()]
SEARCH = {"type": "web_search"}
PNG = b"\x89PNG\r\n\x1a\n0"


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_server_tools_are_added_to_the_tools_of_the_caller(api: ApiAdapter) -> None:
    options = Options(model="m", server_tools=(SEARCH,))

    alone = api.encode(user("Hi"), options).body
    beside = api.encode(user("Hi") + Prompt(tools=(ToolSpec("roll"),)), options).body

    assert alone["tools"] == [SEARCH]
    assert "tool_choice" not in alone
    assert beside["tools"][-1] == SEARCH
    assert "roll" in json.dumps(beside["tools"][0])


def test_server_tools_are_read_from_a_file_and_checked() -> None:
    assert build(Options, "options", {"server_tools": [SEARCH]}).server_tools == (SEARCH,)
    with pytest.raises(SettingsError, match="server_tools"):
        Options(server_tools=("web_search",))  # type: ignore[arg-type]


def read(api: ApiAdapter, *payloads: Any) -> list[Any]:
    decoder = api.decoder()
    return [one for payload in payloads for one in decoder.feed(ServerEvent("message", json.dumps(payload)))]


def step(kind: str, **fields: Any) -> dict[str, Any]:
    return {"event_type": f"step.{kind}", "index": 0, **fields}


def test_interactions_bring_pictures_sources_and_code() -> None:
    cited = {"type": "url_citation", "url": "https://example.com", "title": "Example", "start_index": 0}

    events = read(
        GoogleInteractions(),
        step("start", step={"type": "google_search_call", "id": "1", "arguments": {"queries": ["x"]}}),
        step("delta", delta={"type": "text", "text": "Well."}),
        step("delta", delta={"type": "text_annotation_delta", "annotations": [cited]}),
        step(
            "delta", delta={"type": "image", "data": base64.b64encode(PNG).decode(), "mime_type": "image/png"}
        ),
        step(
            "delta", delta={"type": "code_execution_call", "arguments": {"language": "python", "code": "1+1"}}
        ),
        step("delta", delta={"type": "code_execution_result", "result": "2\n"}),
    )

    assert events == [
        KeepAlive(tool="google_search"),
        TextDelta("Well."),
        Citation("https://example.com", "Example"),
        GeneratedImage(PNG),
        *code_block("python", "1+1"),
        KeepAlive(tool="code_execution"),
        *output_block("2"),
    ]


def test_code_cannot_end_its_own_block_and_is_bounded() -> None:
    (block,) = code_block("Py thon", "a\n```\n# not code")
    (long,) = output_block("x" * 100_000, "")

    assert isinstance(block, TextDelta)
    assert isinstance(long, TextDelta)
    assert block.text.count("```") == 2
    assert block.text.startswith("\n\n```text\n")
    assert len(long.text) < 10_000
    assert output_block("", None, " \n") == []


def test_picture_may_be_too_large_or_no_base64() -> None:
    assert image_from_base64("A" * 15_000_000).problem == "is larger than 10 MB and cannot be sent"
    assert image_from_base64("%%%%").problem == "cannot be read"
    assert image_from_base64(None).problem == "cannot be read"
    assert list(image_from_url("https://example.com/cat.png")) == [
        TextDelta("\nhttps://example.com/cat.png\n")
    ]
    assert [one.problem for one in image_from_url("file:///etc/passwd")] == ["cannot be read"]  # type: ignore[union-attr]


def picture_event(kind: str, payload: bytes) -> bytes:
    return b"event: " + kind.encode() + b"\ndata: " + payload + b"\n\n"


def test_words_around_a_picture_that_is_too_large_are_read() -> None:
    large = b'{"type":"response.output_item.done","item":{"result":"' + b"A" * 17_000_000 + b'"}}'
    words = b'{"type":"response.output_text.delta","item_id":"m","delta":"%s"}'
    body = b"".join([
        picture_event("response.output_text.delta", words % b"One."),
        picture_event("response.image_generation_call.partial_image", large),
        picture_event("response.output_item.done", large),
        picture_event("response.output_text.delta", words % b"Two."),
        picture_event("response.completed", large),
    ])  # fmt: skip
    reader = ResponseReader(OpenAIResponses().decoder())

    events = [one for at in range(0, len(body), 65_536) for one in reader.feed(body[at : at + 65_536])]

    assert [one for one in events if not isinstance(one, KeepAlive)] == [
        TextDelta("One."),
        GeneratedImage(problem="is larger than 10 MB and cannot be sent"),
        TextDelta("Two."),
    ]
    assert reader.finish() == [Finish()]


def test_event_that_is_too_large_ends_an_answer_of_an_api_without_pictures() -> None:
    decoder = Anthropic().decoder()

    assert decoder.feed(ServerEvent("message", "", is_too_long=True)) == []
    with pytest.raises(ProviderError, match="too large"):
        decoder.flush()
