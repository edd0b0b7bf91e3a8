"""Run `examples/discord_js` as a user would: `npm install`, then its tests with vitest and with jest.

    python tools/javascript_example.py

Packages are installed once into `.clients/example`; the twin is the one of this environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACE = ROOT / ".clients" / "example"


def main() -> int:
    for folder in ("examples/discord_js", "clients/npm"):
        shutil.copytree(ROOT / folder, PLACE / folder, dirs_exist_ok=True)
    example = PLACE / "examples" / "discord_js"
    if not (example / "node_modules" / "vitest").is_dir():
        command = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(command, cwd=example, check=True)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("DISCORD_TWIN_URL", None)
    failed = 0
    for script in ("test", "test:jest"):
        command = ["npm", "run", script]
        failed += (
            subprocess.run(command, cwd=example, env=environment, check=False, timeout=120).returncode != 0
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
