from __future__ import annotations

import dataclasses
import inspect

import pytest

from streamcord._twin.switches import DEFAULT_BUCKETS, Limit, Switches


def test_the_defaults_are_what_discord_says() -> None:
    switches = Switches()

    assert switches.buckets["messages.create"] == Limit(5, 5.0)
    assert switches.buckets["webhooks.execute"] == Limit(5, 2.0)
    assert switches.hidden_webhook_channel_limit == Limit(30, 60.0)
    assert (switches.global_rps, switches.content_limit, switches.max_webhooks) == (50, 2000, 15)


def test_switches_are_values() -> None:
    assert Switches() == Switches(buckets=DEFAULT_BUCKETS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Switches().count = "utf16"  # type: ignore[misc]


def test_every_switch_says_what_it_does() -> None:
    lines = [line.strip() for line in inspect.getsource(Switches).splitlines()]
    for field in dataclasses.fields(Switches):
        at = next(number for number, line in enumerate(lines) if line.startswith(f"{field.name}:"))

        assert lines[at + 1].startswith('"""')
