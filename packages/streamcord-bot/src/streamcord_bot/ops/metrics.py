"""Metrics of the bot for Prometheus, and the HTTP server for `/metrics` and `/health`.

Every bot has a registry of its own, so several bots in one process (as in tests) do not share counters.

Labels are words of this program and the model names of the configuration file. Text that users or models wrote
never becomes a label: it would leak conversations to the monitoring, and every new label value is a new time series
(https://prometheus.io/docs/practices/naming/#labels).
"""

from __future__ import annotations

import asyncio
from collections import Counter as CountsByKey
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from itertools import chain
from platform import python_version
from typing import TypeAlias

from aiohttp import web
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    Info,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.aiohttp import make_aiohttp_handler
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from streamcord import TurnResult, Usage
from streamcord.discord import RequestFigures, RequestPriority
from streamcord.utils import is_local_host

from .. import __version__

FIRST_MESSAGE_BUCKETS_S = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
SHUTDOWN_TIMEOUT_S = 1.0
MAX_CONNECTIONS = 32
"""A Prometheus server keeps one or two open."""
Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

# Without this every counter has a second time series, `…_created`, that Prometheus rarely reads. The library offers
# only a switch for the whole process.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics(Collector):
    """Counters since the start of the process.

    The callables are read at every scrape: their values belong to other objects, which set them here.
    It has more than 15 attributes because each metric is one.
    """

    def __init__(self, running: Callable[[], int] = lambda: 0) -> None:
        # Number of answers that are being written now.
        self.running = running
        # Number of models whose circuit breaker is open.
        self.open_circuits: Callable[[], int] = lambda: 0
        # Number of messages that a webhook sent twice and whose second copy was deleted.
        self.duplicates_removed: Callable[[], int] = lambda: 0
        # Requests to Discord, by what they are for.
        self.discord_requests: Callable[[], Mapping[RequestPriority, RequestFigures]] = dict
        # Each returns the name, help and value of further gauges, such as the cluster's.
        self.gauges: list[Callable[[], Iterable[tuple[str, str, float]]]] = []
        # What all people together have spent today and may spend, by unit; a limit of 0 is none.
        self.budget: Callable[[], Mapping[str, tuple[float, float]]] = dict

        self.registry = CollectorRegistry()
        self._turns = self._counter("turns", "Answers that have ended, by how.", "ending")
        self._errors = self._counter("errors", "Answers that failed, by what was raised.", "kind")
        self._characters = self._counter("characters", "Characters of answers, by outcome.", "outcome")
        self._tokens = self._counter("tokens", "Tokens, as providers count them.", "kind")
        self._messages = self._counter("messages", "Messages that were sent.")
        self._requests = self._counter("requests", "Requests to models, by the model's name.", "model")
        self._model_tokens = self._counter(
            "model_tokens", "Tokens by model; cached ones are part of the input.", "model", "kind"
        )
        self._costs = self._counter("cost", "Cost of requests, by the prices of the models.", "model")
        self._seams = self._counter(
            "answer_seams", "Places where an answer was cut off and continued, by how it did.", "how"
        )
        self._refusals = self._counter(
            "refusals", "Questions refused for their costs, by whose budget.", "reason"
        )
        self._recovery_age = self._counter(
            "recovery_age_seconds", "Seconds for which recovered answers were interrupted."
        )
        self._first_message = Histogram(
            "streamcord_first_message_seconds",
            "Seconds from the question to the first message.",
            buckets=FIRST_MESSAGE_BUCKETS_S,
            registry=self.registry,
        )
        # A plain mapping: one of its kinds, `duplicate_removed`, is counted elsewhere and joined in `collect`.
        self._recoveries: CountsByKey[str] = CountsByKey()
        # Input tokens of all models, and those of them that came from a provider's cache.
        self._input_tokens = 0
        self._cached_tokens = 0
        build = Info("streamcord_build", "The version that runs.", registry=self.registry)
        build.info({"version": __version__, "python": python_version()})
        self.registry.register(self)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        # prometheus_client appends `_total` to the name of a counter.
        return Counter(f"streamcord_{name}", text, labels, registry=self.registry)

    def record_turn(self, result: TurnResult, error: Exception | None = None) -> None:
        """Count a turn that has ended."""
        counts = result.counts
        self._turns.labels(result.ending.value).inc()
        self._messages.inc(counts.messages)
        self._recoveries["adopted"] += sum("adopted" in receipt.changes for receipt in result.receipts)
        for seam in result.seams:
            self._seams.labels(seam.how).inc()
        for kind in ("received", "shown", "captured", "dropped"):
            self._characters.labels(kind).inc(getattr(counts, kind))
        if result.usage is not None:
            self._tokens.labels("input").inc(max(result.usage.input_tokens or 0, 0))
            self._tokens.labels("output").inc(max(result.usage.output_tokens or 0, 0))
        if error is not None:
            # The class only: the text of an error may quote a request.
            self._errors.labels(type(error).__name__).inc()
        if counts.first_message is not None:
            self._first_message.observe(counts.first_message)

    def record_request(self, model: str, usage: Usage, cost: int) -> None:
        """Count a request to a model; `cost` is in millionths of the currency."""
        self._requests.labels(model).inc()
        # A provider of the user may report nonsense, and a counter raises `ValueError` for negative numbers.
        for kind in ("input", "cached", "output"):
            self._model_tokens.labels(model, kind).inc(max(getattr(usage, f"{kind}_tokens"), 0))
        self._costs.labels(model).inc(max(cost, 0) / 1_000_000)
        self._input_tokens += usage.input_tokens
        self._cached_tokens += usage.cached_tokens

    @property
    def cached_share(self) -> float | None:
        """Share of all input tokens that came from providers' caches; `None` before the first request."""
        return self._cached_tokens / self._input_tokens if self._input_tokens else None

    def record_refusal(self, reason: str) -> None:
        """Count a question that was refused for its costs."""
        self._refusals.labels(reason).inc()

    def record_recovery(self, kind: str, age: float = 0.0) -> None:
        """Count an answer that was resumed or abandoned, or a question that was read late."""
        self._recoveries[kind] += 1
        # The age is taken from two clocks and may be negative; a counter only goes up.
        self._recovery_age.inc(max(age, 0.0))

    def collect(self) -> Iterable[Metric]:
        """Yield the metrics whose values are read at the time of the scrape."""
        recoveries = CounterMetricFamily(
            "streamcord_recoveries",
            "Answers resumed or abandoned, messages adopted, questions read late.",
            labels=["kind"],
        )
        removed = CountsByKey({"duplicate_removed": self.duplicates_removed()})
        # The sum of two counters has no entries of zero: what never happened is not shown.
        for kind, count in (self._recoveries + removed).items():
            recoveries.add_metric([kind], count)
        yield recoveries
        yield GaugeMetricFamily("streamcord_turns_running", "Answers that are being written.", self.running())
        yield GaugeMetricFamily(
            "streamcord_models_circuit_open",
            "Models whose circuit breaker is open after failures.",
            self.open_circuits(),
        )
        yield GaugeMetricFamily("streamcord_tasks", "Tasks of the event loop.", _count_tasks())
        yield from self._collect_requests()
        for name, text, value in chain.from_iterable(read() for read in self.gauges):
            yield GaugeMetricFamily(f"streamcord_{name}", text, value)
        used = GaugeMetricFamily(
            "streamcord_budget_used", "Spent today (UTC) by everybody together.", labels=["unit"]
        )
        limit = GaugeMetricFamily(
            "streamcord_budget_limit", "What everybody together may spend in a day.", labels=["unit"]
        )
        for unit, (spent, cap) in self.budget().items():
            used.add_metric([unit], spent)
            if cap:
                limit.add_metric([unit], cap)
        yield from (used, limit)

    def _collect_requests(self) -> Iterable[Metric]:
        sent = CounterMetricFamily(
            "streamcord_discord_requests", "Requests to Discord, by what they are for.", labels=["kind"]
        )
        left_out = CounterMetricFamily(
            "streamcord_discord_requests_left_out",
            "Requests that were left out because others waited.",
            labels=["kind"],
        )
        waiting = GaugeMetricFamily(
            "streamcord_discord_requests_waiting",
            "Requests that wait for Discord's rate limit of the whole bot.",
            labels=["kind"],
        )
        for kind, figures in self.discord_requests().items():
            labels = [kind.name.lower()]
            sent.add_metric(labels, figures.sent)
            left_out.add_metric(labels, figures.left_out)
            waiting.add_metric(labels, figures.waiting)
        yield from (sent, left_out, waiting)

    def render(self) -> str:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self.registry).decode()


