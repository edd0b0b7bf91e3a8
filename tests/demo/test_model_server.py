"""The model runs in a process that ends when we do, however we end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

import streamcord
from streamcord import TextDelta
from streamcord._demo.model_server import ModelFailed, ModelServer
from streamcord._demo.weights import Weights, find_weights
from streamcord._providers.http import HttpProvider
from streamcord.providers import Options, system, user

# Just enough of a llama.cpp to be started.
FAKE = """
from types import SimpleNamespace as Any
class CommonParams:
    def __init__(self):
        self.model, self.cpuparams, self.cpuparams_batch = Any(), Any(), Any()
class Server:
    listening_address = "http://127.0.0.1:9"
    def __init__(self, params):
        if "broken" in params.model.path:
            raise SystemExit(3)
"""


@pytest.fixture
def weights(tmp_path: Path) -> Weights:
    (tmp_path / "xllamacpp").mkdir()
    (tmp_path / "xllamacpp" / "__init__.py").write_text(FAKE)
    return Weights(tmp_path / "model.gguf", tmp_path)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_it_tells_its_address_and_ends_with_the_block(weights: Weights) -> None:
    async with ModelServer(weights) as server:
        pid = server.pid
        assert server.base_url == "http://127.0.0.1:9/v1"
        assert is_alive(pid)

    assert not is_alive(pid)


async def test_a_model_that_does_not_start_says_so(weights: Weights) -> None:
    broken = Weights(weights.folder / "broken.gguf", weights.folder)

    with pytest.raises(ModelFailed, match="ended with 3"):
        async with ModelServer(broken):
            pass


async def test_it_ends_even_if_we_are_killed(weights: Weights) -> None:
    script = (
        "import asyncio, os, sys\n"
        "from pathlib import Path\n"
        "from streamcord._demo.model_server import ModelServer\n"
        "from streamcord._demo.weights import Weights\n"
        "async def main():\n"
        "    async with ModelServer(Weights(Path(sys.argv[1]), Path(sys.argv[2]))) as server:\n"
        "        print(server.pid, flush=True)\n"
        "        os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(streamcord.__file__).parent.parent)}
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", script, str(weights.file), str(weights.folder)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )

    pid = int(done.stdout)
    async with asyncio.timeout(10):
        while is_alive(pid) and not _is_zombie(pid):  # noqa: ASYNC110  (nobody tells us)
            await asyncio.sleep(0.02)


def _is_zombie(pid: int) -> bool:
    """Where nobody buries the orphans of a container."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(find_weights() is None, reason="the small model is not installed: make demo")
async def test_the_real_model_answers_in_words() -> None:
    found = find_weights()
    assert found is not None
    async with (
        ModelServer(found) as server,
        HttpProvider("llamacpp", base_url=server.base_url, model=found.name) as provider,
    ):
        prompt = system("You are Luna, a cat.") + user("Say hello to the moon.")
        words = [
            event.text
            async for event in provider.stream(prompt, Options(max_tokens=24))
            if isinstance(event, TextDelta)
        ]

    assert len("".join(words).split()) > 3
