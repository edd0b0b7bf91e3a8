"""Safe log lines: one line per record, no secrets, and no text of users or models unless it is enabled.

Text from a server or a user may contain line breaks that forge log lines, terminal colours, keys, or private
messages. So control characters are escaped, secrets become stars, and an error is logged with its type and
traceback. The message of an error is logged only if Python, Discord or this library wrote it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from pathlib import PurePath
from traceback import walk_tb

from .._exceptions import ProviderError, SettingsError, StreamcordError
from .known_secrets import SecretFilter

FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
MAX_LINE_CHARS = 4000
MAX_FRAMES = 8
MAX_CAUSES = 4

# Control characters, invisible and bidirectional formatting, lone surrogates.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN = (OSError, TypeError, AttributeError, NameError, ImportError, AssertionError, StreamcordError)
"""Errors whose messages Python, the system or this library wrote."""


def one_line(text: str) -> str:
    """Escape line breaks and everything that a terminal or a log reader interprets.

    Args:
        text: Text of a model or a user.

    Example:
        print(f"the model said {one_line(text)}")

    """
    return _UNSAFE.sub(_escape, text)


def _escape(unsafe: re.Match[str]) -> str:
    # Not the codec `unicode_escape`: Python imports it at its first use, which fails while no file can be opened.
    code = ord(unsafe[0])
    return _SHORT_ESCAPES.get(unsafe[0]) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def describe_error(error: BaseException, *, text: bool = False) -> str:
    """Return the message of an error.

    Args:
        error: the error.
        text: whether the message may contain text of users, models or servers.

    """
    if text or not str(error):
        return str(error)
    if isinstance(error, ProviderError):
        return error.summary
    if isinstance(error, SettingsError):
        return f"{error.field} must be {error.allowed}"
    if isinstance(error, _PLAIN) or type(error).__module__.partition(".")[0] == "discord":
        return str(error)
    # The message of any other library may quote its input.
    return type(error).__name__


class LogLines(logging.Formatter):
    """Formats every record as one safe line.

    Args:
        secrets: known secrets; fragments of eight or more characters are never written.
        text: whether text of users and models may be written.

    Example:
        handler = logging.StreamHandler()
        handler.setFormatter(LogLines([token]))

    """

    def __init__(self, secrets: Iterable[str] = (), *, text: bool = False) -> None:
        super().__init__(FORMAT)
        self._secrets = SecretFilter(secrets)
        self._text = text

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, including its exception; it never raises.

        After an error of a formatter, `logging` would print the raw record.
        """
        try:
            return self._line(record)
        except Exception as error:
            return (
                f"{record.levelname} {record.name}: a record could not be formatted: {type(error).__name__}"
            )

    def _line(self, record: logging.LogRecord) -> str:
        record.message = self._message(record)
        record.asctime = self.formatTime(record)
        line = self.formatMessage(record)
        if record.exc_info and record.exc_info[1]:
            line += " | " + self._trace(record.exc_info[1])
        line = one_line(self._secrets.mask(line))
        return line if len(line) <= MAX_LINE_CHARS else line[: MAX_LINE_CHARS - 1] + "…"

    def _message(self, record: logging.LogRecord) -> str:
        if not isinstance(record.args, tuple):
            return record.getMessage()
        # Errors among the arguments are described first, because `%s` would write their whole text.
        described = tuple(
            describe_error(one, text=self._text) if isinstance(one, BaseException) else one
            for one in record.args
        )
        return str(record.msg) % described if described else str(record.msg)

    def _trace(self, error: BaseException) -> str:
        """Describe an exception and its causes: type, message and where it was raised."""
        parts: list[str] = []
        cause: BaseException | None = error
        while cause is not None and len(parts) < MAX_CAUSES:
            message = describe_error(cause, text=self._text)
            name = type(cause).__name__
            parts.append(f"{name}{f': {message}' if message not in ('', name) else ''}{_frames(cause)}")
            cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
        return ", because of ".join(parts)


def _frames(error: BaseException) -> str:
    """List the innermost frames of a traceback, without values, which may contain private text."""
    found = [
        f"{PurePath(frame.f_code.co_filename).name}:{line} in {frame.f_code.co_name}"
        for frame, line in walk_tb(error.__traceback__)
    ]
    return f" (at {' < '.join(reversed(found[-MAX_FRAMES:]))})" if found else ""
