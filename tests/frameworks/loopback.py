"""A model server on this machine: it answers the requests with recorded bodies, in their order."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def sse(*events: dict[str, Any], named: bool = False, done: bool = False) -> bytes:
    """Server-sent events; `named` also writes their type as the name of the event."""
    lines = "".join(
        (f"event: {event.get('type') or event.get('event_type')}\n" if named else "")
        + f"data: {json.dumps(event)}\n\n"
        for event in events
    )
    return (lines + ("data: [DONE]\n\n" if done else "")).encode()


@contextmanager
def serving(*bodies: bytes, kind: str = "text/event-stream") -> Iterator[str]:
    """Serve these bodies, one per request; yields the address."""
    waiting = list(bodies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = waiting.pop(0)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
