"""An event that discord.py cannot read is skipped: the bot answers afterwards, and its log quotes nothing of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.models import Model
from bot.stage import make_config, on_stage
from streamcord_bot.config import read_config
from streamcord_bot.run import run

SECRET = "ZEBRA-in-an-event"
EVENTS = (
    "MESSAGE_CREATE",
    "GUILD_CREATE",
    "INTERACTION_CREATE",
    "CHANNEL_UPDATE",
    "THREAD_CREATE",
    "GUILD_ROLE_CREATE",
)
VALUES: tuple[Any, ...] = (SECRET, None, -1, [], {}, [None], 1e300, True, "2026-13-99", 2**70)


def mutate(value: Any, random: Random) -> Any:
    """Return a copy of a JSON value with one part replaced, removed or nested."""
    copy = json.loads(json.dumps(value))
    holder, path = copy, 0
    while isinstance(holder, dict | list) and holder and path < 4:
        key = random.choice(list(holder)) if isinstance(holder, dict) else random.randrange(len(holder))
        if not isinstance(holder[key], dict | list) or not holder[key] or random.random() < 0.4:
            if random.random() < 0.3:
                del holder[key]
            else:
                holder[key] = random.choice(VALUES)
            break
        holder, path = holder[key], path + 1
    return copy


async def test_mutated_events_do_not_end_the_bot(caplog: pytest.LogCaptureFixture) -> None:
    model, random = Model(["Yes."], ["Still here."]), Random(13)
    async with on_stage(model, config=make_config()) as stage:
        twin = stage.twin
        parsers = dict(stage.bot._connection.parsers)
        # Real events to mutate: what the twin has sent.
        stage.ask(f"the word is {SECRET}")
        await stage.texts(1)
        await stage.quiet()
        sent = [json.loads(text) for session in twin.gateway.sessions.values() for _, text in session._sent]
        events = [(one["t"], one["d"]) for one in sent if one.get("t") in parsers and one["t"] != "READY"]
        with caplog.at_level(logging.WARNING):
            for _ in range(600):
                name, data = random.choice(events)
                parsers[random.choice([name, name, *EVENTS])](mutate(data, random))
        await stage.settled()
        stage.ask("are you there?")
        await twin.until(lambda: "Still here." in twin.channel.texts, timeout=30)

    skipped = [one for one in caplog.records if "cannot be read" in one.getMessage()]
    assert len(skipped) > 20
    assert [one for one in skipped if SECRET in one.getMessage() or one.exc_info] == []


class BrokenPersonas(tuple[Any, ...]):
    """Fails when the bot starts, with an error that quotes something."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        raise KeyError(f"{SECRET}\nforged line")


def test_an_unexpected_error_ends_the_bot_with_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = read_config({"store": str(tmp_path / "s.db")}, {"DISCORD_TOKEN": "x"})
    root = logging.getLogger()
    handlers, level, raises = root.handlers[:], root.level, logging.raiseExceptions
    try:
        assert run(replace(config, personas=BrokenPersonas())) == 1
    finally:
        root.handlers[:], root.level, logging.raiseExceptions = handlers, level, raises

    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "unexpected error" in lines[0]
    assert SECRET not in lines[0]
