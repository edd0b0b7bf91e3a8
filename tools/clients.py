"""`tools/clients.py`: clients that others wrote, each in an environment of its own, through the whole matrix.

Installs what is missing into `.clients/`, prints the table and writes it to bench/reports/clients.md. With Discord's own
description beside the checkout, everything that the twin sends is compared with it.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from discord_twin import ApiDescription, Conformance, Twin  # noqa: E402
from twin.peers.judge import FEATURES, judge_peer  # noqa: E402

PLACE = ROOT / ".clients"
DOCUMENT = ROOT.parent / "shared" / "discord" / "openapi.json"
FITS = "fits Discord's description"
PEERS = ROOT / "tests" / "twin" / "peers"
PAGE = ROOT / "bench" / "reports" / "clients.md"
HEAD = """\
# Clients on the twin

What unmodified clients do on the local Discord, printed by `tools/clients.py`. Each runs in an environment of its own and
is judged by the twin's state: a mark means that all of it was seen there. Two rows are about all of a run: the twin refused
nothing that the client asked for, and all that both sent fits Discord's OpenAPI document.

"""
TAIL = """
Three public bots run on it unmodified, too, each with a test over the control API (`python tools/public_bots.py`): Red 3.5.24
from PyPI (a cog is loaded, a coin flipped although Discord fails once), jishaku 2.7.5 from PyPI (its owner gets a sum, others
get nothing) and discord-tictactoe 4.2.1 from npm (its command is deployed, a game begun, a button played).
"""


@dataclass(frozen=True)
class Client:
    package: str
    file: str
    is_python: bool = True

    @property
    def folder(self) -> Path:
        return PLACE / (f"py-{self.package.replace('.', '_')}" if self.is_python else "js")

    def install(self) -> None:
        if self.is_python and not (self.folder / "bin" / "python").exists():
            venv.create(self.folder, with_pip=True)
            run(
                [self.folder / "bin" / "python", "-m", "pip", "install", "-qq", self.package, "setuptools<81"]
            )
        elif not self.is_python and not (self.folder / "node_modules" / self.package).is_dir():
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / "package.json").write_text('{"private": true, "type": "module"}')
            run(["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", *NODE], cwd=self.folder)

    @property
    def program(self) -> list[str]:
        runner = self.folder / "bin" / "python" if self.is_python else "node"
        return [str(runner), str(PEERS / self.file)]

    @property
    def version(self) -> str:
        if not self.is_python:
            found = json.loads((self.folder / "node_modules" / self.package / "package.json").read_text())
            return str(found["version"])
        script = f"from importlib.metadata import version; print(version({self.package!r}))"
        done = subprocess.run(
            [self.folder / "bin" / "python", "-c", script], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()


FAMILY = "peer_discord_family.py"
CLIENTS = (
    Client("discord.py", FAMILY),
    Client("py-cord", FAMILY),
    Client("disnake", FAMILY),
    Client("nextcord", FAMILY),
    Client("hikari", "peer_hikari.py"),
    Client("interactions.py", "peer_interactions.py"),
    Client("discord.js", "peer_discord.mjs", is_python=False),
    Client("oceanic.js", "peer_oceanic.mjs", is_python=False),
    Client("eris", "peer_eris.mjs", is_python=False),
)
NODE = [one.package for one in CLIENTS if not one.is_python]


def run(command: list[object], cwd: Path | None = None) -> None:
    subprocess.run([str(one) for one in command], check=True, cwd=cwd)


def table(results: dict[str, dict[str, str]]) -> str:
    rows = [f"| | {' | '.join(results)} |", "|---" * (len(results) + 1) + "|"]
    for feature in [*FEATURES, "nothing refused", FITS]:
        marks = ("✓" if found.get(feature) == "" else "✗" for found in results.values())
        rows.append(f"| {feature} | {' | '.join(marks)} |")
    return "\n".join(rows) + "\n"


def main(wanted: list[str]) -> int:
    results: dict[str, dict[str, str]] = {}
    for client in CLIENTS:
        if wanted and client.package not in wanted:
            continue
        client.install()
        name = f"{client.package} {client.version}"
        check = Twin.conformance = Conformance(ApiDescription.read(DOCUMENT)) if DOCUMENT.exists() else None
        found = asyncio.run(judge_peer(client.program, PEER=client.package, PEER_MODULES=str(PLACE / "js")))
        if check is not None:
            found[FITS] = "; ".join(map(str, check.violations))
            print(f"{check.checked} bodies and events compared with the description")
        results[name] = found
        wrong = {feature: why for feature, why in found.items() if why}
        print(name, "all good" if not wrong else "")
        for feature, why in wrong.items():
            print(f"  {feature}: {why}")
    print(table(results))
    if not wanted:
        PAGE.write_text(HEAD + table(results) + TAIL, encoding="utf-8")
    return int(any(why for found in results.values() for why in found.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