@asynccontextmanager
async def serve_metrics(
    metrics: Metrics,
    port: int,
    host: str = "127.0.0.1",
    health: Callable[[], tuple[bool, str]] = lambda: (True, "ok"),
) -> AsyncIterator[int]:
    """Serve `GET /metrics` and `GET /health` until the block ends; yields the port.

    On a loopback address, only requests for a loopback name are answered: a web page whose host name leads to this
    machine (DNS rebinding) could read them otherwise. Above `MAX_CONNECTIONS` the oldest connection is closed, so
    that silent clients cannot use up the files that the process may open.

    Raises:
        OSError: the address is in use or does not exist.

    """

    @web.middleware
    async def refuse_other_names(request: web.Request, handler: Handler) -> web.StreamResponse:
        if is_local_host(host) and not is_local_host(_name_of(request.headers.get("Host", ""))):
            return web.Response(status=403, text="ask for a loopback name, such as localhost\n")
        return await handler(request)

    async def serve_health(_: web.Request) -> web.Response:
        is_well, text = health()
        return web.Response(text=f"{text}\n", status=200 if is_well else 503)

    app = web.Application(middlewares=[refuse_other_names])
    app.router.add_get("/metrics", make_aiohttp_handler(metrics.registry))
    app.router.add_get("/health", serve_health)
    # A scrape every few seconds would fill the log of the bot.
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_TIMEOUT_S)
    await runner.setup()
    server = None
    try:
        server = await asyncio.get_running_loop().create_server(partial(_connect, runner), host, port)
        # Port 0 means any free port; the socket knows which one it got.
        yield server.sockets[0].getsockname()[1]
    finally:
        if server is not None:
            server.close()
        await runner.cleanup()


def _connect(runner: web.AppRunner) -> asyncio.Protocol:
    """Return the handler of a new connection; close the oldest one if there are too many."""
    server = runner.server
    assert server is not None
    for oldest in server.connections[: max(0, len(server.connections) - MAX_CONNECTIONS + 1)]:
        oldest.force_close()
        # A connection that never sent anything is closed by nothing else.
        if oldest.transport is not None:
            oldest.transport.abort()
    return server()


def _name_of(host: str) -> str:
    """Return the name in a header `Host`, without its port."""
    return host if host.endswith("]") else host.rpartition(":")[0] or host


def _count_tasks() -> int:
    """Return how many tasks run; a number that keeps growing is a leak."""
    try:
        return len(asyncio.all_tasks())
    except RuntimeError:
        # Metrics may be read outside of the event loop.
        return 0
