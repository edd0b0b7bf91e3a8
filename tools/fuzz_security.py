"""Run one class of generated attacks for a time; print every attack that succeeds, with its seed.

    python tools/fuzz_security.py                          every class for an hour, one after the other
    python tools/fuzz_security.py keys --minutes 5         one class for five minutes
    python tools/fuzz_security.py links --seed 4711        one attack again

The classes and what counts as a success are in `tests/security/attacks.py`; the walk is `tests/security/walk.py`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from security.attacks import ATTACKS

FIRST_SEED = 1_000_000
"""The tests take the seeds below."""
MOST_SHOWN = 20


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", nargs="?", choices=ATTACKS, help="a class; all of them by default")
    parser.add_argument("--minutes", type=float, default=60.0, help="minutes for each class")
    parser.add_argument("--seed", type=int, help="run one attack only")
    given = parser.parse_args()
    kinds = [given.kind] if given.kind else list(ATTACKS)
    if given.seed is not None:
        found = {kind: ATTACKS[kind](given.seed) for kind in kinds}
        print("\n".join(f"{kind}: {what or 'nothing'}" for kind, what in found.items()))
        return any(found.values())
    return sum(_run(kind, given.minutes * 60) for kind in kinds) > 0


def _run(kind: str, seconds: float) -> int:
    """Attack until the time is over; return how many attacks succeeded."""
    end, seed, successes = time.monotonic() + seconds, FIRST_SEED, 0
    while time.monotonic() < end:
        if what := ATTACKS[kind](seed):
            successes += 1
            if successes <= MOST_SHOWN:
                print(f"{kind} {seed}: {what}", flush=True)
        seed += 1
    print(f"{kind}: {seed - FIRST_SEED} attacks, {successes} succeeded", flush=True)
    return successes


if __name__ == "__main__":
    sys.exit(main())
