"""When a provider accepts requests again: the headers `retry-after` and `retry-after-ms`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks us to wait: a number, a date, or OpenAI's milliseconds."""
    if (pause := as_seconds(headers.get("retry-after-ms"), 1000)) is not None:
        return pause
    value = headers.get("retry-after", "")
    if (pause := as_seconds(value)) is not None:
        return pause
    try:
        until = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError):
        return None
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds())


def as_seconds(value: str | None, per_second: float = 1) -> float | None:
    """Return a number of a header as seconds, or None if it is no number."""
    try:
        seconds = float(value or "") / per_second
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
