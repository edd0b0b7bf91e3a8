from __future__ import annotations

from typing import Any

import pytest

from streamcord._discord.request import Answer
from streamcord._discord.webhooks.webhook_limits import BAN, EPISODE, Budget, is_ban

VIA = {"Via": "1.1 google"}


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def taken(remaining: object = 3, after: object = 2.0) -> Answer:
    headers = {"X-RateLimit-Remaining": str(remaining), "X-RateLimit-Reset-After": str(after)}
    return Answer(200, {**VIA, **headers})


def refused(after: float, remaining: int = 0, **more: Any) -> Answer:
    return Answer(429, {**VIA, "X-RateLimit-Remaining": str(remaining), **more}, {"retry_after": after})


def test_a_budget_that_nobody_used_asks_for_no_pause() -> None:
    assert Budget(Time()).pause() == 0


def test_after_the_last_request_the_reset_is_waited_for() -> None:
    time = Time()
    budget = Budget(time)
    budget.note(taken(1))
    assert budget.pause() == 0
    budget.note(taken(0, 1.5))
    assert budget.pause() == 1.5
    time.now += 1.5
    assert budget.pause() == 0


def test_a_refusal_is_waited_for_as_long_as_it_says() -> None:
    budget = Budget(Time())
    budget.note(refused(12.5))
    budget.note(refused(3.0))

    assert budget.pause() == 12.5


def test_a_wait_of_nothing_is_none() -> None:
    time = Time()
    budget = Budget(time)
    budget.note(taken(0, 0.1 + 0.2))
    time.now = 1000.0 + 0.3 - 1e-9

    assert budget.pause() == 0


def test_a_hidden_limit_is_kept_once_it_was_met() -> None:
    time = Time()
    budget = Budget(time)
    for _ in range(30):
        budget.note(taken())
        time.now += 1
    assert budget.pause() == 0
    budget.note(refused(30.0, remaining=4))
    time.now += 30
    for _ in range(30):
        assert budget.pause() == 0
        budget.note(taken())
        time.now += 1

    assert budget.pause() == 30
    time.now += EPISODE
    assert budget.pause() == 0


def test_cloudflare_is_left_alone_for_a_while() -> None:
    banned = Answer(429, {"Retry-After": "3"})
    budget = Budget(Time())
    budget.note(banned)

    assert is_ban(banned)
    assert not is_ban(refused(1.0))
    assert budget.pause() == BAN


@pytest.mark.parametrize(("remaining", "after"), [("-3", "-4.5"), ("0", "soon"), ("0", ""), ("", "5")])
def test_nonsense_in_headers_means_nothing(remaining: str, after: str) -> None:
    budget = Budget(Time())
    budget.note(taken(remaining, after))

    assert budget.pause() == 0


def test_no_header_makes_us_wait_for_ever() -> None:
    budget = Budget(Time())
    budget.note(taken(0, 1e300))

    assert budget.pause() == EPISODE
