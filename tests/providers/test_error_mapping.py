from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.streams import share
from streamcord._exceptions import ContentBlocked, Overloaded, ProviderError, RateLimited, RequestRejected
from streamcord._providers.error_mapping import ErrorPayload, parse_error_payload, to_error
from streamcord._providers.retry_after import retry_after

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)

# Nested values of any shape, as a hostile server could send them.
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "message", "code", "type", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("body", "kind", "advice"),
    [
        ({"error": {"message": "bad", "type": "invalid_request_error"}}, RequestRejected, "parameters"),
        (
            {"error": {"type": "invalid_request_error", "code": "invalid_api_key"}},
            RequestRejected,
            "Check the key",
        ),
        (
            {"error": {"type": "invalid_request_error", "code": "model_not_found"}},
            RequestRejected,
            "this model",
        ),
        (
            {"error": {"type": "insufficient_quota", "code": "insufficient_quota"}},
            RequestRejected,
            "no credit",
        ),
        ({"error": {"type": "tokens", "code": "rate_limit_exceeded"}}, RateLimited, "slow down"),
        ({"error": {"message": "oh", "type": "server_error"}}, Overloaded, "in a moment"),
        ({"type": "error", "error": {"type": "overloaded_error"}}, Overloaded, "in a moment"),
        ({"type": "error", "error": {"type": "authentication_error"}}, RequestRejected, "Check the key"),
        ({"type": "error", "error": {"type": "request_too_large"}}, RequestRejected, "too long"),
        ({"error": {"code": 503, "message": "x", "status": "UNAVAILABLE"}}, Overloaded, "in a moment"),
        ([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}], RateLimited, "slow down"),
        (
            {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}},
            RequestRejected,
            "Check the key",
        ),
        ({"error": {"code": 402, "message": "Insufficient Balance"}}, RequestRejected, "no credit"),
        ({"object": "error", "type": "BadRequestError", "code": 400}, RequestRejected, "parameters"),
        ({"error": "model is overloaded"}, Overloaded, "in a moment"),
        ({"error": {"message": "blocked", "code": "content_filter"}}, ContentBlocked, "other words"),
        ({"error": {"code": 403, "metadata": {"reasons": ["y"]}}}, ContentBlocked, "other words"),
        ({"error": {"message": "what is this"}}, ProviderError, "another model"),
        (
            {"error": {"message": "maximum context length is 8", "type": "invalid_request_error"}},
            RequestRejected,
            "too long",
        ),
        ({"error": True}, ProviderError, "another model"),
    ],
)
def test_every_shape_of_complaint_is_understood(body: Any, kind: type[ProviderError], advice: str) -> None:
    complaint = parse_error_payload(body)

    assert complaint is not None
    error = to_error(complaint)
    assert type(error) is kind
    assert advice in error.user_message
    assert error.retryable is (kind in {RateLimited, Overloaded})


def test_an_error_says_what_the_server_said() -> None:
    complaint = parse_error_payload({"error": {"message": "top up", "type": "insufficient_quota"}})

    assert complaint is not None
    assert str(to_error(complaint, 429)) == "The provider answered 429 insufficient_quota: top up"


@pytest.mark.parametrize("body", [{}, {"error": None}, {"choices": []}, [], "x", None, 3, {"message": "hi"}])
def test_what_does_not_complain_is_no_complaint(body: Any) -> None:
    assert parse_error_payload(body) is None


@pytest.mark.parametrize(
    "body", [{"message": "no"}, {"detail": [{"msg": "no"}]}, {"statusCode": 401, "message": "no"}]
)
def test_a_failed_response_may_complain_without_the_word_error(body: Any) -> None:
    complaint = parse_error_payload(body, failed=True)

    assert complaint is not None
    assert "no" in complaint.message


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, RequestRejected) for status in (400, 401, 402, 403, 404, 413, 418, 422)),
        *((status, Overloaded) for status in (408, 409, 500, 502, 503, 504, 529, 599)),
        (429, RateLimited),
        (302, ProviderError),
    ],
)
def test_a_bare_status_is_enough(status: int, kind: type[ProviderError]) -> None:
    assert type(to_error(ErrorPayload(), status)) is kind


@pytest.mark.parametrize(("status", "kind"), [(429, RateLimited), (503, Overloaded), (529, Overloaded)])
def test_a_pause_that_was_asked_for_is_kept_and_changes_nothing_else(
    status: int, kind: type[ProviderError]
) -> None:
    busy = to_error(ErrorPayload("later"), status, 7.0)

    assert type(busy) is kind
    assert busy.retry_after == 7.0
    assert to_error(ErrorPayload("later"), status).retry_after is None


def test_googles_delay_and_openrouters_inner_words_are_kept() -> None:
    google = parse_error_payload({"error": {"code": 429, "details": [{"retryDelay": "3.5s"}]}})
    openrouter = parse_error_payload(
        {"error": {"code": 502, "message": "Upstream", "metadata": {"raw": "it melted"}}}
    )

    assert google is not None
    assert google.pause == 3.5
    assert openrouter is not None
    assert openrouter.message == "Upstream: it melted"


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "-4"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_a_pause_is_a_number_or_a_date(headers: dict[str, str], pause: float | None) -> None:
    assert retry_after(headers, NOW) == pause


def test_a_long_complaint_is_cut() -> None:
    complaint = parse_error_payload({"error": {"message": "x" * 10_000, "type": "y" * 10_000}})

    assert complaint is not None
    assert len(str(to_error(complaint))) < 800


@given(JSON)
@share(8)
def test_no_shape_breaks_the_reading(body: Any) -> None:
    for failed in (False, True):
        complaint = parse_error_payload(body, failed=failed)
        if complaint is not None:
            assert isinstance(to_error(complaint), ProviderError)


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        ({"error": {"message": "no", "param": "temperature"}}, "temperature"),
        ({"detail": [{"loc": ["body", "max_tokens"], "msg": "no", "input": "stop"}]}, "max_tokens"),
        (
            {
                "error": {
                    "code": 400,
                    "details": [{"fieldViolations": [{"field": "generation_config.top_p"}]}],
                }
            },
            "generation_config.top_p",
        ),
        ({"error": {"message": "temperature", "param": None, "details": ["stop"]}}, ""),
        ({"detail": [{"loc": ["body"], "msg": "stop"}]}, ""),
    ],
)
def test_the_field_that_a_server_names_is_read_apart_from_its_words(
    body: dict[str, object], parameter: str
) -> None:
    payload = parse_error_payload(body, failed=True)
    assert payload is not None
    error = to_error(payload, 400)
    assert isinstance(error, RequestRejected)
    assert error.parameter == parameter


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (429, "insufficient_quota", "The provider answered 429 insufficient_quota"),
        (400, "context_length_exceeded", "The provider answered 400 context_length_exceeded"),
        (None, "insufficient_quota", "The provider answered 402 insufficient_quota"),
    ],
)
def test_log_names_the_status_that_was_answered(status: int | None, kind: str, words: str) -> None:
    failure = parse_error_payload({"error": {"message": "no", "code": kind}})

    assert failure is not None
    assert to_error(failure, status).summary == f"{words} (log.text shows its words)"
