"""The audit of packages asks the right question, and says what it was told or that no one was there."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

from audit import Pin, ask, main, read_pins  # noqa: E402


@contextmanager
def osv(bad: str = "", answer: bytes | None = None) -> Iterator[tuple[str, list[Any]]]:
    """A server on loopback that knows something about one package."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            queries = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
            asked.extend(queries)
            results = [
                {"vulns": [{"id": "PYSEC-1"}]} if one["package"]["name"] == bad else {} for one in queries
            ]
            body = answer if answer is not None else json.dumps({"results": results}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_pins_are_read_and_asked_about() -> None:
    pins = read_pins("aiohttp==3.14.5\n# a word\nx.y==1.0 ; python_version < '3'\n\n")
    assert pins == [Pin("aiohttp", "3.14.5"), Pin("x.y", "1.0")]
    with osv("x.y") as (address, asked):
        assert ask(pins, address) == {Pin("x.y", "1.0"): ["PYSEC-1"]}
    assert asked[0] == {"package": {"name": "aiohttp", "ecosystem": "PyPI"}, "version": "3.14.5"}


def test_the_constraints_are_all_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    with osv() as (address, asked):
        assert main(address) == 0
    assert len(asked) > 20
    with osv("aiohttp") as (address, _):
        assert main(address) == 1
    assert "PYSEC-1" in capsys.readouterr().out


def test_without_an_answer_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("http://127.0.0.1:9/") == 2
    with osv(answer=b"{}") as (address, _):
        assert main(address) == 2
    assert capsys.readouterr().out.count("are not checked") == 2
