"""google-genai: functions that the SDK calls by itself, and interactions."""

import asyncio
import warnings
from typing import Any

from checking import AFTER, BEFORE, check
from google import genai
from google.genai import types
from loopback import serving, sse

warnings.simplefilter("ignore")


def look(question: str) -> str:
    """Look something up."""
    return "42"


def content(*parts: dict[str, Any], reason: str = "STOP") -> dict[str, Any]:
    return {
        "candidates": [
            {"content": {"role": "model", "parts": list(parts)}, "finishReason": reason, "index": 0}
        ]
    }


async def automatic_calls() -> None:
    call = {"functionCall": {"name": "look", "args": {"question": "x"}}}
    first = sse(content({"text": BEFORE}, call))
    with serving(first, sse(content({"text": AFTER}))) as url:
        client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=url))
        config = types.GenerateContentConfig(tools=[look])
        stream = await client.aio.models.generate_content_stream(
            model="gemini-3", contents="hi", config=config
        )
        await check("automatic function calling", stream)


async def interactions() -> None:
    interaction = {
        "id": "i",
        "status": "in_progress",
        "model": "gemini-3",
        "created": "2026-11-18T00:00:00Z",
        "updated": "2026-11-18T00:00:00Z",
    }
    events = [
        {"event_type": "interaction.created", "interaction": interaction},
        {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
        *(
            {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": half}}
            for half in (AFTER[:7], AFTER[7:])
        ),
        {"event_type": "step.stop", "index": 0},
        {"event_type": "interaction.completed", "interaction": {**interaction, "status": "completed"}},
    ]
    with serving(sse(*events, named=True)) as url:
        client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=url))
        stream = await client.aio.interactions.create(model="gemini-3", input="hi", stream=True)
        await check("interactions", stream, (AFTER,))


asyncio.run(automatic_calls())
if hasattr(genai.Client(api_key="none").aio, "interactions"):
    asyncio.run(interactions())
