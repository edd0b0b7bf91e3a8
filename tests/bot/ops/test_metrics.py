"""Tests of the metrics and of the server that Prometheus scrapes."""

from __future__ import annotations

import asyncio

import aiohttp

from bot.models import Model
from bot.stage import make_config, on_stage
from streamcord import Ending, Overloaded, TurnResult, Usage
from streamcord.records import Counts
from streamcord_bot import __version__
from streamcord_bot.ops.metrics import Metrics, serve_metrics


def filled() -> Metrics:
    metrics = Metrics(running=lambda: 3)
    counts = Counts(received=100, shown=80, captured=15, dropped=5, messages=2, first_message=0.3)
    metrics.record_turn(TurnResult(Ending.COMPLETED, counts=counts, usage=Usage(10, 20)))
    metrics.record_turn(TurnResult(Ending.COMPLETED, counts=Counts(messages=1, first_message=100.0)))
    metrics.record_turn(TurnResult(Ending.ERROR), Overloaded("a secret sk-1234"))
    return metrics


def test_ended_turns_are_counted() -> None:
    lines = filled().render().splitlines()

    for line in (
        'streamcord_turns_total{ending="completed"} 2.0',
        'streamcord_turns_total{ending="error"} 1.0',
        'streamcord_errors_total{kind="Overloaded"} 1.0',
        'streamcord_characters_total{outcome="captured"} 15.0',
        'streamcord_tokens_total{kind="output"} 20.0',
        "streamcord_messages_total 3.0",
        "streamcord_turns_running 3.0",
        'streamcord_first_message_seconds_bucket{le="0.25"} 0.0',
        'streamcord_first_message_seconds_bucket{le="0.5"} 1.0',
        'streamcord_first_message_seconds_bucket{le="64.0"} 1.0',
        'streamcord_first_message_seconds_bucket{le="+Inf"} 2.0',
        "streamcord_first_message_seconds_sum 100.3",
        "streamcord_first_message_seconds_count 2.0",
    ):
        assert line in lines
    assert "secret" not in "".join(lines)


def test_version_budget_and_further_gauges_are_shown() -> None:
    metrics = Metrics()
    metrics.gauges += [lambda: [("servers", "Servers.", 2.0)], lambda: [("cluster_members", "Members.", 3.0)]]
    metrics.budget = lambda: {"requests": (7.0, 10.0), "money": (0.5, 0.0)}
    lines = metrics.render().splitlines()

    assert any(
        one.startswith("streamcord_build_info{") and f'version="{__version__}"' in one for one in lines
    )
    for line in (
        "streamcord_servers 2.0",
        "streamcord_cluster_members 3.0",
        'streamcord_budget_used{unit="requests"} 7.0',
        'streamcord_budget_limit{unit="requests"} 10.0',
        'streamcord_budget_used{unit="money"} 0.5',
    ):
        assert line in lines
    assert not [one for one in lines if one.startswith('streamcord_budget_limit{unit="money"')]


async def test_running_bot_shows_its_servers_waiting_questions_and_budget() -> None:
    go_on = asyncio.Event()
    model = Model([go_on, "One."], ["Two."])
    async with on_stage(model, config=make_config(budget={"all_requests": 9})) as stage:
        stage.ask("one")
        await model.called()
        other = stage.twin.add_user("bob")
        stage.ask("two", user=other)
        await stage.settled()
        lines = stage.app.metrics.render().splitlines()
        assert "streamcord_servers 1.0" in lines
        assert "streamcord_questions_waiting 1.0" in lines
        assert 'streamcord_budget_used{unit="requests"} 1.0' in lines
        assert 'streamcord_budget_limit{unit="requests"} 9.0' in lines
        go_on.set()
        await stage.texts(2)


def test_every_line_has_the_format_of_prometheus() -> None:
    for line in filled().render().splitlines():
        if line.startswith("#"):
            assert line.split()[1] in {"HELP", "TYPE"}
        else:
            name, value = line.rsplit(" ", 1)
            assert name.startswith("streamcord_")
            float(value)


async def test_metrics_are_served_on_loopback_and_nothing_else_is() -> None:
    async with serve_metrics(filled(), 0) as port, aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{port}/metrics") as response:
            assert response.status == 200
            assert response.content_type == "text/plain"
            assert "streamcord_messages_total 3.0" in await response.text()
        async with session.get(f"http://127.0.0.1:{port}/etc/passwd") as response:
            assert response.status == 404


async def test_malformed_request_is_rejected_and_the_connection_closed() -> None:
    async with serve_metrics(Metrics(), 0) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"x" * 100_000)
        async with asyncio.timeout(5):
            try:
                answer = await reader.read()
            except ConnectionError:
                answer = b""
        writer.close()

    assert not answer or answer.startswith((b"HTTP/1.0 400 ", b"HTTP/1.1 400 "))


def test_recoveries_are_counted() -> None:
    metrics = Metrics()
    metrics.record_recovery("recovered", 2.5)
    metrics.duplicates_removed = lambda: 3
    lines = metrics.render().splitlines()

    assert 'streamcord_recoveries_total{kind="recovered"} 1.0' in lines
    assert 'streamcord_recoveries_total{kind="duplicate_removed"} 3.0' in lines
    assert "streamcord_recovery_age_seconds_total 2.5" in lines
