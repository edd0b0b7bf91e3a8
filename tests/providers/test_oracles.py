"""The official SDKs read the same bytes from the same server, and say the same.

Where they do not, `OTHERWISE` says what they say and why; an entry that is no longer true fails too. NovelAI
has no SDK, so no one but us vouches for its fixture.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from providers.loopback import asked, serving, streaming
from providers.oracles import ORACLES, heard, overheard

FIXTURES = Path(__file__).parent / "fixtures"
NAMES = [
    f"{path.parent.name}/{path.stem}"
    for path in sorted(FIXTURES.glob("*/*.sse"))
    if path.parent.name in ORACLES
]

# What the SDK says instead, and why ours is right.
OTHERWISE: dict[str, dict[str, Any]] = {
    # A stream that breaks off is an end like any other to all of them.
    "anthropic/truncated": {"failed": False},
    "google/truncated": {"failed": False},
    "openai/truncated": {"failed": False},
    "openai/plain_text_after_cut": {"failed": False},
    "openai-responses/truncated": {"failed": False},
    "google-interactions/truncated": {"failed": False},
    # A refused prompt and a broken call are left to the one who reads the reasons.
    "google/blocked_prompt": {"failed": False},
    "google/malformed_call": {"failed": False},
    "openai/deepseek_overload": {"failed": False},
    "openai/openrouter_choice_error": {"failed": False},
    # Words that came in the same event as an error, or in a last event without its blank line, are lost.
    "openai/openrouter_error": {"text": "Well"},
    "openai/no_blank_line": {"text": "All of"},
    # Code that the provider ran and its output are no words to them.
    "anthropic/code_execution": {"text": "I compute it.It is 42."},
    "google-interactions/code_execution": {"text": "It is 42."},
    "google/code_execution": {"text": "I compute it.It is 42."},
    "openai-responses/code_interpreter": {"text": "It is 42."},
    # Sources beside the choices, and base64 that is none.
    "openai/perplexity_citations": {"sources": []},
    "openai/openrouter_images": {"pictures": [b"\x89PNG\r\n\x1a\n0", b""]},
    # A pause: we ask again with the answer so far, up to the limit, and this server always pauses.
    "anthropic/pause_turn": {"text": "Let me search", "usage": (25, 40)},
    "anthropic/compaction": {"usage": (25, 40)},
    # This SDK goes on once.
    "google-interactions/continuation": {"text": "WellWell", "usage": (9, 4)},
    # A tool that needs an approval which no one gives is told, instead of an empty answer.
    "openai-responses/mcp_approval": {"failed": False},
    # Content that is a list of parts is nothing that OpenAI's SDK knows.
    "openai/mistral_thinking": {"text": "", "failed": True},
    # Arguments that are no JSON: half of them pass as none at all, or no one gets any call.
    "anthropic/tool_not_json": {"calls": [("weather", {})]},
    "openai/tools_not_json": {"calls": [], "failed": True},
    # Calls that a server numbers all alike, or not at all.
    "openai/tools_all_zero": {"calls": [], "failed": True},
    "openai/tools_without_id": {"calls": [], "failed": True},
    "openai/tools_without_index": {"calls": [], "failed": True},
}


def stream_of(name: str) -> bytes:
    """The fixture; Google's SDK takes a comment for JSON, so the lines that cite the source are left out."""
    content = (FIXTURES / f"{name}.sse").read_bytes()
    lines = content.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(b":")).lstrip()


@pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.* is not a valid FinishReason:UserWarning")
@pytest.mark.parametrize("name", NAMES)
async def test_the_official_sdk_hears_the_same(name: str) -> None:
    dialect = name.partition("/")[0]
    async with serving(streaming(stream_of(name))) as server:
        ours = heard(*await asked(server.url, dialect))
        theirs = await overheard(dialect, server.url)

    assert theirs == replace(ours, **OTHERWISE.get(name, {}))
    assert theirs != ours or name not in OTHERWISE


def test_every_dialect_but_novelai_has_an_oracle() -> None:
    assert {path.name for path in FIXTURES.iterdir()} - ORACLES.keys() == {"novelai"}
    assert OTHERWISE.keys() <= set(NAMES)
