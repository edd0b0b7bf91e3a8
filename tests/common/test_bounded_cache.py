from __future__ import annotations

from streamcord._common.bounded_cache import BoundedCache


def test_the_oldest_is_forgotten_first() -> None:
    cache: BoundedCache[int, str] = BoundedCache(2)
    cache.keep(1, "a")
    cache.keep(2, "b")
    cache.keep(3, "c")

    assert [*cache.values()] == ["b", "c"]
    assert [*cache.items()] == [(2, "b"), (3, "c")]
    assert 1 not in cache


def test_what_is_used_is_kept_longer() -> None:
    cache: BoundedCache[int, str] = BoundedCache(2)
    cache.keep(1, "a")
    cache.keep(2, "b")
    assert cache.find(1) == "a"
    cache.keep(3, "c")

    assert (cache.find(1), cache.find(2), len(cache)) == ("a", None, 2)


def test_what_is_kept_anew_is_the_newest() -> None:
    cache: BoundedCache[int, str] = BoundedCache(2)
    cache.keep(1, "a")
    cache.keep(2, "b")
    assert cache.keep(1, "A") == "A"
    cache.keep(3, "c")

    assert [*cache.items()] == [(1, "A"), (3, "c")]


def test_what_is_missing_is_made_once() -> None:
    cache: BoundedCache[int, list[int]] = BoundedCache(2)
    made = cache.find_or_make(1, list)
    cache.keep(2, [])

    assert cache.find_or_make(1, list) is made
    cache.keep(3, [])
    assert 2 not in cache


def test_what_is_in_use_is_not_forgotten() -> None:
    cache: BoundedCache[int, list[int]] = BoundedCache(1, in_use=bool)
    busy = cache.keep(1, [1])
    cache.keep(2, [])
    assert len(cache) == 2

    busy.clear()
    cache.keep(3, [])
    assert [key for key, _ in cache.items()] == [3]


def test_what_is_dropped_is_gone_and_may_be_dropped_again() -> None:
    cache: BoundedCache[int, str] = BoundedCache(2)
    cache.keep(1, "a")

    assert (cache.drop(1), cache.drop(1), cache.find(1)) == ("a", None, None)


def test_a_cap_may_be_on_the_sizes_together() -> None:
    cache: BoundedCache[int, bytes] = BoundedCache(5, size=len)
    cache.keep(1, b"aa")
    cache.keep(2, b"bb")
    cache.keep(3, b"ccc")
    assert [key for key, _ in cache.items()] == [2, 3]

    cache.keep(4, b"dddddddd")
    assert [key for key, _ in cache.items()] == [4]


def test_what_is_only_looked_at_is_not_kept_longer() -> None:
    cache: BoundedCache[int, str] = BoundedCache(2)
    cache.keep(1, "a")
    cache.keep(2, "b")
    assert (cache.peek(1), cache.peek(9)) == ("a", None)
    cache.keep(3, "c")

    assert 1 not in cache
    cache.clear()
    assert len(cache) == 0


def test_empty_values_are_bounded_and_each_costs_the_same() -> None:
    sized: list[bytes] = []

    def measure(value: bytes) -> int:
        sized.append(value)
        return len(value)

    cache: BoundedCache[int, bytes] = BoundedCache(100, size=measure)
    for key in range(1000):
        cache.keep(key, b"")
    assert len(cache) == 100
    assert len(sized) == 1000
    cache.keep(1000, b"x" * 60)
    assert len(cache) == 41
    cache.keep(1000, b"x")
    cache.drop(1000)
    assert len(cache) == 40
    cache.clear()
    cache.keep(1, b"y" * 500)
    assert cache.find(1) == b"y" * 500
