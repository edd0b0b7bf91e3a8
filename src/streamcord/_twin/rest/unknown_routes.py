"""Requests that the twin has no route for: whether Discord documents one, and what to say.

`documented_routes.txt` lists the routes of https://docs.discord.com/developers/reference .
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["describe_unknown", "documented_routes", "is_documented", "template_of"]


@cache
def documented_routes() -> tuple[tuple[str, str], ...]:
    """Method and path of every route that Discord documents."""
    text = Path(__file__).with_name("documented_routes.txt").read_text(encoding="utf-8")
    return tuple((method, path) for method, _, path in (line.partition(" ") for line in text.splitlines()))


def template_of(path: str) -> str:
    """A path with `{id}` for every id, and without secrets, so that equal requests count as one."""
    return "/".join("{id}" if _is_id(one) else one for one in path.split("/"))[:200]


def _is_id(segment: str) -> bool:
    return segment.isdecimal() or len(segment) > 32


def is_documented(method: str, path: str) -> bool:
    """Whether Discord has such a route."""
    segments = path.strip("/").split("/")
    return any(method == one and _fits(known, segments) for one, known in documented_routes())


def _fits(known: str, segments: list[str]) -> bool:
    parts = known.strip("/").split("/")
    return len(parts) == len(segments) and all(
        mine.startswith("{") or mine == theirs for mine, theirs in zip(parts, segments, strict=True)
    )


def describe_unknown(method: str, path: str) -> str:
    """What the client is told, and the log."""
    asked = f"{method} /{template_of(path)}"
    if is_documented(method, path):
        return f"the twin does not have {asked} yet, Discord does"
    return f"neither the twin nor Discord's documentation has {asked}"
