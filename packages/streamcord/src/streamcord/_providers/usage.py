"""Add up token counts."""

from __future__ import annotations

from .._events import Usage


def add_usage(one: Usage, other: Usage) -> Usage:
    """Return the sum of two token counts."""
    return Usage(
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        one.reasoning_tokens + other.reasoning_tokens,
        one.cached_tokens + other.cached_tokens,
    )
