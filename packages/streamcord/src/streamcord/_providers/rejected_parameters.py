"""Find out which parameter of a request a server rejects.

Some servers quote the prompt in their errors, so a name that the prompt contains proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .._exceptions import RequestRejected
from .prompt import Options, Prompt

# The names that servers use for a parameter in their errors. The first one that is named and was sent is dropped.
PARAMETER_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("top_p", re.compile(r"\btop_?p\b")),
    ("temperature", re.compile(r"\btemperature\b")),
    ("max_tokens", re.compile(r"\bmax_?(completion_?|output_?)?tokens\b")),
    ("reasoning", re.compile(r"\b(reasoning|reasoning_effort|thinking|thinking_?config|effort)\b")),
    ("stop", re.compile(r"\bstop(_?sequences|_?strings)?\b")),
    ("tool_choice", re.compile(r"\btool_?choice\b")),
    ("resumable", re.compile(r"\b(background|store)\b")),
    ("server_tools", re.compile(r"\b(server_?)?tools\b")),
)
PREFILL = "prefill"
# "This model does not support assistant message prefill. The conversation must end with a user message."
_PREFILL_NAMES = re.compile(r"\bprefill|end with a user message|last message must be from the user")
# The values of `Options` that mean "not sent"; None for all others.
UNSET: Mapping[str, Any] = {"stop": (), "tool_choice": "auto", "server_tools": (), "resumable": False}


def find_rejected_parameter(
    error: RequestRejected, prompt: Prompt, options: Options
) -> tuple[str, bool] | None:
    """Return the parameter that a server rejects, if it was sent, and whether that is certain.

    It is certain if the server names it in a field of its own, or in words that cannot be a quote of the prompt.
    Otherwise a user could write "max_tokens" and have it left out of everybody's requests.
    """
    sent = [name for name, _ in PARAMETER_NAMES if getattr(options, name) != UNSET.get(name)]
    patterns = [(name, pattern) for name, pattern in PARAMETER_NAMES if name in sent]
    patterns += [(key, re.compile(re.escape(key.lower()))) for key in options.extra]
    if prompt.prefill:
        patterns.append((PREFILL, _PREFILL_NAMES))
    if error.parameter:
        # A path such as `generation_config.temperature` or `stop[0]`.
        parts = re.split(r"[.\[\]]+", error.parameter.lower())
        named = (name for name, pattern in patterns if any(map(pattern.fullmatch, parts)))
        if (name := next(named, None)) is not None:
            return name, True
        # The field of a refused prefill is that of all messages.
        if not (prompt.prefill and parts[0] in {"messages", "input", "contents"}):
            return None
        patterns = [(PREFILL, _PREFILL_NAMES)]
    message = str(error).lower()
    words = ""
    for name, pattern in patterns:
        if found := pattern.search(message):
            words = words or _letters(_words_of(prompt))
            is_certain = _letters(found[0]) not in words
            # Without this one an answer may cost any amount, so a possible quote is not enough.
            return (name, is_certain) if is_certain or name != "max_tokens" else None
    return None


def _words_of(prompt: Prompt) -> str:
    """Return everything that a server could quote, without the names of our own fields."""
    return repr((prompt.system, prompt.prefill, prompt.messages, prompt.tools))


def _letters(text: str) -> str:
    """Return only the letters and digits: a server may quote `max_tokens` escaped or in other cases."""
    return re.sub(r"[\W_]+", "", text.lower())
