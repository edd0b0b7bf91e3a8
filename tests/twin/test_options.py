from __future__ import annotations

import dataclasses
import inspect

import pytest

from discord_twin.options import DEFAULT_BUCKETS, Limit, TwinOptions


def test_the_defaults_are_what_discord_says() -> None:
    options = TwinOptions()

    assert options.buckets["messages.create"] == Limit(5, 5.0)
    assert options.buckets["webhooks.execute"] == Limit(5, 2.0)
    assert options.hidden_webhook_channel_limit == Limit(30, 60.0)
    assert (options.global_rps, options.content_limit, options.max_webhooks) == (50, 2000, 15)


def test_switches_are_values() -> None:
    assert TwinOptions() == TwinOptions(buckets=DEFAULT_BUCKETS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        TwinOptions().count = "utf16"  # type: ignore[misc]


def test_every_switch_says_what_it_does() -> None:
    lines = [line.strip() for line in inspect.getsource(TwinOptions).splitlines()]
    for field in dataclasses.fields(TwinOptions):
        at = next(number for number, line in enumerate(lines) if line.startswith(f"{field.name}:"))

        assert lines[at + 1].startswith('"""')
