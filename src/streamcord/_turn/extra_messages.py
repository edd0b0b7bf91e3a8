"""Messages that nobody planned: what a tool posts, and the file that holds the rest of an answer."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from .._core.pipeline import Pipeline
from .._events import Attachment, Boundary, Degree, Message
from .._settings import DISCORD_LIMIT, Settings
from .ledger import Shown

__all__ = ["NOTICE", "REST_NAME", "as_messages", "rest_as_file"]

NOTICE = "-# This answer is too long for one turn. The rest is in the file."
REST_NAME = "rest.txt"


def as_messages(message: Message, settings: Settings) -> list[Message]:
    """The message, or several if it is too long for one; none of it counts as words of the model."""
    if len(message.content) <= DISCORD_LIMIT:
        return [replace(message, spans=())] if message.content or message.files else []
    splitter = Pipeline(
        replace(settings, degree=Degree.NONE, rules=False, message_cap=0, send_message_limit=0), Random(0)
    )
    events = [*splitter.feed(message.content), *splitter.flush()]
    parts = [event for event in events if isinstance(event, Message)]
    return [
        replace(message, content=part.content, spans=(), files=message.files if part is parts[-1] else ())
        for part in parts
    ]


def rest_as_file(shown: Shown) -> Message | None:
    """One text file of everything that the message cap held back; it is not dropped then."""
    held = [dropped for dropped in shown.dropped if dropped.reason == "message_cap"]
    text = "".join(dropped.text for dropped in held)
    if not text.strip():
        return None
    shown.dropped = [dropped for dropped in shown.dropped if dropped.reason != "message_cap"]
    spans = tuple(sorted(span for dropped in held for span in dropped.spans))
    # Half a surrogate pair cannot stand in a file.
    content = text.encode("utf-8", "replace")
    file = Attachment(REST_NAME, content, "the rest of the answer as text")
    return Message(NOTICE, files=(file,), spans=spans, boundary=Boundary.ATTACHMENT, notice=True)
