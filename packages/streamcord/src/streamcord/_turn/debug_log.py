"""Log the steps of an answer at level DEBUG, for a developer who looks for the cause of an odd message.

The lines have the wording of the specification's debugging checklist. They hold numbers only. Words of people and of
the model are added if the logger `streamcord.text` is set to DEBUG; by default its level is INFO, so that turning on
DEBUG for a whole program does not write conversations into its log.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from .._events import Message, ProviderEvent, Receipt, Replaced, TextDelta

TEXT_LOGGER = "streamcord.text"
"""Set this logger to DEBUG to see words in the lines of this module."""

MAX_LOGGED_CHARS = 200

_log = logging.getLogger(__name__)
_text_log = logging.getLogger(TEXT_LOGGER)
_text_log.setLevel(logging.INFO)


class StreamLog:
    """Writes the debug lines of one turn.

    Args:
        hide: Removes secrets from a text.

    """

    def __init__(self, hide: Callable[[str], str]) -> None:
        self._hide = hide
        self._count = 0
        # Punctuation that the pipeline holds back.
        self._held = ""
        # What the model has written so far, to show what the humanizer changed; empty unless words are logged.
        self._source = ""

    @staticmethod
    def is_enabled() -> bool:
        """Whether anybody reads the lines."""
        return _log.isEnabledFor(logging.DEBUG)

    def on_source(self, event: str | ProviderEvent | Message) -> None:
        """Log a chunk of the model's text."""
        text = event.text if isinstance(event, TextDelta) else event
        if not isinstance(text, str):
            return
        if _text_log.isEnabledFor(logging.DEBUG):
            self._source += text
        _log.debug("Stream API: Raw chunk received: %s", self._words(text))

    def on_step(self, step: str, text: str) -> None:
        """Log a step of the pipeline that leaves no record of its own; held punctuation is not a word of anybody."""
        match step:
            case "overflow":
                _log.debug(
                    "Stream Seg: Flushing oversized regular buffer at safe breakpoint (%d characters)",
                    len(text),
                )
            case "hold":
                self._held = f"{self._held}\n{text}".strip()
                _log.debug('Stream Orphan: Holding "%s" (pending="%s") for next segment', text, self._held)
            case "prepend":
                self._held = ""
                _log.debug('Stream Orphan: Prepending held "%s" to next segment', text)
            case _:
                self._held = ""
                _log.debug(
                    'Stream Orphan: Releasing held "%s" as standalone on final flush (no following segment).',
                    text,
                )

    def on_edits(self, edits: Iterable[Replaced]) -> None:
        """Log each repeated emoji that was removed; its name is one of the server's."""
        for edit in edits:
            if edit.rule == "emoji repeat":
                _log.debug("[Unique Emoji] removed %s, which is in a recent message", edit.before.strip())

    def on_message(self, message: Message) -> None:
        """Log what the humanizer changed in a planned message."""
        self.on_edits(message.edits)
        if any(edit.rule == "humanizer" for edit in message.edits):
            spans = [*message.spans, *(span for edit in message.edits for span in edit.spans)]
            start, end = min(span[0] for span in spans), max(span[1] for span in spans)
            before = self._words(self._source[start:end].strip(), end - start)
            _log.debug("Stream Send: Humanized (D3) from %s to %s", before, self._words(message.content))

    def on_receipt(self, receipt: Receipt) -> None:
        """Log a message that was sent."""
        self._count += 1
        _log.debug("Stream Send: Sent message (%d): %s", self._count, self._words(receipt.message.content))

    def _words(self, text: str, length: int | None = None) -> str:
        """Return the text for the log: its words if they may be logged, else how many characters it has."""
        if not _text_log.isEnabledFor(logging.DEBUG):
            return f"{len(text) if length is None else length} characters"
        hidden = self._hide(text)
        return repr(hidden if len(hidden) <= MAX_LOGGED_CHARS else hidden[: MAX_LOGGED_CHARS - 1] + "…")
