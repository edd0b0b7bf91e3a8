"""How many tokens thoughts take, so that a limit of the answer's length is not used up by them.

Thoughts count in that limit at Anthropic, Google and OpenAI: with `max_tokens=300` a model that thinks for 8000 tokens
would not write a word. https://ai.google.dev/gemini-api/docs/thinking and
https://platform.openai.com/docs/guides/reasoning#controlling-costs
"""

from __future__ import annotations

from collections.abc import Mapping

BUDGETS: Mapping[str, int] = {
    "none": 0,
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16_384,
    "xhigh": 24_576,
    "max": 32_768,
}
"""Tokens for thoughts, by effort."""
GOOGLE_OUTPUT_TOKENS = 65_536
OPENAI_OUTPUT_TOKENS = 100_000
"""What every model that thinks may write, thoughts included."""
UNASKED = "medium"
"""The effort of models that think without being asked."""


def length_with_thoughts(length: int | None, thoughts: int, most: int) -> int | None:
    """Return the limit for an answer of `length` tokens and its thoughts; `most` is what models may write."""
    return None if length is None else max(length, min(most, length + thoughts))
