from __future__ import annotations

import asyncio
import os
import resource
import sys
from pathlib import Path

import pytest

from discord_twin import Twin
from streamcord_bot.ops.resource_limits import Resources, find_shortages, read_resources
from twin.conftest import FREE

MB = 1 << 20


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        (Resources(descriptors=24), "only 24 files and connections"),
        (Resources(address_space=300 * MB), "only 300 MB of address space"),
        (Resources(container_memory=200 * MB), "only 200 MB of memory for this container"),
        (Resources(free_memory=20 * MB), "only 20 MB of memory are free"),
        (Resources(free_disk=3 * MB), "only 3 MB are free on the disk"),
        (Resources(free_disk=0), "only 0 MB are free on the disk"),
        (Resources(free_disk=3 * MB, is_read_only=True), "read-only"),
    ],
)
def test_every_shortage_is_one_line(resources: Resources, words: str) -> None:
    (line,) = find_shortages(resources)

    assert words in line
    assert "\n" not in line


def test_enough_and_unknown_are_no_shortage() -> None:
    plenty = 10_000 * MB

    assert find_shortages(Resources()) == []
    assert find_shortages(Resources(256, plenty, plenty, plenty, plenty)) == []


@pytest.mark.parametrize("store", [":memory:", "postgresql://host/db", "/no/such/folder/s.db"])
def test_disk_of_no_file_is_unknown(store: str) -> None:
    assert read_resources(store).free_disk is None


def test_limits_of_this_process_are_read(tmp_path: Path) -> None:
    found = read_resources(f"sqlite:///{tmp_path}/s.db")
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)

    assert found.descriptors == (None if soft == resource.RLIM_INFINITY else soft)
    assert found.free_disk is not None
    assert not found.is_read_only


CONFIG = """
store = "{store}"
[discord]
server = "{server}"
[models.main]
provider = "vllm"
model = "m"
base_url = "http://127.0.0.1:9/v1"
"""


@pytest.mark.parametrize(("hard", "is_told"), [(60, True), (1024, False)])
async def test_too_few_descriptors_are_told_before_anybody_asks(
    tmp_path: Path, hard: int, is_told: bool
) -> None:
    async with Twin(FREE) as twin:
        (tmp_path / "bot.toml").write_text(CONFIG.format(store=tmp_path / "s.db", server=twin.base_url))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "streamcord_bot", "run", "--config", str(tmp_path / "bot.toml")),
            env={**os.environ, "DISCORD_TOKEN": twin.token},
            stderr=asyncio.subprocess.PIPE,
            # A soft limit that may be raised is raised by the bot itself.
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (60, hard)),
        )
        assert process.stderr is not None
        lines: list[str] = []
        try:
            async with asyncio.timeout(60):
                while not any("ready:" in line for line in lines):
                    lines.append((await process.stderr.readline()).decode())
                    assert lines[-1], lines
        finally:
            process.terminate()
            await process.wait()

    assert any("only 60 files and connections" in line for line in lines) is is_told
