"""Tools of MCP servers: real processes that work, lie, flood, hang and die."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from streamcord import Ask, Decision, Message, SettingsError, ToolCall
from streamcord.mcp import McpServer, McpTools, from_mcp
from streamcord.providers import AnswerSuspended, Post, Text, ToolLimits, ToolRound

ROGUE = [sys.executable, str(Path(__file__).with_name("rogue_server.py"))]
OFFICIAL = [sys.executable, str(Path(__file__).with_name("official_server.py")), "stdio"]


class Person:
    """Answers questions with one of their options; or ends the answer, and comes back later."""

    def __init__(self, *indexes: int, inputs: dict[str, str] | None = None, suspends: bool = False) -> None:
        self.indexes = [*indexes]
        self.inputs = inputs
        self.suspends = suspends
        self.asked: list[Ask] = []
        self.known: list[tuple[Ask, Decision]] = []
        self._replayed = 0

    def earlier(self, _: ToolCall) -> Sequence[tuple[Ask, Decision]]:
        self._replayed = 0
        return self.known

    async def __call__(self, ask: Ask, call: ToolCall, post: Post, *files: Any) -> Decision | None:
        if self._replayed < len(self.known) and self.known[self._replayed][0].is_same(ask):
            self._replayed += 1
            return self.known[self._replayed - 1][1]
        self.asked.append(ask)
        if self.suspends:
            raise AnswerSuspended(ask.with_id("ab"))
        return self.decide(ask)

    def decide(self, ask: Ask) -> Decision:
        return ask.choose([self.indexes.pop(0)], self.inputs, user=7, at=1.0)


async def call(
    tools: Sequence[Any], name: str, person: Person | None = None, **arguments: Any
) -> tuple[str, list[Message], ToolRound]:
    round_ = ToolRound({one.spec.name: one for one in tools}, ToolLimits(), person)
    posted = [
        event async for event in round_.run([ToolCall("1", name, arguments)]) if isinstance(event, Message)
    ]
    part = round_.results[0].parts[0]
    assert isinstance(part, Text)
    return part.text, posted, round_


@pytest.fixture
async def server() -> AsyncIterator[McpServer]:
    async with McpServer("box", ROGUE, timeout=10) as one:
        yield one


@pytest.fixture
async def tools(server: McpServer) -> McpTools:
    return await from_mcp(server)


async def test_unusable_tools_are_left_out_with_a_reason(tools: McpTools) -> None:
    names = [one.spec.name for one in tools]
    assert "box_echo" in names
    assert "box_read_file" in names
    assert tools.refused == {
        "read_file": "another tool has its name",
        "recursive": "its schema refers to itself",
        "laughs": "its schema is nested too deeply",
        "far": "its schema refers to another document",
        "wide": "its schema has more than 32768 characters",
    }
    # A name in other letters cannot imitate one.
    assert "box_ffer" in names
    by_name = {one.spec.name: one.spec for one in tools}
    assert by_name["box_ansi"].description.startswith("redyyy")
    assert len(by_name["box_ansi"].description) == 1024
    assert "pattern" not in json.dumps(by_name["box_slow"].parameters)


async def test_call_and_wrong_arguments(tools: McpTools) -> None:
    assert (await call(tools, "box_echo", text="hi"))[0] == "hi"
    assert "must be string" in (await call(tools, "box_echo", text=3))[0]
    assert (await call(tools, "box_slow", a="a" * 40 + "!"))[0] == "slow"


async def test_process_gets_no_keys(tools: McpTools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("DISCORD_TOKEN", "token")
    server = McpServer("other", ROGUE, environment={"GIVEN": "yes"})
    async with server:
        said, _, _ = await call(await from_mcp(server), "other_environment")
    assert "secret" not in said
    assert "DISCORD_TOKEN" not in said
    assert '"GIVEN": "yes"' in said


async def test_flood_is_cut_and_cleaned(tools: McpTools) -> None:
    said, _, _ = await call(tools, "box_flood")
    assert said.startswith("@everyone xxx")
    assert 20_000 < len(said) < 20_100
    assert said.endswith("more characters were left out]")


class Lag:
    """Measures the longest time for which the event loop did nothing else, in processor time of this thread."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def watch(self) -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.005)
            self.longest = max(self.longest, time.thread_time() - before)


@pytest.fixture
async def lag() -> AsyncIterator[Lag]:
    one = Lag()
    watching = asyncio.create_task(one.watch())
    yield one
    watching.cancel()


async def test_result_of_many_empty_parts_is_cut(tools: McpTools) -> None:
    # Adding up all parts for each part would take hours.
    said, _, _ = await asyncio.wait_for(call(tools, "box_crumbs"), 60)
    assert said.endswith("[more was left out]")


