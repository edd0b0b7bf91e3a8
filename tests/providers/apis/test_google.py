from __future__ import annotations

import json
from typing import Any

import pytest

from streamcord._events import Finish, FinishReason, ThoughtDelta, ToolCall
from streamcord._exceptions import ProviderError, RequestRejected
from streamcord._providers.apis.base import ServerEvent
from streamcord._providers.apis.registry import Google
from streamcord._providers.prompt import (
    Image,
    Options,
    Prompt,
    ToolSpec,
    assistant,
    system,
    tag_signature,
    tool_result,
    user,
)

OLD, NEW = "gemini-2.5-flash", "gemini-3-flash-preview"


def body_of(prompt: Prompt, options: Options) -> dict[str, Any]:
    return dict(Google().encode(prompt, options).body)


def test_a_plain_question_is_a_plain_request_without_any_key() -> None:
    request = Google().encode(system("Be kind.") + user("Hi"), Options(model=NEW))

    assert request.path == f"models/{NEW}:streamGenerateContent?alt=sse"
    assert request.headers == {}
    assert request.body == {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
    }


@pytest.mark.parametrize(
    ("model", "path"),
    [("models/x", "models/x"), ("tunedModels/y", "tunedModels/y"), ("a b?c#d", "models/a%20b%3Fc%23d")],
)
def test_a_models_name_cannot_leave_its_place_in_the_address(model: str, path: str) -> None:
    assert Google().encode(user("Hi"), Options(model=model)).path == f"{path}:streamGenerateContent?alt=sse"


def test_every_option_has_its_place() -> None:
    options = Options(
        model=NEW,
        temperature=0.5,
        top_p=0.9,
        max_tokens=9,
        stop=tuple("abcdefg"),
        extra={"generationConfig": {"seed": 7}, "safetySettings": []},
    )

    body = body_of(user("Hi"), options)

    assert body["generationConfig"] == {
        "temperature": 0.5,
        "topP": 0.9,
        "maxOutputTokens": 8201,
        "stopSequences": ["a", "b", "c", "d", "e"],
        "seed": 7,
    }
    assert body["safetySettings"] == []


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        (OLD, "none", {"includeThoughts": False, "thinkingBudget": 0}),
        (f"models/{OLD}", "high", {"includeThoughts": True, "thinkingBudget": 24_576}),
        (NEW, "high", {"includeThoughts": True, "thinkingLevel": "high"}),
        (NEW, "none", {"includeThoughts": False, "thinkingLevel": "minimal"}),
    ],
)
def test_old_models_think_within_a_budget_and_new_ones_at_a_level(
    model: str, effort: Any, expected: Any
) -> None:
    body = body_of(user("Hi"), Options(model=model, reasoning=effort))

    assert body["generationConfig"]["thinkingConfig"] == expected


def test_a_round_of_tools_goes_back_in_parts_with_its_signatures() -> None:
    call, other = ToolCall("c1", "roll", {"sides": 6}, tag_signature("google", "s")), ToolCall("c2", "draw")
    prompt = (
        user("Go", Image(b"\x01"), Image(media_type="image/gif", url="https://example.org/x.gif"))
        + assistant(
            ThoughtDelta("unsigned", "summary"),
            ThoughtDelta("signed", "summary", tag_signature("google", "t")),
            "Let me.",
            ThoughtDelta("", "summary", tag_signature("google", "u")),
            call,
            other,
        )
        + tool_result(call, "6")
        + tool_result(other, "torn", Image(b"\x02"), failed=True)
        + Prompt(prefill="Dear")
    )

    assert body_of(prompt, Options(model=NEW))["contents"] == [
        {
            "role": "user",
            "parts": [
                {"text": "Go"},
                {"inlineData": {"mimeType": "image/png", "data": "AQ=="}},
                {"fileData": {"mimeType": "image/gif", "fileUri": "https://example.org/x.gif"}},
            ],
        },
        {
            "role": "model",
            "parts": [
                {"text": "signed", "thought": True, "thoughtSignature": "t"},
                {"text": "Let me."},
                {"text": "", "thoughtSignature": "u"},
                {"functionCall": {"id": "c1", "name": "roll", "args": {"sides": 6}}, "thoughtSignature": "s"},
                {"functionCall": {"id": "c2", "name": "draw", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c1", "name": "roll", "response": {"result": "6"}}},
                {"functionResponse": {"id": "c2", "name": "draw", "response": {"error": "torn"}}},
                {"inlineData": {"mimeType": "image/png", "data": "Ag=="}},
            ],
        },
        {"role": "model", "parts": [{"text": "Dear"}]},
    ]


def test_calls_of_another_model_are_marked_so_that_new_models_accept_them() -> None:
    calls = assistant(ToolCall("c1", "roll", {}, tag_signature("anthropic", "x")), ToolCall("c2", "draw"))

    def signatures(model: str) -> list[str | None]:
        parts = body_of(calls, Options(model=model))["contents"][0]["parts"]
        return [part.get("thoughtSignature") for part in parts]

    assert signatures(NEW) == ["skip_thought_signature_validator", None]
    assert signatures(OLD) == [None, None]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", {"mode": "AUTO"}),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("roll", {"mode": "ANY", "allowedFunctionNames": ["roll"]}),
    ],
)
def test_tools_are_offered_and_chosen(choice: str, expected: Any) -> None:
    schema = {"type": "object", "additionalProperties": False}
    body = body_of(
        user("Go") + Prompt(tools=(ToolSpec("roll", "Rolls.", schema),)), Options(tool_choice=choice)
    )

    assert body["tools"] == [
        {"functionDeclarations": [{"name": "roll", "description": "Rolls.", "parametersJsonSchema": schema}]}
    ]
    assert body["toolConfig"] == {"functionCallingConfig": expected}


@pytest.mark.parametrize(
    ("reason", "kind", "retryable"),
    [
        ("UNEXPECTED_TOOL_CALL", ProviderError, True),
        ("MALFORMED_RESPONSE", ProviderError, True),
        ("MISSING_THOUGHT_SIGNATURE", RequestRejected, False),
    ],
)
def test_a_reason_that_is_no_end_is_an_error(reason: str, kind: type[ProviderError], retryable: bool) -> None:
    decoder = Google().decoder()
    decoder.feed(ServerEvent("message", f'{{"candidates":[{{"finishReason":"{reason}"}}]}}'))

    with pytest.raises(kind) as caught:
        decoder.flush()
    assert caught.value.retryable is retryable


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("CONTINUATION", FinishReason.PAUSED),
        ("ESCALATION", FinishReason.FILTERED),
        ("MODEL_ARMOR", FinishReason.FILTERED),
        ("PUP_LIMITED_DISABLED", FinishReason.FILTERED),
        ("SOMETHING_NEW", FinishReason.STOP),
    ],
)
def test_ending_that_is_none_is_a_complete_answer(said: str, reason: FinishReason) -> None:
    decoder = Google().decoder()
    part = {"content": {"parts": [{"text": "Hi"}]}, "finishReason": said}
    decoder.feed(ServerEvent("message", json.dumps({"candidates": [part]})))

    assert decoder.flush() == [Finish(reason)]


@pytest.mark.parametrize("said", ["NO_IMAGE", "IMAGE_OTHER"])
def test_missing_picture_is_a_complete_answer(said: str) -> None:
    decoder = Google().decoder()
    assert decoder.feed(ServerEvent("message", json.dumps({"candidates": [{"finishReason": said}]}))) == []

    with pytest.raises(ProviderError, match=said):
        decoder.flush()
