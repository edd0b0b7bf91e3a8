from __future__ import annotations

import pytest

from discord_twin.clock import DrivenClock, ScaledClock
from discord_twin.options import Limit, TwinOptions
from discord_twin.rate_limits import Limiter, Meter

FIVE = Limit(5, 5.0)


class Limited:
    def __init__(self, options: TwinOptions | None = None) -> None:
        self.clock = DrivenClock()
        self.options = options or TwinOptions()
        self.limiter = Limiter(self.clock, lambda: self.options)

    def refused(self, count: int, route: str = "messages.create", major: str = "1") -> list[str]:
        return [self.limiter.admit(route, major, "bot", 1).scope for _ in range(count)]


def test_a_leaky_meter_gives_one_back_at_a_time() -> None:
    meter = Meter()
    waits = [meter.acquire(FIVE, 100.0, leaky=True) for _ in range(6)]

    assert waits == [0, 0, 0, 0, 0, 1.0]
    assert meter.acquire(FIVE, 100.5, leaky=True) == pytest.approx(0.5)
    assert meter.acquire(FIVE, 101.0, leaky=True) == 0
    assert (meter.remaining(FIVE), meter.reset_after(FIVE, 101.0, leaky=True)) == (0, 5.0)


def test_a_fixed_meter_gives_all_back_at_the_end_of_its_window() -> None:
    meter = Meter()
    for at in (100.0, 101.0, 102.0, 103.0, 104.0):
        assert meter.acquire(FIVE, at, leaky=False) == 0

    assert meter.acquire(FIVE, 104.0, leaky=False) == 1.0
    assert meter.acquire(FIVE, 105.0, leaky=False) == 0
    assert (meter.remaining(FIVE), meter.reset_after(FIVE, 105.0, leaky=False)) == (4, 5.0)


def test_each_route_may_have_a_bucket_of_its_own() -> None:
    limited = Limited(TwinOptions(buckets={"a": Limit(1, 1.0)}, other_bucket=Limit(2, 1.0)))

    assert limited.refused(2, "a") == ["", "user"]
    assert limited.refused(3, "b") == ["", "", "user"]
    assert limited.refused(1, "a", major="2") == [""]


def test_the_global_limit_comes_first_and_spends_no_bucket() -> None:
    limited = Limited(TwinOptions(global_rps=3))

    assert limited.refused(4) == ["", "", "", "global"]
    limited.clock.jump(1.0)
    assert limited.limiter.admit("messages.create", "1", "bot", 1).headers["X-RateLimit-Remaining"] == "2"


def test_retry_after_is_rounded_up_to_milliseconds() -> None:
    limited = Limited(TwinOptions(buckets={"messages.create": Limit(3, 1.0)}))
    limited.refused(3)
    limited.clock.jump(0.0001)
    refused = limited.limiter.admit("messages.create", "1", "bot", 1)

    assert refused.retry_after == 0.334
    assert refused.headers["Retry-After"] == "1"


def test_retry_after_is_scaled_with_the_clock() -> None:
    limiter = Limiter(ScaledClock(100), TwinOptions)
    admitted = [limiter.admit("messages.create", "1", "bot", 1) for _ in range(6)]

    assert float(admitted[4].headers["X-RateLimit-Reset-After"]) <= 0.05
    assert 0 < admitted[5].retry_after <= 0.01


def test_another_process_can_drain_a_bucket() -> None:
    limited = Limited()
    limited.limiter.drain("messages.create", "1", 3)

    assert limited.refused(3) == ["", "", "user"]
    limited.clock.jump(60)
    limited.limiter.drain("messages.create", "1")
    assert limited.refused(1) == ["user"]


def test_hashes_change_and_what_was_used_stays_used() -> None:
    limited = Limited()
    limited.refused(5)
    before = limited.limiter.bucket("messages.create")
    limited.limiter.change_hashes()

    assert limited.limiter.bucket("messages.create") != before
    assert limited.refused(1) == ["user"]


def test_a_refusal_on_demand_says_its_scope() -> None:
    limiter = Limited().limiter
    user = limiter.refuse("messages.create", "1", 12.5, "user")
    shared = limiter.refuse("messages.create", "1", 0.3, "shared")
    everywhere = limiter.refuse("messages.create", "1", 2.0, "global")

    assert (user.retry_after, user.headers["X-RateLimit-Remaining"]) == (12.5, "0")
    assert user.headers["X-RateLimit-Reset-After"] == "12.500"
    assert (shared.scope, shared.headers["X-RateLimit-Remaining"]) == ("shared", "5")
    assert (everywhere.headers["X-RateLimit-Global"], "X-RateLimit-Limit" in everywhere.headers) == (
        "true",
        False,
    )


def test_invalid_answers_lead_to_a_ban_that_ends() -> None:
    limited = Limited(TwinOptions(invalid_request_ban=Limit(3, 600.0)))
    limiter = limited.limiter
    for status, scope in ((401, ""), (403, ""), (200, ""), (404, ""), (429, "shared")):
        limiter.count_invalid(status, scope)
    assert not limiter.is_banned
    limited.clock.jump(100)
    limiter.count_invalid(429, "user")

    assert limiter.is_banned
    assert limiter.ban_left == 500.0
    limited.clock.jump(500)
    assert not limiter.is_banned
