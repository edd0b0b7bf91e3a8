from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from demo.sitting import sitting
from streamcord_bot.demo.session import read_lines
from streamcord_bot.demo.tour import STEPS
from streamcord_bot.demo.user import until


async def test_the_tour_can_be_walked_from_end_to_end() -> None:
    async with sitting() as here:
        printed = await here.follow(":tour")
        thoughts = here.demo.guild.thoughts.messages.values()

    for number in range(1, len(STEPS) + 1):
        assert f"{number}/{len(STEPS)}" in printed
    assert "table.png" in printed
    assert "def greet" in printed
    assert "Luna (mad)  APP" in printed
    assert "The dice say" in printed
    assert len(thoughts) == 1
    assert "From now on Orbit speaks" in printed
    assert "From now on Luna speaks" in printed
    assert "Stopped." in printed


TALKATIVE = (
    "I am Luna: I live on the Moon.\n",
    "Nobody made that up: the tides follow me.\n",
    "Here is the plan: sleep, then more sleep.",
)


@pytest.mark.parametrize("small", [True, False])
async def test_the_tour_is_right_with_a_model_that_likes_colons(small: bool) -> None:
    """A model behind a real server: nothing that it says may be taken for someone else's words."""

    async def stream(_: web.Request) -> web.Response:
        pieces = [{"choices": [{"index": 0, "delta": {"content": one}}]} for one in TALKATIVE]
        pieces.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        body = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
        return web.Response(text=body, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", stream)
    async with TestServer(app) as server:
        url = str(server.make_url("/v1"))
        given = {"small_at": url} if small else {"provider": "llamacpp", "model": "m", "base_url": url}
        async with sitting(scripted=False, **given) as here:
            greeting = await here.follow("#general", "hello!")
            printed = await here.follow(":tour")
            said = [one.content for one in here.demo.guild.channels["general"].messages.values()]

    for words in TALKATIVE:
        assert words.strip() in greeting
        assert said.count(words.strip()) == 2  # and once more from Orbit
    assert "table.png" in printed
    assert "I did not make that up: a tool rolled them." in printed
    assert "Stopped." in printed


async def script(*lines: str) -> AsyncIterator[str]:
    for line in lines:
        yield line + "\n"


async def test_a_script_is_played_to_its_end_and_counts_what_could_not_be_done() -> None:
    async with sitting() as here:
        failures = await here.session.play(
            script("# a remark", "", "#general", "hello", ":dance", "#nowhere")
        )

        assert failures == 2
        assert "I am Luna" in here.out.getvalue()
        assert "a remark" not in here.out.getvalue()


async def test_quit_ends_a_script() -> None:
    async with sitting() as here:
        await here.session.play(script(":quit", "hello"))

        assert "hello" not in here.out.getvalue()
        assert here.session.over.is_set()


async def test_after_something_that_is_no_number_means_after_the_first() -> None:
    async with sitting() as here:
        assert "Stopped." in await here.follow("count to thirty", ":after many /stop")


async def test_typed_lines_interrupt_and_the_tour_waits_for_enter() -> None:
    async with sitting() as here:
        session, out = here.session, here.out
        session.type(":tour")
        assert "1/11" in out.getvalue()
        assert "table.png" not in out.getvalue()

        session.type("")
        session.type("")  # while the first still runs: not twice
        await until(lambda: "2/11" in out.getvalue())
        assert out.getvalue().count("show me a table\n") == 1
        assert "table.png" in out.getvalue()

        session.type(":leave")
        session.type("")
        assert "The tour is over" in out.getvalue()


async def test_closing_ends_a_tour_in_the_middle_of_a_step() -> None:
    async with sitting() as here:
        here.session.type(":tour")
        here.session.type("")
        await here.session.close()

        assert "2/11" not in here.out.getvalue()


async def test_lines_of_a_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\nzwei ü\n", encoding="utf-8")

    assert [line async for line in read_lines(str(tmp_path / "a"))] == ["one\n", "zwei ü\n"]
