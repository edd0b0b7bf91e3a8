"""Remove from text of programs what a terminal or a layout engine obeys: escape sequences, controls, directions."""

from __future__ import annotations

import re

# CSI and OSC sequences, as ECMA-48 has them, then lone escapes.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?|[@-Z\\-_]?)")
# Controls other than tab and line feed, marks that change the direction of text, and lone surrogates.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_FENCE = re.compile("`(?=``)")


def break_fences(text: str) -> str:
    r"""Return the text without three backticks in a row, which would end the code block around it.

    Discord ends a code block at the next three backticks, wherever they are.

    Args:
        text: Text that is put into a code block.

    Example:
        >>> break_fences("a ``` b")
        'a `\u200b`` b'

    """
    return _FENCE.sub("`\u200b", text)


def strip_controls(text: str) -> str:
    r"""Return the text without escape sequences, control characters and marks that reverse its direction.

    Args:
        text: Text of a program or of the network.

    Example:
        >>> strip_controls("\x1b[31mred\x1b[0m")
        'red'

    """
    return _CONTROLS.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n")))
