from __future__ import annotations

import pytest

from streamcord import ChannelGone, DeliveryError, NotAllowed, NoVoice, Refused, Unavailable
from streamcord._discord.request import Answer
from streamcord._discord.webhooks.webhook_errors import blame


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (429, 0, Unavailable),
        (503, 130000, Unavailable),
        (429, 20028, Unavailable),
        (404, 10003, ChannelGone),
        (403, 160005, NotAllowed),
        (404, 10015, NoVoice),
        (401, 50027, NoVoice),
        (403, 50013, NoVoice),
        (400, 50035, Refused),
        (400, 200000, Refused),
        (413, 40005, Refused),
        (418, 0, Refused),
    ],
)
def test_each_refusal_has_its_meaning(status: int, code: int, kind: type[DeliveryError]) -> None:
    assert type(blame(Answer(status, {"Via": "x"}, {"code": code}))) is kind


def test_a_refused_message_says_which_field_is_wrong() -> None:
    errors = {"content": {"_errors": [{"code": "X"}]}, "embeds": {"0": {"title": {"_errors": []}}}}
    error = blame(Answer(400, {}, {"code": 50035, "errors": errors}))

    assert isinstance(error, Refused)
    assert (error.status, error.code, error.fields) == (400, 50035, ("content", "embeds.0.title"))


def test_a_pause_is_as_long_as_discord_says() -> None:
    error = blame(Answer(429, {"Via": "x", "Retry-After": "1"}, {"retry_after": 0.3}))

    assert isinstance(error, Unavailable)
    assert error.retry_after == 0.3
