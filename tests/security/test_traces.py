"""What is forgotten on request leaves no trace, and what bots make us do is bounded."""

from __future__ import annotations

import json
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import life
from bot.stage import make_config, on_stage
from discord_twin import Twin
from streamcord import Ask, Persona
from streamcord._store.database import Statement
from streamcord._store.sql_store import open_database
from streamcord._store.sqlite import RESERVED_BYTES
from streamcord.store import AskRow, Change, Memory, Place, StoredPersona, open_journal, open_store
from streamcord_bot.commands.privacy import collect
from streamcord_bot.config import ContextConfig
from streamcord_bot.listening.dispatcher import MAX_BOT_ANSWERS_PER_MINUTE
from streamcord_bot.messages.chat_message import AttachedFile, ChatMessage
from streamcord_bot.messages.message_parts import MessagePart
from streamcord_bot.prompt.prompt_builder import build_prompt
from twin.conftest import FREE


async def test_privacy_forget_leaves_no_trace_of_who_asked_where(tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    async with Twin(FREE) as twin:
        async with life(twin, file, Model(["One."])) as stage:
            twin.say(twin.dm(twin.user), twin.user, "hello")
            await stage.texts(1, twin.dm(twin.user))
            await stage.quiet()
        store, database = await open_store(file), await open_database(str(file))
        read = "SELECT user_id, channel FROM questions"
        assert await database.read(read) != []
        assert len(await database.read("SELECT * FROM channel_cursors WHERE guild = 0")) == 1
        traces = await store.traces_of(twin.user.id)
        assert {(one.kind, one.channel) for one in traces} == {
            ("question", twin.dm(twin.user).id),
            ("newest direct message", twin.dm(twin.user).id),
        }
        await store.forget_person(twin.user.id)
        assert await store.traces_of(twin.user.id) == ()
        assert {tuple(row) for row in await database.read(read)} == {(0, 0)}
        assert await database.read("SELECT * FROM channel_cursors WHERE guild = 0") == []
        await store.close()
        await database.close()


async def test_cursors_of_deleted_and_of_quiet_channels_go(tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    store, database = await open_store(file), await open_database(str(file))
    for channel, at in ((1, 10.0), (2, 10.0), (3, 99.0)):
        await database.write(Statement("INSERT INTO channel_cursors VALUES ($1, 7, 1, $2)", (channel, at)))
    await store.forget_place(Place(7, 1))
    assert [row[0] for row in await database.read("SELECT channel FROM channel_cursors")] == [2, 3]
    await store.forget_before(50.0)
    assert [row[0] for row in await database.read("SELECT channel FROM channel_cursors")] == [3]
    await store.close()
    await database.close()


async def test_a_deleted_row_is_overwritten_in_the_file(tmp_path: Path) -> None:
    database = await open_database(str(tmp_path / "s.db"))
    assert [tuple(row) for row in await database.read("PRAGMA secure_delete")] == [(1,)]
    await database.close()


def files_with(folder: Path, words: str) -> list[str]:
    return [file.name for file in folder.iterdir() if words.encode() in file.read_bytes()]


FORGETTING = {
    "forget_person": lambda store: store.forget_person(5),
    "forget": lambda store: store.forget(Place(1, 2)),
    "forget_place": lambda store: store.forget_place(Place(1)),
}


@pytest.mark.parametrize("way", FORGETTING)
@pytest.mark.parametrize("journal", [False, True])
async def test_forgotten_words_are_in_no_file_while_the_bot_runs(
    way: str, journal: bool, tmp_path: Path
) -> None:
    file = tmp_path / "s.db"
    store, words = await open_store(file), "the vault code is 4711"
    opened = await open_journal(file) if journal else None
    await store.remember(Memory("Luna", Place(1, 2), words, (7, 8), (words,), 5))
    log = tmp_path / "s.db-wal"
    assert files_with(tmp_path, words) == [log.name]
    await FORGETTING[way](store)

    assert files_with(tmp_path, words) == []
    # The space for a full disk is still there.
    assert not journal or log.stat().st_size >= RESERVED_BYTES
    if opened is not None:
        await opened.close()
    await store.close()


async def test_a_log_in_use_delays_nobody_and_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    file = tmp_path / "s.db"
    store = await open_store(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as reader:
        await store.remember(Memory("Luna", Place(1, 2), "hi", (7,), (), 5))
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM memories").fetchall()
        assert await store.forget_person(5) == 1
        reader.execute("COMMIT")
    await store.close()

    assert f"{file} is in use: deleted text stays in its log" in caplog.text


async def test_the_export_names_every_row_of_a_person(tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    async with Twin(FREE) as twin, life(twin, file, Model(["| a |\n|---|\n| b |"])) as stage:
        direct, me = twin.dm(twin.user), twin.user.id
        place = Place(0, direct.id)
        await stage.store.change_settings(place, {"degree": 3})
        await stage.store.choose_persona(place, "Luna")
        await stage.store.record_change(Change(place, me, "settings set"))
        twin.say(direct, twin.user, "hello")
        await stage.texts(1, direct)
        await stage.quiet()
        (answer,) = await stage.store.memories_of(me)
        await stage.store.save_table(answer.messages[0], "| a |")
        await stage.store.open_ask(
            AskRow(Ask("Go?", ("yes",), id="ab"), place, me, about={"command": {"token": "x"}, "call": {}})
        )
        kept = await collect(stage.app.store, stage.app.budget, me, direct.id)

    assert kept["direct_messages"] == [{"channel": direct.id, "settings": {"degree": 3}, "persona": "Luna"}]
    assert "question" in {one["kind"] for one in kept["asked_lately"]}
    assert {one["channel"] for one in kept["asked_lately"]} == {direct.id}
    assert kept["tables"] == {answer.messages[0]: "| a |"}
    assert [one["action"] for one in kept["changes"]] == ["settings set"]
    assert len(kept["answers"]) == 1
    [asked] = kept["questions_with_buttons"]
    assert (asked["question"]["question"], asked["about"]) == ("Go?", {"call": {}})


async def test_another_bot_gets_few_answers_a_minute_also_while_people_write() -> None:
    model = Model(["Yes."])
    async with on_stage(model, config=make_config()) as stage:
        twin = stage.twin
        robot = twin.state.add_user("robot", bot=True)
        twin.state.add_member(twin.guild, robot)
        for _ in range(3 * MAX_BOT_ANSWERS_PER_MINUTE):
            twin.say(twin.channel, robot, f"<@{twin.bot.id}> and you?")
            twin.say(twin.channel, twin.user, "I only chat.")
            await stage.settled()
            await stage.quiet()

    assert 1 <= len(model.prompts) <= MAX_BOT_ANSWERS_PER_MINUTE


def test_unread_files_and_forwards_count_as_what_the_model_reads() -> None:
    files = tuple(AttachedFile("x" * 200 + ".bin") for _ in range(10))
    parts = tuple(MessagePart("forwarded message", "word " * 700) for _ in range(10))
    messages = [ChatMessage(number, 1, "eve", "hi", files=files, parts=parts) for number in range(1, 60)]
    prompt = build_prompt(messages, {59}, ContextConfig(tokens=4000))
    characters = sum(len(getattr(part, "text", "")) for one in prompt.messages for part in one.parts)
    assert characters <= 4 * 4000 * 1.05


async def test_a_persona_of_a_server_costs_at_most_as_much_as_the_conversation() -> None:
    entries = [{"keys": ["hello"], "content": f"fact {number} " * (30 + 40 * number)} for number in range(20)]
    book = {"entries": entries, "token_budget": 8000}
    card = {"data": {"name": "Mara", "character_book": book, "post_history_instructions": "note " * 1600}}
    model = Model(["Hi."])
    async with on_stage(model, config=make_config(context={"tokens": 4000})) as stage:
        guild = stage.twin.guild.id
        mara = StoredPersona(Persona("Mara"), guild, "You are Mara. " * 5000, card=json.dumps(card))
        await stage.store.save_persona(mara)
        await stage.store.choose_persona(Place(guild), "Mara")
        stage.ask("hello")
        await model.called(1)
        await stage.quiet()
    prompt = model.prompts[0]
    parts = [getattr(part, "text", "") for one in prompt.messages for part in one.parts]

    assert "You are Mara." in prompt.system
    assert "note note" in "".join(parts)
    assert "fact" in "".join(parts)
    assert len(prompt.system) + sum(map(len, parts)) < 4 * 4000 * 1.2
