"""The text of a whole answer: a string, or what an SDK or a framework returns without streaming."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .frameworks import read


def whole_text(answer: Any) -> str | None:  # noqa: ANN401 - of many kinds
    """Return the text of a whole answer; None if the object is something else."""
    if isinstance(answer, str):
        return answer
    for find in _FINDERS:
        try:
            text = find(answer)
        except (AttributeError, IndexError, KeyError, TypeError):
            continue
        if isinstance(text, str):
            return text
    return None


def _blocks(content: Any) -> str | None:  # noqa: ANN401
    """Return the text of a message's content: text, or a list of blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    return "".join(str(read(block, "text", "")) for block in content)


def _refusal(output: Any) -> str:  # noqa: ANN401
    """Return the words of a refusal, which `output_text` of OpenAI Responses leaves out."""
    parts = (part for item in output or () for part in read(item, "content", ()) or ())
    return "".join(str(read(part, "refusal", "")) for part in parts)


_FINDERS: tuple[Callable[[Any], Any], ...] = (
    # OpenAI Responses; chat completions of every SDK; OpenAI Agents; pydantic-ai; smolagents
    lambda it: (it.output_text or _refusal(it.output)) if hasattr(it, "model_dump") else None,
    lambda it: read(it.choices[0].message, "refusal") or it.choices[0].message.content,
    lambda it: it.final_output if hasattr(it, "last_agent") else None,
    lambda it: it.output if type(it).__name__ == "AgentRunResult" else None,
    # google-genai; Anthropic and LangChain; ollama; llama-index
    lambda it: it.text if hasattr(it, "candidates") else None,
    lambda it: (
        _blocks(it.content) if hasattr(it, "stop_reason") or hasattr(it, "response_metadata") else None
    ),
    lambda it: it.message.content,
)
