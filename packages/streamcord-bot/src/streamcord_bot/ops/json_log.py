"""Format log records as JSON, one object per line, for log collectors such as Loki or Elasticsearch."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from streamcord.utils import LogLines


class JsonLogLines(LogLines):
    """Formats a record as a JSON object with `time`, `level`, `logger`, `message` and, after an error, `exception`.

    Redaction is that of `LogLines`: secrets are masked, and words of users are left out unless `text` is set.

    Example:
        {"time": "2026-11-18T16:20:00.000+00:00", "level": "warning", "logger": "streamcord_bot.client",
        "message": "…", "exception": "OSError"}

    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON."""
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": super().format(record),
        }
        if record.exc_info and record.exc_info[1]:
            fields["exception"] = type(record.exc_info[1]).__name__
        return json.dumps(fields, ensure_ascii=False)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name of logging.Formatter
        """Return the message alone: time, level and logger are fields of their own."""
        return record.message
