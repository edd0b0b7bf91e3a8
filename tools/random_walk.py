"""Let five people do random things on two servers, with restarts, and print every broken invariant.

    python tools/random_walk.py                    5 000 acts in walks of 500
    python tools/random_walk.py 500 --seed 17      one walk again

The invariants are in `tests/security/walk.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from security.walk import walk
from twin.conftest import FREE

WALK = 500
"""Acts of one walk: a longer one makes each act slower, since the channels grow."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("acts", nargs="?", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=100)
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    acts, violations, prompts = Counter[str](), list[str](), 0
    for at in range(0, given.acts, WALK):
        with tempfile.TemporaryDirectory() as folder:
            seed = given.seed + at // WALK
            done = asyncio.run(walk(Path(folder) / "walk.db", seed, min(WALK, given.acts - at), FREE))
        acts += done.acts
        violations += done.violations
        prompts += done.checked
        print(f"seed {seed}: {done.acts.total()} acts, {len(done.violations)} violations", flush=True)
    print(f"{acts.total()} acts, {prompts} prompts, {len(violations)} violations; {dict(acts)}")
    print("\n".join(violations[:50]))
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main())
