"""Rule 4: words that were meant for the machine, `[system: …]` and the tokens that end a turn.

A note inside of a sentence (`The [system: config] file.`) is a part of it, and one that never closes is text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .removal import remove

if TYPE_CHECKING:
    from ..passage import Edit
    from ..reading import Reading

__all__ = ["drop_system_notes", "drop_turn_tokens"]

_NOTE = re.compile(r"\[system:[^\[\]\n]*\](?!\()", re.IGNORECASE)
_TOKEN = re.compile(
    r"<\|(?:im_(?:start|end|sep)|end(?:oftext|ofprompt)?|(?:begin|end)_of_(?:text|turn)|start_of_turn|e[om]t_id|eom_id"
    r"|(?:start|end)_header_id|file_separator|eos|return|end_of_turn_token)\|>"
    r"|<(?:start|end)_of_turn>|<｜(?:begin|end)▁of▁sentence｜>",
    re.IGNORECASE,
)


def drop_system_notes(reading: Reading) -> list[Edit]:
    """Edits that remove notes at the start or at the end of a line."""
    text = reading.text
    found = []
    for note in _NOTE.finditer(text):
        line, end = text.rfind("\n", 0, note.start()) + 1, text.find("\n", note.end())
        before = text[line : note.start()].strip()
        after = text[note.end() : end if end >= 0 else len(text)].strip()
        if not (before and after) and reading.free(note.start()):
            found.append(note.span())
    return remove(text, found)


def drop_turn_tokens(reading: Reading) -> list[Edit]:
    """Edits that remove tokens such as `<|im_end|>`."""
    found = (token.span() for token in _TOKEN.finditer(reading.text))
    return remove(reading.text, (one for one in found if reading.code.free(one[0] + 1)))
