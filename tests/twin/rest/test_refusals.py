from __future__ import annotations

import pytest

from streamcord._twin.rest.refusals import CODES, Refusal, invalid_form

# Every code of the table that a sender must know (§1.6), with the class of its HTTP status.
NEEDED = {
    10003: 4, 10004: 4, 10008: 4, 10015: 4, 10062: 4, 20016: 4, 20028: 4, 20029: 4, 30007: 4, 30015: 4,
    30046: 4, 30058: 4, 40005: 4, 40060: 4, 40062: 4, 40094: 4, 40333: 4, 50001: 4, 50006: 4, 50007: 4,
    50008: 4, 50013: 4, 50014: 4, 50024: 4, 50027: 4, 50035: 4, 50045: 4, 50068: 4, 50083: 4, 50109: 4,
    110000: 5, 130000: 5, 160002: 4, 160005: 4, 160006: 4, 200000: 4, 240000: 4,
}  # fmt: skip


def test_every_code_that_a_sender_must_know_is_there() -> None:
    assert {code: CODES[code][0] // 100 for code in NEEDED} == NEEDED


def test_a_webhook_token_that_is_invalid_is_401() -> None:
    assert (Refusal(50027).status, Refusal(50027).body()["code"]) == (401, 50027)


@pytest.mark.parametrize("code", CODES)
def test_a_refusal_says_what_it_is(code: int) -> None:
    refusal = Refusal(code)

    assert refusal.body() == {"message": refusal.message, "code": code}
    assert str(code) in str(refusal)


def test_a_form_error_names_its_place() -> None:
    refusal = invalid_form("embeds.0.title", "CODE", "sentence")

    assert refusal.body()["errors"] == {
        "embeds": {"0": {"title": {"_errors": [{"code": "CODE", "message": "sentence"}]}}}
    }
