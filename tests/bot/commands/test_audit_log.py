"""The one who runs a server sees who changed what; what changed nothing is not there."""

from __future__ import annotations

import pytest

from bot.commands.using import with_commands
from bot.stage import make_config


async def test_changes_are_kept_with_who_what_and_when() -> None:
    async with with_commands() as user:
        assert "No changes have been made" in await user.says("changes")
        await user.says("settings set", name="degree", value="3")
        await user.says("settings reset", name="degree")
        await user.says("settings show")
        await user.says("memory clear")
        await user.stage.settled()
        found = await user.store.changes(user.guild)
        assert [(one.action, one.user, one.place) for one in found] == [
            ("memory clear", user.stage.twin.user.id, user.place),
            ("settings reset", user.stage.twin.user.id, user.place),
            ("settings set", user.stage.twin.user.id, user.place),
        ]
        assert found[-1].detail == "name: degree, value: 3"
        shown = await user.says("changes")
        assert shown.index("/memory clear") < shown.index("/settings set")


async def test_what_was_refused_or_only_looked_at_is_no_change() -> None:
    async with with_commands() as user:
        await user.says("settings set", user.guest, name="degree", value="3")
        await user.says("settings degree", degree=3, try_only=True)
        await user.says("model")
        await user.says("model", user.guest, name="main")
        await user.says("privacy show")
        await user.stage.settled()
        assert await user.store.changes(user.guild) == ()
        assert "permission" in await user.says("changes", user.guest)


async def test_long_values_are_shortened_and_secrets_hidden() -> None:
    async with with_commands() as user:
        key = "gsk_aB3dE5gH7jK9mN1pQ2rS4tU6"
        await user.says("settings set", name="prefill", value=f"{key} " + "x\n" * 90)
        await user.stage.settled()
        (change,) = await user.store.changes(user.guild)
        assert change.detail.startswith("name: prefill, value: [removed] x")
        assert len(change.detail) < 200
        assert "\n" not in change.detail


async def test_a_store_that_fails_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async with with_commands(config=make_config()) as user:
        await user.store.close()
        await user.use("settings set", name="degree", value="3")
    assert "was not written down" not in caplog.text, "a command that failed is no change"
