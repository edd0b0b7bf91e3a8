"""Seconds of CPU that litellm needs to parse a stream, the best of some runs.

    python rival_litellm.py READS.json RUNS

Needs a Python that has litellm; `pip install -r bench/rivals.txt in .venv-litellm` makes one.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from time import process_time

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else importing it asks the network

import httpx
import litellm
import openai
from canned import client


async def parse(reads: list[bytes]) -> float:
    async with openai.AsyncOpenAI(api_key="k", http_client=client(httpx, reads)) as sdk:
        began = process_time()
        stream = await litellm.acompletion(
            model="openai/gpt-5-mini",
            messages=[{"role": "user", "content": "Hi"}],
            stream=True,
            client=sdk,
            api_key="k",
        )
        length = 0
        async for chunk in stream:
            length += len(chunk.choices[0].delta.content or "") if chunk.choices else 0
        assert length > 1000, length
        return process_time() - began


async def main(reads: list[bytes], runs: int) -> None:
    best = min([await parse(reads) for _ in range(runs)])
    print(json.dumps({"seconds": best, "version": version("litellm")}))


asyncio.run(main([text.encode() for text in json.loads(Path(sys.argv[1]).read_text())], int(sys.argv[2])))
