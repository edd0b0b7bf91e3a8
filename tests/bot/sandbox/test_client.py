from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.personas.sample_cards import PLAIN, PROMPT, V2, as_json, as_png, v3
from streamcord import Persona
from streamcord.store import Picture, StoredPersona
from streamcord_bot.personas.character_cards import CardError, read_card
from streamcord_bot.personas.pictures import PictureError
from streamcord_bot.sandbox.client import WAITING_CAP, SandboxClient, requesting_guild

HEAVY = b'{"name": "x", "a": [' + b"[]," * 2_700_000 + b"1]}"


@pytest.fixture
async def file_reader() -> AsyncIterator[SandboxClient]:
    reader = SandboxClient()
    yield reader
    await reader.close()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def environment_of(pid: int) -> bytes:
    told = Path(f"/proc/{pid}/environ")
    return told.read_bytes() if told.exists() else b""


async def test_a_card_comes_out_as_if_it_was_read_here(file_reader: SandboxClient) -> None:
    sprites = [
        {"type": "emotion", "name": "shy", "uri": "https://example.com/s.png"},
        {"type": "emotion", "name": "no"},
    ]
    content = as_png(v3(assets=sprites), "ccv3")

    card = await file_reader.read_card(content, 5)

    here = read_card(content)
    # What was read is counted in the worker.
    assert card == replace(here, stored=replace(here.stored, guild=5), report=card.report)
    assert card.report["used"] == 3
    assert (card.stored.prompt, list(card.refused)) == (PROMPT, ["no"])


async def test_a_card_goes_out_and_comes_in_again(file_reader: SandboxClient) -> None:
    stored = StoredPersona(Persona("Luna", ("Lu",), alter=True), 0, PROMPT, "Mew.", json.dumps(V2))
    sprites = {"mad": Picture("https://example.com/mad.png", PLAIN, "image/png")}
    written = await file_reader.write_card(
        stored, Picture(content=PLAIN, kind="image/png"), sprites, "png", 10**6
    )

    card = await file_reader.read_card(written)

    assert (card.stored.persona, card.stored.prompt, card.stored.greeting) == (stored.persona, PROMPT, "Mew.")
    assert card.sprites == {"mad": Picture("", PLAIN, "image/png")}
    assert card.picture == Picture(content=PLAIN, kind="image/png")


async def test_pictures_are_checked_and_made_small(file_reader: SandboxClient) -> None:
    assert await file_reader.check_picture(PLAIN) == Picture("", PLAIN, "image/png")
    assert (await file_reader.shrink(PLAIN)).startswith(b"\x89PNG")
    with pytest.raises(PictureError, match="not a picture"):
        await file_reader.check_picture(b"hello")
    with pytest.raises(CardError, match="no JSON"):
        await file_reader.read_card(b"hello")


async def test_one_process_reads_many_files_until_one_costs_too_much(file_reader: SandboxClient) -> None:
    await file_reader.check_picture(PLAIN)
    first = file_reader.pid
    await asyncio.gather(*(file_reader.read_card(as_json(V2)) for _ in range(5)))
    assert file_reader.pid == first

    with pytest.raises(CardError, match="more time or memory"):
        await file_reader.read_card(HEAVY)

    assert not is_alive(first)
    assert (await file_reader.read_card(as_json(V2))).stored.name == "Luna"


async def test_nobody_waits_for_a_file_without_an_end() -> None:
    file_reader = SandboxClient(seconds=0.01)
    with pytest.raises(PictureError, match="more time or memory"):
        await file_reader.check_picture(PLAIN)
    assert file_reader.pid == 0
    await file_reader.close()


async def test_who_stops_waiting_leaves_no_answer_for_the_next(file_reader: SandboxClient) -> None:
    await file_reader.check_picture(PLAIN)
    first = asyncio.create_task(file_reader.read_card(HEAVY))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first

    assert (await file_reader.check_picture(PLAIN)).kind == "image/png"


async def test_a_queue_has_an_end(file_reader: SandboxClient) -> None:
    waiting = [asyncio.create_task(file_reader.check_picture(PLAIN)) for _ in range(WAITING_CAP)]
    await asyncio.sleep(0)
    with pytest.raises(PictureError, match="try again in a minute"):
        await file_reader.check_picture(PLAIN)

    assert len(await asyncio.gather(*waiting)) == WAITING_CAP


async def test_one_server_leaves_room_for_the_others(file_reader: SandboxClient) -> None:
    async def check(server: int) -> str:
        requesting_guild.set(server)
        return (await file_reader.check_picture(PLAIN)).kind

    tasks = [asyncio.create_task(check(server)) for server in (*(1,) * 10, 2, 3)]
    ends = await asyncio.gather(*tasks, return_exceptions=True)

    assert [isinstance(end, PictureError) for end in ends] == [*(False,) * 4, *(True,) * 6, False, False]
    assert await asyncio.create_task(check(1)) == "image/png"


async def test_a_process_without_work_ends_by_itself() -> None:
    file_reader = SandboxClient(idle=0.01)
    await file_reader.check_picture(PLAIN)
    first = file_reader.pid
    async with asyncio.timeout(10):
        while is_alive(first):  # noqa: ASYNC110  (no one tells us)
            await asyncio.sleep(0.01)
    assert file_reader.pid == 0
    await file_reader.close()


async def test_the_process_is_told_no_secret(
    file_reader: SandboxClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISCORD_TOKEN", "OPENAI_API_KEY", "STREAMCORD_STORE"):
        monkeypatch.setenv(name, "a secret")
    await file_reader.check_picture(PLAIN)

    assert b"secret" not in await asyncio.to_thread(environment_of, file_reader.pid)
