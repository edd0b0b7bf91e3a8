"""A record is one line that obeys no one, holds no key, and quotes no one unless it shall."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from streamcord import ProviderError, RequestRejected, SettingsError, StoreError
from streamcord._common.log_format import MAX_LINE_CHARS, LogLines, describe_error, one_line

KEY = "zq8Kd0-mysecretkey_77LxP"


def line(message: str, *args: object, error: BaseException | None = None, text: bool = False) -> str:
    info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("streamcord_bot", logging.WARNING, __file__, 1, message, args, info)
    return LogLines([KEY], text=text).format(record).partition(": ")[2]


def raised(error: Exception, cause: Exception | None = None) -> Exception:
    try:
        raise error from cause
    except type(error):
        found = sys.exception()
    assert isinstance(found, Exception)
    return found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\r\nc", "a\\nb\\r\\nc"),
        ("\x1b[31mred\x1b[0m\x07", "\\x1b[31mred\\x1b[0m\\x07"),
        ("\x9b31m \u2028 \u202eevil \u200b", "\\x9b31m \\u2028 \\u202eevil \\u200b"),
        ("\ud800 half", "\\ud800 half"),
        ("ä 字 😀 ok", "ä 字 😀 ok"),
    ],
)
def test_control_characters_are_escaped(text: str, shown: str) -> None:
    assert one_line(text) == shown
    assert line("%s", text) == shown


def test_keys_are_stars_and_long_lines_end() -> None:
    assert line("it is %s", KEY) == f"it is {'*' * len(KEY)}"
    assert line("at %s", "postgresql://bot:hunter2!x@db/x") == "at postgresql://bot:*********@db/x"
    assert len(line("x" * 9000)) < MAX_LINE_CHARS
    assert line("50 % of it") == "50 % of it"
    assert line("%(a)s", {"a": "b"}) == "b"


PROVIDER = RequestRejected(
    "The provider answered 400: you said 'my ex Ann\n2026-01-01 INFO root: forged'", summary="answered 400"
)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PROVIDER, "answered 400"),
        (ProviderError("words", user_message="Try again."), "Try again."),
        (ProviderError("words"), "ProviderError"),
        (SettingsError("degree", "a number", "my ex Ann"), "degree must be a number"),
        (StoreError("The database is locked."), "The database is locked."),
        (OSError(28, "No space left"), "[Errno 28] No space left"),
        (ValueError("my ex Ann"), "ValueError"),
        (KeyError(), ""),
    ],
)
def test_an_error_quotes_nobody(error: Exception, told: str) -> None:
    assert describe_error(error) == told
    assert describe_error(error, text=True) == str(error)
    assert line("turn 1: %s: %s", "X", error) == f"turn 1: X: {told}".rstrip("\n")


def test_exception_is_logged_on_one_line_with_its_traceback() -> None:
    error = raised(ValueError("my ex Ann"), raised(StoreError("The file is gone.")))
    told = line("turn 1 failed", error=error)

    assert told.startswith("turn 1 failed | ValueError (at test_log_format.py:")
    assert "in raised), because of StoreError: The file is gone. (at " in told
    assert "Ann" not in told
    assert "my ex Ann" in line("turn 1 failed", error=error, text=True)


def test_suppressed_context_is_not_logged_and_cause_cycles_end() -> None:
    bare = ValueError("x")
    bare.__context__ = KeyError("y")
    bare.__suppress_context__ = True
    circle = ValueError("a")
    circle.__cause__ = KeyError("b")
    circle.__cause__.__cause__ = circle

    assert line("failed", error=bare) == "failed | ValueError"
    assert line("failed", error=circle).count("because of") == 3
    bare.__suppress_context__ = False
    assert line("failed", error=bare) == "failed | ValueError, because of KeyError"


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("ZEBRA")


def test_a_record_that_cannot_be_formatted_is_one_line_without_its_arguments() -> None:
    for message, arguments in (("%s", (Unprintable(),)), ("%d and %d", ("ZEBRA",)), ("%(x)s", ("ZEBRA",))):
        record = logging.LogRecord("a.logger", logging.ERROR, "", 0, message, arguments, None)
        line = LogLines().format(record)
        assert line.startswith("ERROR a.logger: a record could not be formatted: ")
        assert "ZEBRA" not in line


def test_escaping_imports_nothing() -> None:
    """While the process may open no more files, Python cannot import the codec that escapes."""
    code = (
        "import sys; from streamcord.utils import one_line; before = set(sys.modules);"
        "assert one_line('a\\n\\x1b\\u202e\\ud800\\t') == 'a' + r'\\n\\x1b\\u202e\\ud800\\t';"
        "assert set(sys.modules) == before, set(sys.modules) - before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
