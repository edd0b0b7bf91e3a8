"""The client matrix for the two clients that are there anyway; `tools/clients.py` plays all nine."""

from __future__ import annotations

import sys

import pytest

from twin.peers.judge import FEATURES, FOLDER, judge_peer


@pytest.mark.parametrize(
    ("package", "file"), [("discord.py", "peer_discord_family.py"), ("hikari", "peer_hikari.py")]
)
async def test_a_client_does_everything(package: str, file: str) -> None:
    results = await judge_peer([sys.executable, str(FOLDER / file)], PEER=package)

    assert {feature: why for feature, why in results.items() if why} == {}
    assert results.keys() == {*FEATURES, "nothing refused"}


async def test_a_peer_that_does_nothing_is_found_out() -> None:
    results = await judge_peer([sys.executable, "-c", "input()"], login_within=0.2)

    assert list(results) == ["login", "nothing refused"]
    assert results["login"].startswith("TimeoutError")
