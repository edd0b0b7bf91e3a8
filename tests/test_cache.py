from __future__ import annotations

from streamcord._cache import Recent


def test_the_oldest_is_forgotten_first() -> None:
    recent: Recent[int, str] = Recent(2)
    recent.keep(1, "a")
    recent.keep(2, "b")
    recent.keep(3, "c")

    assert [*recent.values()] == ["b", "c"]
    assert 1 not in recent


def test_what_is_used_is_kept_longer() -> None:
    recent: Recent[int, str] = Recent(2)
    recent.keep(1, "a")
    recent.keep(2, "b")
    assert recent.find(1) == "a"
    recent.keep(3, "c")

    assert (recent.find(1), recent.find(2), len(recent)) == ("a", None, 2)


def test_what_is_dropped_is_gone_and_may_be_dropped_again() -> None:
    recent: Recent[int, str] = Recent(2)
    recent.keep(1, "a")
    recent.drop(1)
    recent.drop(1)

    assert recent.find(1) is None
