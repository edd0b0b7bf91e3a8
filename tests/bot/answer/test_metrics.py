"""Turns are counted, and read by anybody on this machine who speaks HTTP."""

from __future__ import annotations

import asyncio

import aiohttp

from streamcord import Counts, Ending, Overloaded, TurnResult, Usage
from streamcord._bot.answer.metrics import Metrics, serve_metrics


def filled() -> Metrics:
    metrics = Metrics(running=lambda: 3)
    counts = Counts(received=100, shown=80, captured=15, dropped=5, messages=2, first_message=0.3)
    metrics.note(TurnResult(Ending.COMPLETED, counts=counts, usage=Usage(10, 20)))
    metrics.note(TurnResult(Ending.COMPLETED, counts=Counts(messages=1, first_message=100.0)))
    metrics.note(TurnResult(Ending.ERROR), Overloaded("a secret sk-1234"))
    return metrics


def test_what_happened_is_summed_up() -> None:
    lines = filled().render().splitlines()

    for line in (
        'streamcord_turns_total{ending="completed"} 2',
        'streamcord_turns_total{ending="error"} 1',
        'streamcord_errors_total{kind="Overloaded"} 1',
        'streamcord_characters_total{fate="captured"} 15',
        'streamcord_tokens_total{kind="output"} 20',
        "streamcord_messages_total 3",
        "streamcord_turns_running 3",
        'streamcord_first_message_seconds_bucket{le="0.25"} 0',
        'streamcord_first_message_seconds_bucket{le="0.5"} 1',
        'streamcord_first_message_seconds_bucket{le="64"} 1',
        'streamcord_first_message_seconds_bucket{le="+Inf"} 2',
        "streamcord_first_message_seconds_sum 100.3",
        "streamcord_first_message_seconds_count 2",
    ):
        assert line in lines
    assert "secret" not in "".join(lines)


def test_every_line_is_one_that_prometheus_reads() -> None:
    for line in filled().render().splitlines():
        if line.startswith("#"):
            assert line.split()[1] in {"HELP", "TYPE"}
        else:
            name, value = line.rsplit(" ", 1)
            assert name.startswith("streamcord_")
            float(value)


async def test_it_is_served_on_loopback_and_nothing_else_is() -> None:
    async with serve_metrics(filled(), 0) as port, aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{port}/metrics") as response:
            assert response.status == 200
            assert response.content_type == "text/plain"
            assert "streamcord_messages_total 3" in await response.text()
        async with session.get(f"http://127.0.0.1:{port}/etc/passwd") as response:
            assert response.status == 404


async def test_whoever_sends_rubbish_is_hung_up_on() -> None:
    async with serve_metrics(Metrics(), 0) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"x" * 100_000)
        async with asyncio.timeout(5):
            try:
                answer = await reader.read()
            except ConnectionError:
                answer = b""
        writer.close()

    assert answer == b""


def test_what_went_on_is_counted() -> None:
    metrics = Metrics()
    metrics.note_recovery("recovered", 2.5)
    metrics.late_twins = lambda: 3
    lines = metrics.render().splitlines()

    assert 'streamcord_recoveries_total{kind="recovered"} 1' in lines
    assert 'streamcord_recoveries_total{kind="late_twin"} 3' in lines
    assert "streamcord_recovery_age_seconds_total 2.5" in lines
