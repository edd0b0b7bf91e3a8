"""Log lines that anybody may read: one line each, no secrets, and no words of people unless they are wanted.

What a server or a person wrote may hold line breaks that forge other lines, colours for a terminal, keys, or
what somebody said. So control characters are shown as escapes, secrets as stars, and an error says what kind
it is and where it was raised; what it says itself is kept only where Python, Discord or we wrote it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from pathlib import PurePath
from traceback import walk_tb

from .._exceptions import ProviderError, SettingsError, StreamcordError
from .redaction import SecretFilter

__all__ = ["FORMAT", "LogLines", "one_line", "tell_error"]

FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
LINE_LENGTH = 4000
FRAME_CAP = 8
CAUSE_CAP = 4

_ODD = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_PLAIN = (OSError, TypeError, AttributeError, NameError, ImportError, AssertionError, StreamcordError)
"""Errors whose words are Python's, the system's or ours."""


def one_line(text: str) -> str:
    """The text on one line; whatever a terminal or a reader of lines would obey is shown as an escape."""
    return _ODD.sub(lambda odd: odd[0].encode("unicode_escape").decode(), text)


def tell_error(error: BaseException, *, text: bool = False) -> str:
    """What an error says; without `text` nothing that a person, a model or its server may have written."""
    if text or not str(error):
        return str(error)
    if isinstance(error, ProviderError):
        return error.summary
    if isinstance(error, SettingsError):
        return f"{error.field} must be {error.allowed}"
    if isinstance(error, _PLAIN) or type(error).__module__.partition(".")[0] == "discord":
        return str(error)
    return type(error).__name__


class LogLines(logging.Formatter):
    """Makes one safe line of every record.

    secrets: what the process holds; no eight characters of it are written.
    text: whether words of people and models may be written.
    """

    def __init__(self, secrets: Iterable[str] = (), *, text: bool = False) -> None:
        super().__init__(FORMAT)
        self._secrets = SecretFilter(secrets)
        self._text = text

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, its exception included."""
        record.message = self._message(record)
        record.asctime = self.formatTime(record)
        line = self.formatMessage(record)
        if record.exc_info and record.exc_info[1]:
            line += " | " + self._trace(record.exc_info[1])
        line = one_line(self._secrets.mask(line))
        return line if len(line) <= LINE_LENGTH else line[: LINE_LENGTH - 1] + "…"

    def _message(self, record: logging.LogRecord) -> str:
        if not isinstance(record.args, tuple):
            return record.getMessage()
        told = tuple(
            tell_error(one, text=self._text) if isinstance(one, BaseException) else one for one in record.args
        )
        return str(record.msg) % told if told else str(record.msg)

    def _trace(self, error: BaseException) -> str:
        """An exception and its causes: what each is, what may be said of it, and where it was raised."""
        parts: list[str] = []
        cause: BaseException | None = error
        while cause is not None and len(parts) < CAUSE_CAP:
            words = tell_error(cause, text=self._text)
            name = type(cause).__name__
            parts.append(f"{name}{f': {words}' if words not in ('', name) else ''}{_frames(cause)}")
            cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
        return ", because of ".join(parts)


def _frames(error: BaseException) -> str:
    """The last places that an exception went through, the innermost first; no values, which may be words."""
    found = [
        f"{PurePath(frame.f_code.co_filename).name}:{line} in {frame.f_code.co_name}"
        for frame, line in walk_tb(error.__traceback__)
    ]
    return f" (at {' < '.join(reversed(found[-FRAME_CAP:]))})" if found else ""
