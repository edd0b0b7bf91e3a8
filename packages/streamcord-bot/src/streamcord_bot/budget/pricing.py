"""Estimate the tokens of a request before it is sent, and what tokens cost afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from math import ceil

from streamcord import ThoughtDelta, ToolCall, Usage
from streamcord.providers import File, Image, Options, Prompt, Text

from ..config import BudgetConfig, PriceConfig

_PAGE_COUNT = re.compile(rb"/Count\s{0,5}(\d{1,6})")
MILLION = 1_000_000
BYTES_PER_TOKEN = 3
"""Bytes of UTF-8 in a token. Most texts have more, in every script, so an estimate is rather too high."""
IMAGE_TOKENS = 1600
"""Tokens that a large image costs at the usual providers (https://docs.claude.com/en/docs/build-with-claude/vision)."""
PAGE_TOKENS = 2000
"""Tokens of a page of PDF, which models also see as a picture
(https://docs.claude.com/en/docs/build-with-claude/pdf-support)."""
MIN_PAGE_BYTES = 20_000
"""Bytes of a page where a PDF does not say how many it has."""
MAX_PAGES = 250
"""More pages are not expected to fit into the context of a model."""
RECORDING_BYTES_PER_TOKEN = 100
"""Bytes of audio or video in a token: 25 kbit/s at 32 tokens a second (https://ai.google.dev/gemini-api/docs/audio)."""
MESSAGE_TOKENS = 8
"""Tokens of overhead for each message."""


def price_of(usage: Usage, prices: Iterable[PriceConfig]) -> int:
    """Return the price of these tokens in millionths of the currency.

    If several models may have answered (fallbacks), the most expensive one counts.
    """
    cached = min(usage.cached_tokens, usage.input_tokens)
    fresh = usage.input_tokens - cached
    # Prices are per million tokens, so the price of one token in millionths is the same number.
    return max(
        (
            ceil(
                fresh * price.input
                + cached * (price.cached or price.input)
                + usage.output_tokens * price.output
            )
            for price in prices
        ),
        default=0,
    )


def show_money(millionths: int, currency: str) -> str:
    """Format a sum with cents; sums below 1 get four digits, since answers cost fractions of a cent."""
    amount = millionths / MILLION
    return f"{currency}{amount:,.2f}" if amount >= 1 or not amount else f"{currency}{amount:.4f}"


def estimate(prompt: Prompt, options: Options | None, config: BudgetConfig) -> Usage:
    """Estimate the tokens of a request, rather too many than too few."""
    output = options.max_tokens if options and options.max_tokens else config.answer_tokens
    return Usage(input_tokens(prompt), output)


def input_tokens(prompt: Prompt) -> int:
    """Estimate the tokens of a prompt from its bytes and images."""
    size = len(prompt.system.encode("utf-8", "replace")) + len(prompt.prefill.encode("utf-8", "replace"))
    for spec in prompt.tools:
        size += len(spec.description) + len(json.dumps(spec.parameters, default=str)) + len(spec.name)
    tokens = 0
    for message in prompt.messages:
        tokens += MESSAGE_TOKENS
        for part in message.parts:
            match part:
                case Image():
                    tokens += IMAGE_TOKENS
                case File():
                    tokens += _file_tokens(part)
                case Text(text) | ThoughtDelta(text):
                    size += len(text.encode("utf-8", "replace"))
                case ToolCall():
                    size += len(json.dumps(part.arguments, default=str))
    return tokens + ceil(size / BYTES_PER_TOKEN)


def _file_tokens(file: File) -> int:
    """Estimate the tokens of a file that the model reads itself."""
    if file.media_type != "application/pdf":
        return ceil(len(file.content) / RECORDING_BYTES_PER_TOKEN)
    # The page tree says how many pages there are; compressed PDFs hide it.
    counts = [int(found[1]) for found in _PAGE_COUNT.finditer(file.content)]
    pages = max(counts, default=0) or ceil(len(file.content) / MIN_PAGE_BYTES)
    return PAGE_TOKENS * min(max(1, pages), MAX_PAGES)
