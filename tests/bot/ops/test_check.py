"""Each thing that can be wrong is found, named, and comes with what to do; no secret is printed."""

from __future__ import annotations

import socket
import sqlite3
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from discord_twin import Permission, Twin, TwinOptions
from streamcord.store import open_store
from streamcord_bot.config import read_config
from streamcord_bot.ops import check
from streamcord_bot.ops.check import REVIEWED, CheckResult, run_checks

ANSWER = b'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
GOOD_KEY = "sk-good-1234567890"


@asynccontextmanager
async def model_server() -> AsyncIterator[str]:
    async def answer(request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {GOOD_KEY}":
            return web.json_response({"error": {"message": "Incorrect API key provided"}}, status=401)
        return web.Response(body=ANSWER, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("/v1"))


async def findings(
    folder: Path,
    server: str = "",
    *,
    environment: Mapping[str, str] | None = None,
    online: bool = True,
    **table: Any,
) -> list[CheckResult]:
    config = read_config(
        {"discord": {"server": server}, "store": str(folder / "bot.db"), **table},
        environment or {},
        file=str(folder / "streamcord.toml"),
    )
    return [finding async for finding in run_checks(config, online=online)]


def about(subject: str, found: list[CheckResult]) -> list[tuple[bool, str]]:
    return [(finding.ok, finding.words) for finding in found if finding.subject == subject]


async def test_all_is_well_on_a_whole_server_with_a_model_that_answers(tmp_path: Path) -> None:
    async with Twin() as twin, model_server() as url:
        found = await findings(
            tmp_path,
            twin.base_url,
            environment={"DISCORD_TOKEN": twin.token, "MY_KEY": GOOD_KEY},
            models={"main": {"provider": "custom", "base_url": url, "model": "m", "key_name": "MY_KEY"}},
        )

    assert [finding for finding in found if not finding.ok] == []
    assert about("token", found)[-1] == (True, "Discord knows it: streamcord")
    assert about("intents", found) == [(True, "message content is allowed")]
    assert about("rights", found) == [(True, "Twin: everything it needs")]
    assert about("model main", found) == [(True, "custom m answers")]
    assert about("database", found) == [(True, "it is created at the first start")]


async def test_a_missing_token_and_a_missing_model_say_what_to_do(tmp_path: Path) -> None:
    found = await findings(tmp_path)

    wrong = {finding.subject: finding for finding in found if not finding.ok}
    assert wrong.keys() == {"token", "model"}
    assert "export DISCORD_TOKEN=" in wrong["token"].advice
    assert "streamcord-bot init" in wrong["model"].advice


async def test_a_wrong_token_is_told_and_not_shown(tmp_path: Path) -> None:
    token = "wrong-token-of-somebody"
    async with Twin() as twin:
        found = await findings(tmp_path, twin.base_url, environment={"DISCORD_TOKEN": token})

    assert about("token", found)[-1] == (False, "Discord does not know this token")
    assert token not in repr(found)


async def test_a_token_that_cannot_stand_in_a_header_is_not_quoted(tmp_path: Path) -> None:
    async with Twin() as twin:
        found = await findings(tmp_path, twin.base_url, environment={"DISCORD_TOKEN": "secret\nline"})

    assert about("token", found)[-1][0] is False
    assert "secret" not in repr(found)


async def test_a_discord_that_does_not_answer_is_told(tmp_path: Path) -> None:
    twin = Twin()
    await twin.start()
    url = twin.base_url
    await twin.stop()
    found = await findings(tmp_path, url, environment={"DISCORD_TOKEN": "t"})

    assert about("token", found)[-1] == (False, "Discord cannot be reached")


async def test_l_04_missing_intents_name_the_switch_to_turn(tmp_path: Path) -> None:
    async with Twin(TwinOptions(message_content_intent=False)) as twin:
        found = await findings(tmp_path, twin.base_url, environment={"DISCORD_TOKEN": twin.token})

    (intents,) = (finding for finding in found if finding.subject == "intents")
    assert not intents.ok
    assert "Message Content Intent" in intents.advice


async def test_l_04_missing_rights_are_named_per_server(tmp_path: Path) -> None:
    async with Twin() as twin:
        for role in twin.guild.roles.values():
            role.permissions &= ~(Permission.MANAGE_WEBHOOKS | Permission.ATTACH_FILES)
        found = await findings(tmp_path, twin.base_url, environment={"DISCORD_TOKEN": twin.token})

    assert about("rights", found) == [(False, "Twin: lacks Attach Files, Manage Webhooks")]


async def test_people_who_can_see_the_bot_are_counted(tmp_path: Path) -> None:
    async with Twin() as twin:
        few = await findings(tmp_path, twin.base_url, environment={"DISCORD_TOKEN": twin.token})
        member = next(iter(twin.guild.members.values()))
        twin.guild.members.update(dict.fromkeys(range(1, REVIEWED), member))
        many = await findings(tmp_path, twin.base_url, environment={"DISCORD_TOKEN": twin.token})

    (some,) = (finding for finding in few if finding.subject == "people")
    (crowd,) = (finding for finding in many if finding.subject == "people")
    assert some.ok
    assert "about 2 can see the bot" in some.words
    assert not crowd.ok
    assert "message_content = false" in crowd.advice


async def test_a_bot_on_no_server_gets_its_invitation(tmp_path: Path) -> None:
    async with Twin() as twin:
        del twin.guild.members[twin.bot.user.id]
        found = await findings(tmp_path, twin.base_url, environment={"DISCORD_TOKEN": twin.token})

    (servers,) = (finding for finding in found if finding.subject == "servers")
    assert not servers.ok
    assert f"client_id={twin.bot.id}" in servers.advice


async def test_a_missing_and_a_wrong_key_are_two_things(tmp_path: Path) -> None:
    async with model_server() as url:
        models = {
            "none": {"provider": "openai", "model": "m"},
            "bad": {"provider": "custom", "base_url": url, "model": "m", "key_name": "BAD_KEY"},
        }
        found = await findings(tmp_path, environment={"BAD_KEY": "sk-bad-0987654321"}, models=models)

    assert about("model none", found) == [(False, "OPENAI_API_KEY is not set")]
    ((ok, words),) = about("model bad", found)
    assert not ok
    assert "key" in words.lower()
    assert "sk-bad" not in repr(found)


async def test_a_model_at_an_address_that_may_not_be_used_is_told(tmp_path: Path) -> None:
    models = {"main": {"provider": "custom", "model": "m", "base_url": "http://example.com/v1"}}
    found = await findings(tmp_path, models=models)

    ((ok, words),) = about("model main", found)
    assert not ok
    assert "https" in words


async def test_offline_nobody_is_asked(tmp_path: Path) -> None:
    models = {"main": {"provider": "custom", "model": "m", "base_url": "http://127.0.0.1:1/v1"}}
    found = await findings(
        tmp_path, "http://127.0.0.1:1", environment={"DISCORD_TOKEN": "t"}, models=models, online=False
    )

    assert [finding for finding in found if not finding.ok] == []


def contents(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir()}


async def test_database_is_only_read(tmp_path: Path) -> None:
    file = tmp_path / "bot.db"
    await (await open_store(file)).close()
    found = await findings(tmp_path, online=False)
    assert about("database", found) == [(True, "it opens and is up to date")]
    with closing(sqlite3.connect(file)) as database, database:
        ((number,),) = database.execute("SELECT max(number) FROM streamcord_migrations")
        database.execute("DELETE FROM streamcord_migrations WHERE number = ?", (number,))
    before = contents(tmp_path)
    found = await findings(tmp_path, online=False)

    ((ok, words),) = about("database", found)
    assert ok
    assert words.startswith(f"schema {number - 1}; `streamcord-bot run` brings it to {number}")
    assert contents(tmp_path) == before


async def test_a_database_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    found = await findings(tmp_path, store=str(tmp_path / "no" / "such" / "folder" / "bot.db"))

    ((ok, words),) = about("database", found)
    assert not ok
    assert words


@pytest.mark.parametrize("there", [True, False])
async def test_pictures_are_looked_for_beside_the_file(tmp_path: Path, there: bool) -> None:
    if there:
        (tmp_path / "mad.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    looks = [{"name": "mad", "picture": "mad.png"}, {"name": "far", "picture": "https://example.com/a.png"}]
    found = await findings(tmp_path, personas={"Luna": {"sprites": looks}})

    assert about("picture", found) == (
        [] if there else [(False, "mad.png of Luna (mad) is not there, or no picture")]
    )


@pytest.mark.parametrize("server", ["http://discord.example", "http://10.0.0.7:8080", "http://[bad"])
async def test_the_token_goes_nowhere_that_the_bot_itself_refuses(tmp_path: Path, server: str) -> None:
    token = "abc.def.ghi"

    found = await findings(tmp_path, server, environment={"DISCORD_TOKEN": token})

    (refused,) = (finding for finding in found if finding.subject == "token" and not finding.ok)
    assert "the token was sent nowhere" in refused.advice
    assert "cannot be reached" not in refused.words
    assert token not in refused.words + refused.advice


async def test_a_limit_of_money_without_prices_is_told(tmp_path: Path) -> None:
    models = {
        "dear": {"provider": "groq", "model": "m"},
        "priced": {"provider": "groq", "model": "m", "price": {"output": 1.0}},
        "own": {"provider": "ollama", "model": "m"},
    }
    found = await findings(tmp_path, online=False, models=models, budget={"server_money": 5.0})
    assert about("budget", found) == [
        (False, "server_money has a limit, but dear has no price: it is never reached")
    ]
    assert about("budget", await findings(tmp_path, online=False, models=models)) == []


async def test_letters_that_pictures_lack_are_named_with_the_line_that_brings_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "_can_draw", lambda sample: "漢" not in sample)

    (letters,) = [one for one in await findings(tmp_path, online=False) if one.subject == "letters"]

    assert letters.ok
    assert letters.words.startswith("no letters of East Asia in pictures")
    assert "[tables-cjk]" in letters.advice


async def test_a_local_model_that_does_not_run_is_to_be_started(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        found = await findings(
            tmp_path, models={"main": {"provider": "ollama", "model": "m", "base_url": url}}
        )
    (model,) = [one for one in found if one.subject == "model main"]

    assert not model.ok
    assert model.advice == f"Start ollama (it is expected at {url}), or see [models.main] in the file."


async def test_without_its_packages_it_says_so_and_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("aiohttp", "mermaidx"):
        monkeypatch.setitem(sys.modules, name, None)
    models = {"main": {"provider": "ollama", "model": "m"}}
    found = await findings(tmp_path, environment={"DISCORD_TOKEN": "a.b.c"}, models=models)

    assert (False, "providers is not installed: no model can be asked") in about("install", found)
    assert (True, "diagrams is not installed: Mermaid diagrams will be code blocks") in about(
        "install", found
    )
    (advice,) = [one.advice for one in found if one.words.startswith("diagrams")]
    assert advice.startswith("If you want them: pip install")
    assert about("token", found) == [(True, "DISCORD_TOKEN is set")]
    assert about("model main", found) == [(True, "ollama m (not asked)")]


async def test_words_that_wake_nobody_or_another_are_told(tmp_path: Path) -> None:
    personas = {"Luna": {"words": ["orb", "the"]}, "Orbit": {"words": ["Orb", "ring"]}}
    found = about("words", await findings(tmp_path, online=False, personas=personas))
    assert found == [
        (False, "`the` does not wake Luna: nearly every message contains it"),
        (False, "`Orb` does not wake Orbit: it wakes Luna"),
    ]
