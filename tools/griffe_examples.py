"""An extension of griffe, for `make docs`: code below `Example:` in a docstring becomes a code block.

Google style has a section `Examples:` for interactive sessions (`>>>`). Our docstrings say `Example:` and show
plain code, which reads well in `help()`, but the site would take it for prose.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^(?P<indent> *)Examples?:\n(?P<code>(?:(?P=indent) +\S.*\n|\s*\n)+)", re.MULTILINE)


def fence_examples(docstring: str) -> str:
    """Put the code of each example into a fence."""
    return _EXAMPLE.sub(_fence, docstring + "\n").rstrip("\n")


def _fence(found: re.Match[str]) -> str:
    code = textwrap.dedent(found["code"]).strip("\n")
    language = "pycon" if code.startswith(">>>") else "python"
    # A longer fence than any in the code.
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall("`+", code))])
    return textwrap.indent(f"**Example**\n\n{fence}{language}\n{code}\n{fence}\n\n", found["indent"])


class FencedExamples(Extension):  # type: ignore[misc]  # mypy does not read griffe
    """Rewrites the docstring of every object that griffe loads."""

    def on_object(self, *, obj: Object, **_: Any) -> None:  # noqa: ANN401 - griffe passes more
        """Called by griffe for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = fence_examples(obj.docstring.value)
