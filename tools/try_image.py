"""Runs the steps of the Dockerfile without Docker: a clean environment, another user, folders of both.

What the image does as user 10001 is done here as that user (as root; otherwise as ourselves, with a folder that
we may not write): init, check, run on a local Discord, health, backup, and a folder of another user, which must
end in one clear line.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
(USER,) = map(int, re.findall(r"useradd .*--uid (\d+)", DOCKERFILE))
PIP_STEPS = [
    shlex.split(step.replace("\\\n", " "))
    for step in re.findall(r"/venv/bin/pip ((?:[^\\\n]|\\\n(?! *&&))+)", DOCKERFILE)
]
(PORT,) = re.findall(r"STREAMCORD_METRICS_PORT=(\d+)", DOCKERFILE)
IS_ROOT = os.getuid() == 0


def main() -> int:
    # The user of the image must be able to run it, so it may not lie in a user's home.
    python = next(
        filter(None, map(shutil.which, ("/usr/local/bin/python3", "/usr/bin/python3"))), sys.executable
    )
    with tempfile.TemporaryDirectory(prefix="image-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        began = time.monotonic()
        venv = build(home, python)
        print(f"built  with {python} in {time.monotonic() - began:.1f} s, {size(venv) / 1e6:.0f} MB")
        own, other = home / "data", home / "other"
        own.mkdir()
        other.mkdir()
        if IS_ROOT:
            os.chown(own, USER, USER)
        with folder_of_other_user(other):
            output = run(venv, other, "init", "--yes", "--provider", "ollama", fails=True)
            assert "cannot be written by user" in output, output
            print("ok     init in a folder of another user:", output.strip())
            output = run(venv, other, "run", "--config", config_for(home), fails=True, DISCORD_TOKEN="x")
            assert "cannot be written by user" in output, output
            print("ok     bot in a folder of another user:", output.strip())
        print("ok     init:", run(venv, own, "init", "--yes", "--provider", "ollama").splitlines()[0])
        output = run(venv, own, "check", "--offline", fails=True)
        assert "Next: " in output, output
        print("ok     check:", output.strip().splitlines()[-1])
        asyncio.run(live(venv, own))
    print("The image's steps work for its user.")
    return 0


def build(home: Path, python: str) -> Path:
    venv = home / "venv"
    subprocess.run([python, "-m", "venv", str(venv)], check=True)
    source = home / "source"
    source.mkdir()
    for name in re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", DOCKERFILE):
        for one in name.split():
            place = ROOT / one
            # `COPY` puts a file into the folder it names, and the content of a folder into that folder.
            target = source / (one if place.is_dir() else place.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if place.is_dir() else shutil.copy)(place, target)
    for step in PIP_STEPS:
        subprocess.run(
            [venv / "bin" / "pip", *step, "-qq", "--disable-pip-version-check"], check=True, cwd=source
        )
    shutil.rmtree(source)
    return venv


def config_for(home: Path) -> str:
    file = home / "readable.toml"
    file.write_text('[models.main]\nprovider = "ollama"\nmodel = "m"\n', encoding="utf-8")
    return str(file)


@contextmanager
def folder_of_other_user(folder: Path) -> Iterator[None]:
    folder.chmod(0o755 if IS_ROOT else 0o555)
    yield
    folder.chmod(0o755)


def environment(**more: str) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "STREAMCORD_METRICS_PORT": PORT, **more}


def as_user() -> Callable[[], None] | None:
    def become() -> None:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)

    return become if IS_ROOT else None


def run(venv: Path, folder: Path, *words: str, fails: bool = False, **more: str) -> str:
    done = subprocess.run(
        [venv / "bin" / "streamcord-bot", *words],
        cwd=folder,
        env=environment(**more),
        preexec_fn=as_user(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    output = done.stdout + done.stderr
    if "Traceback" in output or bool(done.returncode) is not fails:
        raise SystemExit(f"streamcord-bot {' '.join(words)} ended with {done.returncode}:\n{output}")
    return output


async def live(venv: Path, folder: Path) -> None:
    """Start the bot before its Discord is there, then ask it how it is."""
    sys.path.insert(0, str(ROOT / "packages/discord-twin/src"))
    from discord_twin import Twin

    async with Twin() as twin:
        file = folder / "streamcord.toml"
        text = file.read_text(encoding="utf-8")
        file.write_text(
            text.replace("[discord]\n", f'[discord]\nserver = "{twin.base_url}"\n', 1), encoding="utf-8"
        )
        bot = await asyncio.create_subprocess_exec(
            venv / "bin" / "streamcord-bot", "run",
            cwd=folder, env=environment(DISCORD_TOKEN=twin.token), preexec_fn=as_user(),
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert bot.stderr is not None
            began = time.monotonic()
            await asyncio.wait_for(bot.stderr.readuntil(b"ready: "), 60)
            print(f"ok     bot: ready after {time.monotonic() - began:.1f} s")
            print("ok     health:", (await asyncio.to_thread(run, venv, folder, "health")).strip())
            copied = await asyncio.to_thread(run, venv, folder, "backup")
            print("ok     backup:", copied.splitlines()[0])
        finally:
            bot.terminate()
            await asyncio.wait_for(bot.wait(), 30)
    print(f"ok     SIGTERM: it ended with {bot.returncode}")
    output = await asyncio.to_thread(run, venv, folder, "health", fails=True)
    print("ok     health afterwards:", output.strip())


def size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(main())
