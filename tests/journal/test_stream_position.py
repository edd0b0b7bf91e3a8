"""The journal knows from where the provider's stream can be taken up, at every row that a kill leaves."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random

import pytest

from providers.loopback import timeless
from providers.resumable_server import interactions, responses, resumable
from streamcord import Flush, ProviderEvent, Settings, TextDelta, ToolCall, say
from streamcord._journal.reconcile import read_turns
from streamcord.providers import HttpProvider, Options, user
from streamcord.records import StreamPosition
from streamcord.store import JournalRow, TurnJournal
from streamcord.testing import FakeChannel

PIECES = [f"Sentence {number} of a story about a cat. " + "\n" * (number % 3 == 2) for number in range(20)]
TEXT = "".join(PIECES)


class Rows:
    """A journal that keeps every row, also those of turns that have ended."""

    def __init__(self) -> None:
        self.rows: list[JournalRow] = []

    def write(self, entry: JournalRow) -> None:
        self.rows.append(entry)

    async def flush(self) -> bool:
        return True

    def forget(self, turn: str) -> None:
        pass

    async def entries(self) -> list[JournalRow]:
        return self.rows

    async def close(self) -> None:
        pass


def saved_by(rows: Rows, count: int) -> TurnJournal:
    """The turn as a process leaves it that is killed after so many rows."""
    (turn,), unreadable = read_turns(rows.rows[:count])
    assert not unreadable
    return TurnJournal(rows, saved=turn)


@pytest.mark.parametrize("preset", ["openai-responses", "google-interactions"])
def test_kill_at_every_row_loses_no_word_and_generates_none_twice(preset: str) -> None:
    make = (responses if preset == "openai-responses" else interactions)(PIECES)

    @timeless
    async def run() -> None:
        rows = Rows()
        # Events arrive slowly, so that many rows are written.
        async with (
            resumable(make, pause=0.03) as server,
            HttpProvider(preset, key="k", base_url=server.url, model="tiny") as provider,
        ):
            options = Options(resumable=True)
            source = provider.stream(user("Hi"), options)
            turn = TurnJournal(rows, {"question": 1})
            await say(FakeChannel(), source, settings=Settings(degree=1, typing="off"), journal=turn)
            server.pause = 0.0
            resumed = 0
            for count in range(1, len(rows.rows) + 1):
                left = saved_by(rows, count)
                if left.saved is not None and left.saved.complete:
                    assert left.text == TEXT
                    continue
                if left.position is None:
                    assert left.text == ""
                    continue
                resumed += 1
                rest = [event async for event in provider.stream(user("Hi"), Options(resume=left.position))]
                assert left.text + "".join(one.text for one in rest if isinstance(one, TextDelta)) == TEXT
        assert resumed > 5
        assert server.generated == 1
        assert server.tokens == len(PIECES)

    run()


@timeless
async def test_recorded_position_belongs_to_the_recorded_text() -> None:
    for seed in range(200):
        random = Random(seed)
        rows = Rows()
        turn = TurnJournal(rows)
        turn.begin(Settings(), Random(1), None)
        said, since = "", ""
        place: StreamPosition | None = None
        states: list[tuple[StreamPosition | None, str, str]] = [(place, since, said)]
        for number in range(random.randint(1, 25)):
            choices: list[ProviderEvent] = [
                TextDelta(f"{number} "),
                TextDelta("x"),
                StreamPosition("r", str(number), "o"),
                Flush(),
            ]
            event = random.choice(choices) if random.random() < 0.95 else ToolCall("c", "t")
            turn.record_event(event)
            if isinstance(event, TextDelta):
                said, since = said + event.text, since + event.text
            elif isinstance(event, StreamPosition):
                place, since = event, ""
            elif isinstance(event, ToolCall):
                place, since = None, ""
            if random.random() < 0.3:
                await turn.flush()
                states.append((place, since, said))
        await turn.flush()
        states.append((place, since, said))
        for count in range(1, len(rows.rows) + 1):
            left = saved_by(rows, count)
            found = left.position and (replace(left.position, since=""), left.position.since, left.text)
            wanted = [one and (one, since, said) for one, since, said in states if said == left.text]
            assert found in wanted or (left.position is None and None in wanted), seed
        turn.close()
        await asyncio.sleep(0)
