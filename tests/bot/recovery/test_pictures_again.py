"""The picture of a table is there and no row tells of it: it is shown once, whatever changed since."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.models import Model
from bot.recovery.again import left_by_a_kill, life, recovered
from bot.test_abuse_scenarios import forbid
from discord_twin import Permission, Twin
from streamcord._store.database import WRITE_AHEAD_SUFFIX
from twin.conftest import FREE

LINE = "This line says something that is worth reading."
TABLE = "| name | points |\n|---|---|\n| Ada | 3 |\n| Bob | 5 |"
LIVE: dict[str, Any] = {"settings": {"degree": 0, "delivery": "live", "tables": "card", "typing": "off"}}


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


def shown(twin: Twin) -> list[str]:
    """The words of each message, and a mark for each picture."""
    own = (one for one in twin.channel.messages.values() if one.by_machine)
    texts = ((one, [part["content"] for part in one.draft.components if part["type"] == 10]) for one in own)
    return ["".join([one.content, *words, *("[picture]" for _ in one.attachments)]) for one, words in texts]


async def killed_before_the_row(twin: Twin, file: Path, text: str) -> Path:
    """The picture is brought by an edit; its process dies before it has written that."""
    async with life(twin, file, Model([text, asyncio.Event()]), **LIVE) as stage:
        stage.ask("show it")
        await twin.until(lambda: any("[picture]" in one for one in shown(twin)))
        before = written(file)
        killed = await left_by_a_kill(stage, file, once="delivered")
        # What the next life finds is what was written before the edit.
        write(killed, before)
    return killed


def written(file: Path) -> bytes:
    return Path(f"{file}{WRITE_AHEAD_SUFFIX}").read_bytes()


def write(file: Path, rows: bytes) -> None:
    Path(f"{file}{WRITE_AHEAD_SUFFIX}").write_bytes(rows)


@pytest.mark.parametrize("lost", [False, True], ids=["may attach", "may not attach any more"])
async def test_a_picture_that_an_edit_brought_is_not_shown_again(
    lost: bool, twin: Twin, tmp_path: Path
) -> None:
    killed = await killed_before_the_row(twin, tmp_path / "s.db", f"{LINE}\n\n{TABLE}\n\nAnd so")
    if lost:
        forbid(twin, twin.channel, Permission.ATTACH_FILES)

    async with life(twin, killed, Model([" it ends."]), **LIVE) as stage:
        await recovered(stage)
        await stage.quiet()

    assert shown(twin) == [f"{LINE}[picture]", "And so it ends."]
