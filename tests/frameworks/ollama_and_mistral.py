"""ollama and mistralai: chats over HTTP."""

import asyncio
import json

from checking import AFTER, check
from loopback import serving, sse
from mistralai.client import Mistral
from ollama import AsyncClient

HALVES = AFTER[:9], AFTER[9:]


async def ollama() -> None:
    chunks = [
        {"model": "m", "message": {"role": "assistant", "content": "", "thinking": "Hm."}, "done": False}
    ]
    chunks += [
        {"model": "m", "message": {"role": "assistant", "content": one}, "done": False} for one in HALVES
    ]
    end = {"role": "assistant", "content": ""}
    chunks += [
        {
            "model": "m",
            "message": end,
            "done": True,
            "done_reason": "stop",
            "eval_count": 5,
            "prompt_eval_count": 7,
        }
    ]
    body = "".join(json.dumps(one) + "\n" for one in chunks).encode()
    with serving(body, kind="application/x-ndjson") as url:
        stream = await AsyncClient(host=url).chat(
            model="m", messages=[{"role": "user", "content": "hi"}], stream=True
        )
        result = await check("ollama", stream, (AFTER,))
    assert result.thoughts.raw == "Hm."
    assert result.usage is not None
    assert result.usage.output_tokens == 5


async def mistral() -> None:
    def chunk(delta: dict[str, object], reason: str | None = None) -> dict[str, object]:
        return {"id": "1", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    chunks = [
        chunk({"content": [thought]}),
        *(chunk({"content": one}) for one in HALVES),
        chunk({"content": ""}, "stop"),
    ]
    with serving(sse(*chunks, done=True)) as url:
        client = Mistral(api_key="none", server_url=url)
        stream = await client.chat.stream_async(model="m", messages=[{"role": "user", "content": "hi"}])
        result = await check("mistral", stream, (AFTER,))
    assert result.thoughts.raw == "Hm."


asyncio.run(ollama())
asyncio.run(mistral())
