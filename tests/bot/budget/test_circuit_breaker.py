from __future__ import annotations

from streamcord_bot.budget.circuit_breaker import CircuitBreaker


def test_consecutive_failures_open_the_breaker_and_report_it_once() -> None:
    breaker = CircuitBreaker(errors=3, pause=60.0)

    assert [breaker.record_failure(at) for at in (1.0, 2.0, 3.0, 4.0)] == [False, False, True, False]
    assert breaker.is_open(5.0)
    assert breaker.acquire(5.0) == 64.0


def test_success_resets_the_failure_count() -> None:
    breaker = CircuitBreaker(errors=2, pause=60.0)
    breaker.record_failure(1.0)
    breaker.record_success()
    breaker.record_failure(2.0)

    assert not breaker.is_open(2.0)
    assert breaker.acquire(2.0) == 0.0


def test_half_open_breaker_lets_one_request_through() -> None:
    breaker = CircuitBreaker(errors=1, pause=60.0)
    breaker.record_failure(0.0)

    assert breaker.acquire(59.9) == 60.0
    assert breaker.acquire(60.0) == 0.0
    assert breaker.acquire(61.0) == 120.0
    breaker.record_success()
    assert breaker.acquire(62.0) == 0.0
    assert breaker.acquire(62.0) == 0.0


def test_failed_trial_opens_the_breaker_again() -> None:
    breaker = CircuitBreaker(errors=1, pause=60.0)
    breaker.record_failure(0.0)
    breaker.acquire(60.0)
    breaker.record_failure(70.0)

    assert breaker.acquire(100.0) == 130.0


def test_zero_errors_never_open_the_breaker() -> None:
    breaker = CircuitBreaker(errors=0, pause=60.0)
    for _ in range(100):
        breaker.record_failure(0.0)

    assert breaker.acquire(0.0) == 0.0
