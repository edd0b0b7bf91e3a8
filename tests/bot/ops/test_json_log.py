"""`[log] format = "json"`: one object per line, with the same redaction as text logs."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from streamcord_bot.config import LogConfig
from streamcord_bot.ops.json_log import JsonLogLines
from streamcord_bot.run import set_up_logs

KEY = "zq8Kd0-mysecretkey_77LxP"


def format_record(message: str, *args: object, error: BaseException | None = None) -> dict[str, Any]:
    info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("streamcord_bot.client", logging.WARNING, __file__, 1, message, args, info)
    record.created = 0.5
    line = JsonLogLines([KEY]).format(record)
    assert "\n" not in line
    parsed: dict[str, Any] = json.loads(line)
    return parsed


def test_record_has_time_level_logger_and_message() -> None:
    assert format_record("ready in %d servers", 3) == {
        "time": "1970-01-01T00:00:00.500+00:00",
        "level": "warning",
        "logger": "streamcord_bot.client",
        "message": "ready in 3 servers",
    }


def test_secrets_and_line_breaks_are_redacted() -> None:
    found = format_record("key %s\nforged line", KEY)

    assert KEY not in found["message"]
    assert "\n" not in found["message"]


def test_exception_class_is_a_field_and_words_of_users_are_left_out() -> None:
    found = format_record("failed", error=KeyError("what a user said"))

    assert found["exception"] == "KeyError"
    assert "what a user said" not in found["message"]


@pytest.fixture
def root_logger() -> Iterator[logging.Logger]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield root
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize(("form", "is_json"), [("text", False), ("json", True)])
def test_setting_selects_the_formatter(
    form: Any, is_json: bool, root_logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    set_up_logs(LogConfig(format=form), [KEY])

    root_logger.warning("the key is %s", KEY)

    (line,) = written.getvalue().splitlines()
    assert line.startswith("{") is is_json
    assert KEY not in line
