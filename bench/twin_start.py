"""How long the command `discord-twin` takes until it listens: best and median of ten starts.

python bench/twin_start.py
"""

from __future__ import annotations

import signal
import statistics
import subprocess
import sys
import time

STARTS = 10
LIMIT_S = 1.0


def start() -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "discord_twin", "--port", "0", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    while b"page" not in process.stdout.readline():
        pass
    took = time.perf_counter() - began
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    return took


def main() -> int:
    times = [start() for _ in range(STARTS)]
    best = min(times)
    print(f"start until it listens: best {best:.2f} s, median {statistics.median(times):.2f} s of {STARTS}")
    return int(best > LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
