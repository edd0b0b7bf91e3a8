"""A server that keeps the events of its answers, as OpenAI and Google do, and whose connections break as told.

Each answer is generated once and its tokens are counted, so a test sees whether a stream was taken up again or the
answer was generated a second time.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
NOT_FOUND = (
    b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 38\r\nConnection: close\r\n\r\n"
    b'{"error": {"message": "no such answer"}}'[:38]
)

Events = list[tuple[str, bytes]]
"""The id of each event, and its bytes."""


@dataclass
class ResumableServer:
    """The state of the server.

    Args:
        events: Makes the events of an answer with this id.
        cuts: After how many bytes the body of each connection ends; the last ones are whole.

    """

    events: Callable[[str], Events]
    cuts: list[int | None] = field(default_factory=list)
    url: str = ""
    generated: int = 0
    """Answers that were generated."""
    tokens: int = 0
    requests: list[str] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    answers: dict[str, Events] = field(default_factory=dict)
    forgets: bool = False
    """Whether answers cannot be taken up again, as after five minutes."""
    offset: int = 0
    """How many events too early or too late a stream is taken up."""
    from_start: bool = False
    """Whether the position is ignored."""
    hangs_after: int = 0
    """Events after which the first connection falls silent; 0 for none."""
    pause: float = 0.0
    """Seconds between two events."""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            method, target, _ = head.decode().split(" ", 2)
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    body = await reader.readexactly(int(line.split(b":")[1]))
                    self.bodies.append(json.loads(body or b"null"))
            self.requests.append(f"{method} {target}")
            if target.endswith("/cancel"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
                await writer.drain()
                return
            if method == "POST":
                id_ = f"answer {self.generated}/ä"
                self.generated += 1
                self.answers[id_] = events = self.events(id_)
                self.tokens += sum(b"delta" in data for _, data in events)
                await self._send(writer, events)
                return
            await self._resume(writer, target)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _resume(self, writer: asyncio.StreamWriter, target: str) -> None:
        parts = urlsplit(target)
        query = parse_qs(parts.query)
        events = self.answers.get(unquote(parts.path.rsplit("/", 1)[1]))
        after = (query.get("starting_after") or query.get("last_event_id") or [""])[0]
        if events is None or self.forgets:
            writer.write(NOT_FOUND)
            await writer.drain()
            return
        at = [id_ for id_, _ in events].index(after) + 1 + self.offset
        await self._send(writer, events if self.from_start else events[max(0, at) :])

    async def _send(self, writer: asyncio.StreamWriter, events: Sequence[tuple[str, bytes]]) -> None:
        left = self.cuts.pop(0) if self.cuts else None
        writer.write(HEAD)
        for number, (_, data) in enumerate(events):
            if self.hangs_after and number == self.hangs_after and len(self.requests) == 1:
                await writer.drain()
                await asyncio.sleep(60)
            piece = data if left is None else data[:left]
            writer.write(piece)
            if self.pause:
                await writer.drain()
                await asyncio.sleep(self.pause)
            if left is not None:
                left -= len(piece)
                if left <= 0:
                    break
        await writer.drain()


@asynccontextmanager
async def resumable(events: Callable[[str], Events], **options: Any) -> AsyncIterator[ResumableServer]:
    """Run the server on this machine."""
    server = ResumableServer(events, **options)
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listener.close()


def _event(name: str, payload: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


def responses(pieces: Sequence[str], call: str = "") -> Callable[[str], Events]:
    """The events of OpenAI's Responses API for text in pieces, and perhaps a call of a tool."""

    def events(id_: str) -> Events:
        item = {"item_id": "m1", "output_index": 0, "content_index": 0}
        text = "".join(pieces)
        made: list[tuple[str, dict[str, Any]]] = [
            ("response.created", {"response": {"id": id_, "status": "in_progress"}}),
            ("response.output_item.added", {"output_index": 0, "item": {"id": "m1", "type": "message"}}),
            *(("response.output_text.delta", {**item, "delta": piece}) for piece in pieces),
            ("response.output_text.done", {**item, "text": text}),
            ("response.output_item.done", {"output_index": 0, "item": {"id": "m1", "type": "message"}}),
        ]
        if call:
            tool = {"type": "function_call", "id": "f1", "call_id": "c1", "name": call}
            made += [
                ("response.output_item.added", {"output_index": 1, "item": {**tool, "arguments": ""}}),
                *(
                    ("response.function_call_arguments.delta", {"output_index": 1, "delta": piece})
                    for piece in ('{"sides"', ": 6}")
                ),
                (
                    "response.output_item.done",
                    {"output_index": 1, "item": {**tool, "arguments": '{"sides": 6}'}},
                ),
            ]
        usage = {"input_tokens": 7, "output_tokens": len(pieces)}
        made.append(("response.completed", {"response": {"id": id_, "status": "completed", "usage": usage}}))
        return [
            (str(number), _event(name, {"type": name, "sequence_number": number, **payload}))
            for number, (name, payload) in enumerate(made)
        ]

    return events


def opaque(at: int) -> str:
    """An id that does not say which event comes next."""
    return f"ev-{at * 7919:x}~"


def interactions(pieces: Sequence[str], name: Callable[[int], str] = opaque) -> Callable[[str], Events]:
    """The events of Google's Interactions API, whose ids say nothing."""

    def events(id_: str) -> Events:
        made: list[dict[str, Any]] = [
            {"event_type": "interaction.created", "interaction": {"id": id_, "status": "in_progress"}},
            {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
            *(
                {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": one}}
                for one in pieces
            ),
            {"event_type": "step.stop", "index": 0},
            {
                "event_type": "interaction.completed",
                "interaction": {
                    "id": id_,
                    "status": "completed",
                    "usage": {"total_input_tokens": 7, "total_output_tokens": len(pieces)},
                },
            },
        ]
        return [
            (name(at), _event(one["event_type"], {**one, "event_id": name(at)}))
            for at, one in enumerate(made)
        ]

    return events
