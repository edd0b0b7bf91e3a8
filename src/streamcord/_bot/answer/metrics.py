"""Metrics of the bot, served as text for Prometheus at `/metrics`; `/health` says whether it is well.

Its format is a few lines (https://prometheus.io/docs/instrumenting/exposition_formats/), so nothing is
installed for it. Labels are our own words and the names that
the file gives to models: what people and models say never becomes one.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from streamcord import TurnResult, Usage

__all__ = ["Metrics", "serve_metrics"]

BUCKETS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Seconds to the first message."""
REQUEST_CAP = 8192
PATIENCE = 5.0


@dataclass(slots=True)
class Metrics:
    """Counts since the start; `running` returns how many answers are being written now."""

    running: Callable[[], int] = lambda: 0
    resting: Callable[[], int] = lambda: 0
    late_twins: Callable[[], int] = lambda: 0
    """Messages that a webhook sent twice, the later one deleted."""
    gauges: Callable[[], Iterable[tuple[str, str, float]]] = tuple
    """Name, help and value of what others count now."""
    _turns: Counter[str] = field(default_factory=Counter)
    _errors: Counter[str] = field(default_factory=Counter)
    _characters: Counter[str] = field(default_factory=Counter)
    _tokens: Counter[str] = field(default_factory=Counter)
    _firsts: Counter[float] = field(default_factory=Counter)
    _requests: Counter[str] = field(default_factory=Counter)
    _model_tokens: Counter[tuple[str, str]] = field(default_factory=Counter)
    _costs: Counter[str] = field(default_factory=Counter)
    _refusals: Counter[str] = field(default_factory=Counter)
    _recoveries: Counter[str] = field(default_factory=Counter)
    _age: float = 0.0
    _messages: int = 0
    _waited: float = 0.0

    def note(self, result: TurnResult, error: Exception | None = None) -> None:
        """Count a turn that has ended."""
        counts = result.counts
        self._turns[result.ending.value] += 1
        self._messages += counts.messages
        for receipt in result.receipts:
            self._recoveries["adopted"] += "adopted" in receipt.changes
        for kind in ("received", "shown", "captured", "dropped"):
            self._characters[kind] += getattr(counts, kind)
        if result.usage is not None:
            self._tokens["input"] += result.usage.input_tokens or 0
            self._tokens["output"] += result.usage.output_tokens or 0
        if error is not None:
            self._errors[type(error).__name__] += 1
        if counts.first_message is not None:
            first = counts.first_message
            self._waited += first
            self._firsts[next((edge for edge in BUCKETS if first <= edge), float("inf"))] += 1

    def note_request(self, model: str, usage: Usage, cost: int) -> None:
        """Count a request to a model; `cost` is in millionths."""
        self._requests[model] += 1
        self._model_tokens[model, "input"] += usage.input_tokens
        self._model_tokens[model, "cached"] += usage.cached_tokens
        self._model_tokens[model, "output"] += usage.output_tokens
        self._costs[model] += cost

    @property
    def cached_share(self) -> float | None:
        """Which share of what models have read came from their providers' caches; `None` before the first."""
        read = sum(count for (_, kind), count in self._model_tokens.items() if kind == "input")
        cached = sum(count for (_, kind), count in self._model_tokens.items() if kind == "cached")
        return cached / read if read else None

    def note_refusal(self, reason: str) -> None:
        """Count a question that was refused for its costs."""
        self._refusals[reason] += 1

    def note_recovery(self, kind: str, age: float = 0.0) -> None:
        """Count an answer that went on or was given up, or a question that was heard late."""
        self._recoveries[kind] += 1
        self._age += age

    def render(self) -> str:
        """All metrics in Prometheus' text format."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _counter("turns", "Answers that have ended, by how.", "ending", self._turns)
        yield from _counter("errors", "Answers that failed, by what was raised.", "kind", self._errors)
        yield from _counter("characters", "Characters of answers, by fate.", "fate", self._characters)
        yield from _counter("tokens", "Tokens, as providers count them.", "kind", self._tokens)
        yield from self._budget_lines()
        words = "Answers that went on or were given up, messages adopted, questions heard late."
        twins = Counter({"late_twin": self.late_twins()})
        yield from _counter("recoveries", words, "kind", +(self._recoveries + twins))
        yield from _head(
            "recovery_age_seconds_total", "Seconds for which recovered answers were cut.", "counter"
        )
        yield f"streamcord_recovery_age_seconds_total {self._age:.6g}"
        yield from _head("messages_total", "Messages that were sent.", "counter")
        yield f"streamcord_messages_total {self._messages}"
        yield from _head("turns_running", "Answers that are being written.", "gauge")
        yield f"streamcord_turns_running {self.running()}"
        for name, words, value in self.gauges():
            yield from _head(name, words, "gauge")
            yield f"streamcord_{name} {value:.6g}"
        yield from self._histogram()

    def _budget_lines(self) -> Iterator[str]:
        yield from _counter("requests", "Requests to models, by the model's name.", "model", self._requests)
        yield from _head(
            "model_tokens_total", "Tokens by model; cached ones are part of the input.", "counter"
        )
        for (model, kind), count in sorted(self._model_tokens.items()):
            yield f'streamcord_model_tokens_total{{model="{_label(model)}",kind="{kind}"}} {count}'
        yield from _head("cost_total", "What requests have cost, by the prices of the models.", "counter")
        for model, cost in sorted(self._costs.items()):
            yield f'streamcord_cost_total{{model="{_label(model)}"}} {cost / 1_000_000:.6f}'
        yield from _counter(
            "refusals", "Questions refused for their costs, by whose budget.", "reason", self._refusals
        )
        yield from _head("models_resting", "Models that are left alone after failures.", "gauge")
        yield f"streamcord_models_resting {self.resting()}"

    def _histogram(self) -> Iterator[str]:
        name = "first_message_seconds"
        yield from _head(name, "Seconds from the question to the first message.", "histogram")
        total = 0
        for edge in (*BUCKETS, float("inf")):
            total += self._firsts[edge]
            label = "+Inf" if edge == float("inf") else f"{edge:g}"
            yield f'streamcord_{name}_bucket{{le="{label}"}} {total}'
        yield f"streamcord_{name}_sum {self._waited:.6g}"
        yield f"streamcord_{name}_count {total}"


def _head(name: str, words: str, kind: str) -> Iterator[str]:
    yield f"# HELP streamcord_{name} {words}"
    yield f"# TYPE streamcord_{name} {kind}"


def _counter(name: str, words: str, label: str, counts: Counter[str]) -> Iterator[str]:
    yield from _head(f"{name}_total", words, "counter")
    for key, count in sorted(counts.items()):
        yield f'streamcord_{name}_total{{{label}="{_label(key)}"}} {count}'


def _label(text: str) -> str:
    """A value between quotes, as the format wants it escaped."""
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


@asynccontextmanager
async def serve_metrics(
    metrics: Metrics,
    port: int,
    host: str = "127.0.0.1",
    health: Callable[[], tuple[bool, str]] = lambda: (True, "ok"),
) -> AsyncIterator[int]:
    """Answer `GET /metrics` and `GET /health` until the block ends; yields the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith((b"GET /metrics ", b"GET /metrics?")):
                writer.write(_page(metrics.render()))
            elif head.startswith((b"GET /health ", b"HEAD /health ")):
                well, words = health()
                writer.write(_page(f"{words}\n", "200 OK" if well else "503 Service Unavailable"))
            else:
                writer.write(_NOT_FOUND)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, host, port, limit=REQUEST_CAP)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def _page(text: str, status: str = "200 OK") -> bytes:
    body = text.encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