async def test_server_that_chatters_does_not_hold_up_the_bot(tools: McpTools, lag: Lag) -> None:
    said, _, _ = await call(tools, "box_chatter")
    assert said == "done"
    assert lag.longest < 0.1


@pytest.mark.parametrize(("name", "count"), [("box_unique", 5000), ("box_costly", 20_000)])
async def test_schema_that_is_costly_to_check_is_bounded(
    tools: McpTools, lag: Lag, name: str, count: int
) -> None:
    await asyncio.wait_for(call(tools, name, a=[{"n": number} for number in range(count)]), 20)
    assert lag.longest < 1.0


async def test_hanging_call_is_given_up_and_the_next_one_works(server: McpServer) -> None:
    tools = await from_mcp(server)
    server.timeout = 0.3
    assert "did not answer within 0.3 seconds" in (await call(tools, "box_hang"))[0]
    server.timeout = 10
    assert (await call(tools, "box_echo", text="back"))[0] == "back"


async def test_server_that_dies_is_told_and_left_alone_after_three_times(server: McpServer) -> None:
    tools = await from_mcp(server)
    for _ in range(3):
        said, _, _ = await call(tools, "box_die")
        assert "ended. It is unknown whether the call was carried out." in said
    assert server.pause > 20
    assert "is not available; try again in" in (await call(tools, "box_echo", text="x"))[0]


async def test_server_that_cannot_be_started_is_told() -> None:
    async with McpServer("none", ["/does/not/exist"]) as server:
        with pytest.raises(Exception, match="cannot be reached"):
            await from_mcp(server)
        assert "No such file" in server.error


async def test_pictures_and_files_are_posted_and_named_safely(tools: McpTools) -> None:
    said, posted, _ = await call(tools, "box_picture")
    files = [one.files[0] for one in posted]
    assert [one.name for one in files] == ["picture.png", "passwd"]
    assert "[no picture]" in said
    assert "could not be read" in said


async def test_result_that_is_a_lie_and_a_refusal_are_told(tools: McpTools) -> None:
    assert (await call(tools, "box_lie"))[0].startswith("Error: ")
    assert (await call(tools, "box_refuse"))[0] == "Error: no"


async def test_question_of_a_server_is_asked_and_its_state_goes_back(tools: McpTools) -> None:
    person = Person(1)
    said, _, _ = await call(tools, "box_ask", person)
    [ask] = person.asked
    assert ask.question == "🔌 **box**: Which branch?"
    assert [one.label for one in ask.options] == ["main", "next", "✕"]
    assert said.startswith("first-leg: ")
    assert '"branch": "next"' in said


async def test_call_goes_on_after_a_decision_without_being_made_again(tools: McpTools) -> None:
    person = Person(suspends=True)
    _, posted, round_ = await call(tools, "box_ask", person)
    assert round_.suspended is not None
    [message] = posted
    ask = message.ask
    assert ask is not None
    kept = Ask.from_dict(json.loads(json.dumps(ask.to_dict())))
    person.known = [(kept, kept.choose([0], user=7, at=1.0))]
    said, _, round_ = await call(tools, "box_ask", person)
    assert round_.suspended is None
    assert '"branch": "main"' in said
    assert said.endswith("effects 1")
    assert len(person.asked) == 1


async def test_server_that_asks_for_ever_or_too_much_is_bounded(tools: McpTools) -> None:
    person = Person(*[0] * 50)
    assert "asked 10 times" in (await call(tools, "box_endless", person))[0]
    assert len(person.asked) == 10
    assert "at most 65536 characters" in (await call(tools, "box_ask_big", Person(0)))[0]


async def test_server_of_the_older_protocol_asks_in_the_middle_of_a_call() -> None:
    async with McpServer("old", OFFICIAL, timeout=10, legacy=True) as server:
        tools = await from_mcp(server, allow=["choose"])
        said, _, _ = await call(tools, "old_choose", Person(0, inputs={"branch": "main"}))
        assert "accept branch='main'" in said
        person = Person(suspends=True)
        _, _, round_ = await call(tools, "old_choose", person)
        assert round_.suspended is not None
        [ask] = person.asked
        person.known = [(ask, ask.choose([0], {"branch": "next"}, user=7, at=1.0))]
        said, _, _ = await call(tools, "old_choose", person)
        assert "accept branch='next'" in said


@pytest.mark.parametrize("name", ["", "Box", "a_b", "x" * 21, "1a"])
def test_name_that_could_imitate_another_is_refused(name: str) -> None:
    with pytest.raises(SettingsError):
        McpServer(name, ["x"])


@pytest.mark.parametrize("url", ["http://example.com/mcp", "ftp://x", "file:///x", "https://"])
async def test_address_without_encryption_is_refused(url: str) -> None:
    async with McpServer("far", url=url) as server:
        with pytest.raises(Exception, match="cannot be reached"):
            await from_mcp(server)
        assert "https://" in server.error
