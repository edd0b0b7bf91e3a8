"""Make 18 mistakes with the library and see who finds each: mypy, pyright, or an error before anything is sent.

    python tools/mistakes.py            needs mypy and pyright
    python tools/mistakes.py --report   also writes bench/reports/mistakes.md

The examples must be free of errors in the strict modes of both.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
REPORT = ROOT / "bench" / "reports" / "mistakes.md"
FRAME = """import asyncio
from collections.abc import AsyncIterator
from random import Random
import discord
from streamcord import *
from streamcord.discord import *
from streamcord.providers import *
from streamcord.testing import FakeChannel, ScriptedProvider

async def words() -> AsyncIterator[str]:
    yield "Hello."

async def numbers() -> AsyncIterator[int]:
    yield 1

async def maybe() -> AsyncIterator[str | None]:
    yield "Hello."
    yield None

async def one_text() -> str:
    return "Hello."

class Half:
    async def send(self, message: Message) -> Receipt:
        return Receipt(message, 1)

def bad_rule(text: RuleText) -> str:
    return "new text"

class BytesRenderer:
    def draw(self, value: object) -> bytes:
        return b""

class SyncModerator:
    def check(self, text: str, stage: ModerationStage) -> str:
        return ""

channel = FakeChannel()

async def main() -> None:
    LINE

asyncio.run(main())
print("sent:", len(channel.messages), channel.texts)
"""
MISTAKES = {
    "the coroutine is not awaited": "await say(channel, one_text())",
    "the generator function is not called": "await say(channel, words)",
    "swapped arguments": "await say(words(), channel)",
    "a list of texts": 'await say(channel, ["Hello."])',
    "bytes": 'await say(channel, b"Hello.")',
    "None as the source": "await say(channel, None)",
    "None as the channel": "await say(None, words())",
    "a generator of numbers": "await say(channel, numbers())",
    "a generator of text or None": "await say(channel, maybe())",
    "settings as a dict": 'await say(channel, words(), settings={"degree": 0})',
    "an unknown setting": "await say(channel, words(), settings=Settings(degre=0))",
    "a setting of a wrong value": 'await say(channel, words(), settings=Settings(delivery="lively"))',
    "a seed instead of a generator": "await say(channel, words(), random=1)",
    "a mode instead of a stop": "await say(channel, words(), stop=StopMode.NOW)",
    "a transport without typing": "await say(Half(), words())",
    "a rule that returns a text": "await say(channel, words(), rules=[bad_rule])",
    "a renderer that returns bytes": "await say(channel, words(), renderers=[BytesRenderer()])",
    "a moderator that is not async": "await say(channel, words(), moderators=[SyncModerator()])",
}


def find_with_checkers(folder: Path) -> Mapping[str, set[str]]:
    """Return the files in which mypy and pyright find something."""
    options = [
        "--strict",
        "--no-error-summary",
        "--hide-error-context",
        "--cache-dir",
        str(ROOT / ".mypy_cache"),
    ]
    mypy = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    settings = folder / "pyrightconfig.json"
    settings.write_text(
        json.dumps({"typeCheckingMode": "strict", "include": ["."], "reportWildcardImportFromLibrary": False})
    )
    pyright = subprocess.run(
        [
            sys.executable,
            "-m",
            "pyright",
            "--outputjson",
            "--pythonpath",
            sys.executable,
            "-p",
            str(settings),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    told = json.loads(pyright.stdout)["generalDiagnostics"]
    unused = {
        "reportUnusedImport",
        "reportUnusedFunction",
        "reportUnusedClass",
        "reportWildcardImportFromLibrary",
    }
    return {
        "mypy": {Path(line.split(":")[0]).stem for line in mypy.stdout.splitlines() if ": error:" in line},
        "pyright": {
            Path(one["file"]).stem
            for one in told
            if one["severity"] == "error" and one.get("rule") not in unused
        },
    }


def find_by_running(program: Path) -> str:
    """Return the error of a program, if it came before anything was sent."""
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode == 0:
        return ""
    return done.stderr.strip().splitlines()[-1]


def _is_checked(example: Path) -> bool:
    """Whether its packages are installed; other libraries of Discord have environments of their own."""
    if example.name.startswith("test_with_"):
        return False
    trees = ast.walk(ast.parse(example.read_text(encoding="utf-8")))
    names = [one.module or "" for one in trees if isinstance(one, ast.ImportFrom)]
    names += re.findall(r"^import (\w+)", example.read_text(encoding="utf-8"), re.MULTILINE)
    return all(importlib.util.find_spec(name.partition(".")[0]) for name in names)


def check_examples() -> bool:
    """Return whether both checkers accept every example whose packages are installed."""
    files = [str(one) for one in sorted((ROOT / "examples").glob("*.py")) if _is_checked(one)]
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "pyrightconfig.json"
        # Pyright wants paths from the place of its settings.
        include = [os.path.relpath(one, folder) for one in files]
        settings.write_text(json.dumps({"typeCheckingMode": "strict", "include": include}))
        pyright = subprocess.run(
            [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "-p", str(settings)],
            check=False,
        )
    mypy = subprocess.run([sys.executable, "-m", "mypy", "--strict", *files], check=False, cwd=ROOT)
    return pyright.returncode == mypy.returncode == 0


def main(arguments: list[str]) -> int:
    clean = check_examples()
    rows, found = [], 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        programs = {f"mistake_{number}": name for number, name in enumerate(MISTAKES)}
        for stem, name in programs.items():
            (folder / f"{stem}.py").write_text(FRAME.replace("LINE", MISTAKES[name]), encoding="utf-8")
        (folder / "right.py").write_text(
            FRAME.replace("LINE", "await say(channel, words())"), encoding="utf-8"
        )
        by_checker = find_with_checkers(folder)
        assert not any("right" in files for files in by_checker.values()), "the frame itself has errors"
        for stem, name in programs.items():
            marks = ["yes" if stem in by_checker[checker] else "" for checker in ("mypy", "pyright")]
            error = find_by_running(folder / f"{stem}.py")
            found += any(marks) or bool(error)
            told = error.replace("|", "\\|")
            rows.append(f"| {name} | `{MISTAKES[name]}` | {marks[0]} | {marks[1]} | {told} |")
    table = "| mistake | written | mypy | pyright | error when it runs, before anything is sent |\n|---|---|---|---|---|\n"
    text = (
        "# Mistakes with the library\n\n`python tools/mistakes.py --report`: "
        f"{found} of {len(MISTAKES)} are found by mypy, by pyright or by an error. "
        f"The examples are {'free of errors' if clean else '**not free of errors**'} in both strict modes.\n\n"
        f"{table}" + "\n".join(rows) + "\n"
    )
    print(text)
    if "--report" in arguments:
        REPORT.write_text(text, encoding="utf-8")
    return int(found < len(MISTAKES) - 1 or not clean)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
