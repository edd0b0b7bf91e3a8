from __future__ import annotations

from typing import Any

import aiohttp
import discord
import pytest

from streamcord import (
    ChannelGone,
    DeliveryError,
    DeliveryUnavailable,
    DeliveryUncertain,
    MessageRefused,
    NotAllowed,
    WebhookUnavailable,
)
from streamcord._discord.errors import delivery_error, webhook_error
from streamcord._discord.raw_http import Response as RawResponse

# --- Api errors ---


class Response:
    """As much of a response as an exception of discord.py looks at."""

    reason = "because"

    def __init__(self, status: int, via: bool = True) -> None:
        self.status = status
        self.headers = {"Via": "1.1 google"} if via else {}


def refusal(status: int, code: int = 0, *, via: bool = True, **body: Any) -> discord.HTTPException:
    answer: Any = Response(status, via)
    return discord.HTTPException(answer, {"code": code, "message": "no", **body})


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (refusal(404, 10003), ChannelGone),
        (refusal(404, 10004), ChannelGone),
        (refusal(403, 50013), NotAllowed),
        (refusal(403, 50001), NotAllowed),
        (refusal(403, 50007), NotAllowed),
        (refusal(403, 160005), NotAllowed),
        (refusal(403), NotAllowed),
        (refusal(401, 40001), NotAllowed),
        (refusal(401), NotAllowed),
        (refusal(403, 160002), MessageRefused),
        (refusal(403, 160009), MessageRefused),
        (refusal(403, 160010), MessageRefused),
        (refusal(400, 50006), MessageRefused),
        (refusal(404, 10008), MessageRefused),
        (refusal(429), DeliveryUnavailable),
        (refusal(429, 20028), DeliveryUnavailable),
        (refusal(503, 130000), DeliveryUnavailable),
        (refusal(500), DeliveryUncertain),
        (refusal(408), DeliveryUncertain),  # a proxy did not wait any longer
        (aiohttp.ConnectionTimeoutError(), DeliveryUnavailable),
        (refusal(503), DeliveryUncertain),
        (refusal(524), DeliveryUncertain),
        (discord.RateLimited(65.0), DeliveryUnavailable),
        (TimeoutError(), DeliveryUncertain),
        (RuntimeError("Session is closed"), DeliveryError),
        (aiohttp.ServerDisconnectedError(), DeliveryUncertain),
        (ConnectionResetError(), DeliveryUncertain),
        (KeyError("id"), DeliveryUncertain),
        (aiohttp.ClientConnectorError(Any, OSError(111, "refused")), DeliveryUnavailable),  # type: ignore[arg-type]
    ],
)
def test_what_went_wrong_is_refused_not_sent_or_uncertain(
    error: Exception, kind: type[DeliveryError]
) -> None:
    assert type(delivery_error(error)) is kind


def test_with_a_nonce_whatever_is_uncertain_may_be_tried_again() -> None:
    for error in (refusal(502), TimeoutError()):
        found = delivery_error(error)
        assert isinstance(found, DeliveryUncertain)
        assert found.retryable


def test_a_refusal_names_code_fields_and_limit() -> None:
    length = {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 1500 or fewer in length."}]}
    found = delivery_error(
        refusal(400, 50035, errors={"content": length, "embeds": {"0": {"title": length}}})
    )

    assert isinstance(found, MessageRefused)
    assert (found.status, found.code, found.limit) == (400, 50035, 1500)
    assert found.fields == ("content", "embeds.0.title")


def test_a_pause_is_as_long_as_discord_said_and_minutes_for_cloudflare() -> None:
    pauses = [
        delivery_error(error) for error in (discord.RateLimited(65.0), refusal(429, via=False), refusal(429))
    ]

    assert [getattr(error, "retry_after", 0) for error in pauses] == [65.0, 300.0, None]


def test_an_error_of_ours_stays_as_it_is() -> None:
    error = ChannelGone("gone")

    assert delivery_error(error) is error


def test_no_address_and_no_text_is_passed_on() -> None:
    secret = "https://discord.com/api/webhooks/1/SECRET"
    texts = [str(delivery_error(error)) for error in (OSError(secret), refusal(400, 1, message=secret))]

    assert [text for text in texts if "SECRET" in text] == []


# --- Webhook errors ---


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (429, 0, DeliveryUnavailable),
        (503, 130000, DeliveryUnavailable),
        (429, 20028, DeliveryUnavailable),
        (404, 10003, ChannelGone),
        (403, 160005, NotAllowed),
        (404, 10015, WebhookUnavailable),
        (401, 50027, WebhookUnavailable),
        (403, 50013, WebhookUnavailable),
        (400, 50035, MessageRefused),
        (400, 200000, MessageRefused),
        (413, 40005, MessageRefused),
        (418, 0, MessageRefused),
    ],
)
def test_each_refusal_has_its_meaning(status: int, code: int, kind: type[DeliveryError]) -> None:
    assert type(webhook_error(RawResponse(status, {"Via": "x"}, {"code": code}))) is kind


def test_a_refused_message_says_which_field_is_wrong() -> None:
    errors = {"content": {"_errors": [{"code": "X"}]}, "embeds": {"0": {"title": {"_errors": []}}}}
    error = webhook_error(RawResponse(400, {}, {"code": 50035, "errors": errors}))

    assert isinstance(error, MessageRefused)
    assert (error.status, error.code, error.fields) == (400, 50035, ("content", "embeds.0.title"))


def test_a_pause_is_as_long_as_discord_says() -> None:
    error = webhook_error(RawResponse(429, {"Via": "x", "Retry-After": "1"}, {"retry_after": 0.3}))

    assert isinstance(error, DeliveryUnavailable)
    assert error.retry_after == 0.3


def test_the_limit_of_a_proxy_is_no_ban() -> None:
    error = refusal(429, via=False)
    error.response.headers["generated-by-proxy"] = "true"  # type: ignore[index]

    told = delivery_error(error)

    assert isinstance(told, DeliveryUnavailable)
    assert told.retry_after is None
    assert not RawResponse(429, {"generated-by-proxy": "true"}).is_from_cloudflare
    assert RawResponse(408, {}).is_ambiguous
