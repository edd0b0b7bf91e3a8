from __future__ import annotations

from streamcord_bot.budget.circuit_breaker import Breaker


def test_failures_in_a_row_open_it_and_it_says_so_once() -> None:
    breaker = Breaker(errors=3, pause=60.0)

    assert [breaker.note_failure(at) for at in (1.0, 2.0, 3.0, 4.0)] == [False, False, True, False]
    assert breaker.is_open(5.0)
    assert breaker.ask(5.0) == 64.0


def test_a_success_in_between_begins_the_count_anew() -> None:
    breaker = Breaker(errors=2, pause=60.0)
    breaker.note_failure(1.0)
    breaker.note_success()
    breaker.note_failure(2.0)

    assert not breaker.is_open(2.0)
    assert breaker.ask(2.0) == 0.0


def test_after_the_pause_one_tries_and_the_others_wait_for_how_it_ends() -> None:
    breaker = Breaker(errors=1, pause=60.0)
    breaker.note_failure(0.0)

    assert breaker.ask(59.9) == 60.0
    assert breaker.ask(60.0) == 0.0
    assert breaker.ask(61.0) == 120.0
    breaker.note_success()
    assert breaker.ask(62.0) == 0.0
    assert breaker.ask(62.0) == 0.0


def test_one_that_fails_after_the_pause_opens_it_again() -> None:
    breaker = Breaker(errors=1, pause=60.0)
    breaker.note_failure(0.0)
    breaker.ask(60.0)
    breaker.note_failure(70.0)

    assert breaker.ask(100.0) == 130.0


def test_nought_errors_never_open_it() -> None:
    breaker = Breaker(errors=0, pause=60.0)
    for _ in range(100):
        breaker.note_failure(0.0)

    assert breaker.ask(0.0) == 0.0
