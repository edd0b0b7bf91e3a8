"""Rule 4: what opens a bot or a webhook is not shown, not even as code.

A model that was talked into printing what it was given must not print a key. Discord's own keys have a shape
of their own; other keys look like anything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..passage import Edit
    from ..reading import Reading

__all__ = ["HIDDEN", "KEYLIKE", "hide_secrets"]

HIDDEN = "[removed]"
"""What stands there instead."""
KEYLIKE = r"\.[\w-]{6,7}\.[\w-]{27}|/webhooks/"
"""A pattern without which a text has no secret."""

_TOKEN = re.compile(r"(?<![\w.-])[\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,60}(?![\w-])", re.ASCII)
_WEBHOOK = re.compile(r"/webhooks/\d{15,20}/([\w-]{40,100})", re.ASCII)


def hide_secrets(reading: Reading) -> list[Edit]:
    """Edits that take out tokens of bots and of webhooks."""
    found = [token.span() for token in _TOKEN.finditer(reading.text)]
    found += [webhook.span(1) for webhook in _WEBHOOK.finditer(reading.text)]
    return [(start, end, HIDDEN) for start, end in sorted(found)]
