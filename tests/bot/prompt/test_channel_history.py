from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from streamcord_bot.prompt.channel_history import MessageCache


def message(id_: int, channel: int = 7, text: str = "") -> Any:
    return SimpleNamespace(id=id_, channel=SimpleNamespace(id=channel), content=text)


def ids(found: list[Any] | None) -> list[int] | None:
    return None if found is None else [one.id for one in found]


def test_a_channel_that_was_never_read_is_not_known() -> None:
    kept = MessageCache()
    kept.add(message(1))

    assert kept.find(7, 99, 10) is None


def test_events_during_a_history_fetch_are_kept() -> None:
    kept = MessageCache()
    kept.open(7)
    kept.add(message(3, text="edited since"))
    kept.fill(7, [message(3, text="old"), message(2), message(1)])
    kept.add(message(4))

    found = kept.find(7, 99, 3)
    assert ids(found) == [4, 3, 2]
    assert found is not None
    assert found[1].content == "edited since"
    assert ids(kept.find(7, 2, 10)) == [2, 1]


def test_changes_and_deletions_count() -> None:
    kept = MessageCache()
    kept.open(7)
    kept.fill(7, [message(1), message(2), message(3)])
    kept.update(message(2, text="new"))
    kept.update(message(9, text="unknown"))
    kept.remove(7, [1, 99])
    kept.remove(8, [1])

    found = kept.find(7, 99, 10)
    assert ids(found) == [3, 2]
    assert found is not None
    assert found[1].content == "new"


def test_memory_is_bounded_by_messages_and_by_channels() -> None:
    kept = MessageCache(max_messages=5, max_channels=2)
    for channel in (1, 2, 3):
        kept.open(channel)
        kept.fill(channel, [message(number, channel) for number in range(10)])

    assert kept.find(1, 99, 5) is None
    assert ids(kept.find(3, 99, 5)) == [9, 8, 7, 6, 5]
    assert kept.find(3, 99, 6) is None
    kept.fill(1, [message(1, 1)])
    assert kept.find(1, 99, 5) is None


def test_after_a_lost_session_all_is_forgotten() -> None:
    kept = MessageCache()
    kept.open(7)
    kept.fill(7, [message(1)])
    kept.forget()

    assert kept.find(7, 99, 5) is None
