"""Run the programs of `tests/frameworks`, each with the newest version of its package in an environment of its own.

    python tools/frameworks.py             all of them
    python tools/frameworks.py langgraph   those whose name contains it

The environments are in `.frameworks/`; `--upgrade` brings their packages up to date. A program compares, character by
character, what `say` sends with what the framework was made to say, and fails if text is lost, doubled or out of order.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACE = ROOT / ".frameworks"
PROGRAMS = ROOT / "tests" / "frameworks"
PACKAGES = {
    "acp_updates": ("agent-client-protocol",),
    "ag_ui_events": ("ag-ui-protocol",),
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
    "xai_chat": ("xai-sdk",),
}


def install(name: str, *, upgrade: bool) -> Path:
    """Return the Python of an environment with the newest packages."""
    folder = PLACE / name
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        upgrade = True
    if upgrade:
        command = [python, "-m", "pip", "install", "-qq", "--upgrade", *PACKAGES[name]]
        subprocess.run([str(one) for one in command], check=True)
    return python


def main(arguments: list[str]) -> int:
    upgrade, wanted = "--upgrade" in arguments, [one for one in arguments if not one.startswith("-")]
    failed = []
    for name in PACKAGES:
        if wanted and not any(one in name for one in wanted):
            continue
        python = install(name, upgrade=upgrade)
        source = ROOT / "packages" / "streamcord" / "src"
        environment = {**os.environ, "PYTHONPATH": str(source), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        done = subprocess.run(
            [python, "-W", "ignore", PROGRAMS / f"{name}.py"], env=environment, timeout=300, check=False
        )
        if done.returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "every framework is read")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
