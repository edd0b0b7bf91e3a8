"""Run the programs of `tests/frameworks`, each with the newest version of its package in an environment of its own.

    python tools/frameworks.py             all of them
    python tools/frameworks.py langgraph   those whose name contains it
    python tools/frameworks.py --report    also write bench/reports/frameworks.md

The environments are in `.frameworks/`; `--upgrade` brings their packages up to date. A program compares, character by
character, what `say` sends with what the framework was made to say, and fails if text is lost, doubled or out of order.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACE = ROOT / ".frameworks"
PROGRAMS = ROOT / "tests" / "frameworks"
REPORT = ROOT / "bench" / "reports" / "frameworks.md"
PACKAGES = {
    "acp_updates": ("agent-client-protocol",),
    "ag_ui_events": ("ag-ui-protocol", "pydantic-ai-slim[ag-ui]"),
    "anthropic_tool_runner": ("anthropic", "mcp"),
    "claude_agent_messages": ("claude-agent-sdk",),
    "google_streams": ("google-genai",),
    "langgraph_agent": ("langgraph", "langchain"),
    "litellm_responses": ("litellm", "mcp"),
    "llama_index_agent": ("llama-index-core",),
    "ollama_and_mistral": ("ollama", "mistralai"),
    "openai_agents_run": ("openai-agents",),
    "smolagents_run": ("smolagents",),
    "ui_message_stream": ("pydantic-ai-slim[openai]",),
    "vercel_ai": ("aiohttp",),
    "xai_chat": ("xai-sdk",),
}
NPM_PACKAGES = {"vercel_ai": ("ai", "zod")}
# Packages that are there for others.
_HELPERS = {"mcp", "aiohttp", "zod"}
_CHECK = re.compile(r"^(.+): (\d+) characters$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """How one program ended: what it compared, and with which versions."""

    name: str
    versions: str
    checks: tuple[tuple[str, int], ...]
    error: str = ""


def install(name: str, *, upgrade: bool) -> Path:
    """Return the Python of an environment with the newest packages."""
    folder = PLACE / name
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        upgrade = True
    if upgrade:
        pip = [str(python), "-m", "pip", "install", "-qq", "--upgrade"]
        subprocess.run([*pip, *PACKAGES[name]], check=True)
        if name in NPM_PACKAGES:
            npm = [str(shutil.which("npm")), "install", "--silent", "--no-audit", "--no-fund"]
            newest = [f"{package}@latest" for package in NPM_PACKAGES[name]]
            subprocess.run([*npm, "--prefix", str(folder), *newest], check=True)
    return python


def find_versions(name: str, python: Path) -> str:
    """Return the versions of the packages that a program is about."""
    wanted = [package.partition("[")[0] for package in PACKAGES[name]]
    code = f"import importlib.metadata as it; print(*(f'{{one}} {{it.version(one)}}' for one in {wanted}), sep=', ')"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    for package in NPM_PACKAGES.get(name, ()):
        facts = json.loads((PLACE / name / "node_modules" / package / "package.json").read_text())
        found += f", {package} {facts['version']} (npm)"
    return ", ".join(one for one in found.split(", ") if one.split()[0] not in _HELPERS)


def run(name: str, *, upgrade: bool) -> Outcome:
    """Run one program."""
    python = install(name, upgrade=upgrade)
    versions = find_versions(name, python)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "packages" / "streamcord" / "src"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "NODE_FOLDER": str(PLACE / name),
    }
    done = subprocess.run(
        [python, "-W", "ignore", PROGRAMS / f"{name}.py"],
        env=environment,
        timeout=300,
        check=False,
        capture_output=True,
        text=True,
    )
    checks = tuple((check, int(count)) for check, count in _CHECK.findall(done.stdout))
    error = "" if done.returncode == 0 and checks else done.stderr.strip() or "nothing was compared"
    return Outcome(name, versions, checks, error)


def write_report(outcomes: list[Outcome]) -> None:
    """Write the table of the last run."""
    rows = [
        f"| {one.versions} | `{one.name}.py` | {'; '.join(check for check, _ in one.checks)} | "
        f"{sum(count for _, count in one.checks)} | {'**differs**' if one.error else 'equal'} |"
        for one in outcomes
    ]
    REPORT.write_text(
        "# Agent frameworks and SDKs\n\n"
        f"`python tools/frameworks.py --upgrade --report`, {datetime.now(UTC):%d %B %Y}. Each program of "
        "`tests/frameworks` runs with the newest packages of PyPI and npm, in an environment of its own. It compares "
        "every character of every message with what the framework was made to say, and how the turn ended.\n\n"
        "| package | program | streams | characters | result |\n|---|---|---|--:|---|\n"
        + "\n".join(rows)
        + "\n",
        encoding="utf-8",
    )


def main(arguments: list[str]) -> int:
    upgrade, report = "--upgrade" in arguments, "--report" in arguments
    wanted = [one for one in arguments if not one.startswith("-")]
    outcomes = []
    for name in PACKAGES:
        if not wanted or any(one in name for one in wanted):
            outcomes.append(outcome := run(name, upgrade=upgrade))
            print(
                f"{outcome.versions}: {outcome.error or f'{len(outcome.checks)} streams are equal'}",
                flush=True,
            )
    if report:
        write_report(outcomes)
    failed = [one.name for one in outcomes if one.error]
    print(f"failed: {', '.join(failed)}" if failed else "every framework is read")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
