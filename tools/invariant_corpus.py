"""Runs every invariant over real answers and generated documents, and measures how well long texts are cut.

    python tools/invariant_corpus.py [--documents 500] [--first 0] [--degrees 0 1 2 3] [--limits 60 500 1950]

The answers are read from `../shared/corpus/answers.jsonl` if it is there. Violations are printed per invariant, the
shortest first; the exit status says whether there were any.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import Pool
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "packages/streamcord/src"), str(ROOT / "tests")]

from documents import documents  # noqa: E402
from invariants import INVARIANTS, Trial, spans_of  # noqa: E402
from markdown_oracle import read  # noqa: E402
from streamcord._events import Degree  # noqa: E402
from streamcord._settings import Settings  # noqa: E402

CORPUS = ROOT.parent / "shared" / "corpus" / "answers.jsonl"
_SENTENCE_END = re.compile(r"(?:[.!?…:;]|[。！？])[\"'”’)\]*_~|`」』]*(?=\s|$)|[。！？]")


@dataclass(slots=True)
class Job:
    """One text with all the settings it is tried under."""

    name: str
    text: str
    degrees: list[int]
    limits: list[int]
    invariants: list[str]


@dataclass(slots=True)
class Outcome:
    """What one text showed."""

    name: str
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    ratio: float | None = None
    cuts: int = 0
    bad_cuts: list[str] = field(default_factory=list)
    trials: int = 0


def examine(job: Job) -> Outcome:
    outcome = Outcome(job.name)
    for degree in job.degrees:
        for limit in job.limits:
            for humanize in (False, True) if degree == Degree.HEAVY else (False,):
                chosen = Settings(
                    degree=Degree(degree), message_length=limit, humanize=humanize, message_cap=0
                )
                trial = Trial(chosen, job.text, seed=len(job.text))
                outcome.trials += 1
                for invariant in job.invariants:
                    where = f"degree {degree} limit {limit}{' humanize' if humanize else ''}"
                    try:
                        faults = INVARIANTS[invariant](trial)
                    except Exception as error:  # a crash of one invariant must not hide the others
                        faults = [f"the invariant could not be tried: {error!r}"]
                    outcome.faults += [(invariant, where, fault) for fault in faults]
    if 0 in job.degrees and len(job.text) > 1950:
        _measure(outcome, job.text)
    return outcome


def _measure(outcome: Outcome, text: str) -> None:
    """Messages against the least possible, and cuts inside a sentence that had a better place."""
    # Words only: a table that is a picture is a message of its own, whatever is cut.
    trial = Trial(Settings(degree=Degree.NONE, message_cap=0, tables="code"), text)
    outcome.ratio = len(trial.messages) / math.ceil(len(text) / 1950)
    for message in trial.messages[:-1]:
        outcome.cuts += 1
        spans = spans_of(message)
        shown = text[min(spans)[0] : max(stop for _, stop in spans)]
        if "\n" in shown[len(shown.rstrip()) :] or _SENTENCE_END.search(shown.rstrip()[-6:]):
            continue
        better = _find_better(message.content)
        if better is not None:
            outcome.bad_cuts.append(f"{shown[-60:]!r} although {message.content[better - 30 : better]!r}")


def _find_better(content: str) -> int | None:
    """A line or sentence end in the last half of a message, outside everything that must stay whole."""
    reading = read(content)
    held = [(r.start, r.end) for r in reading.regions] + [(f.start, f.end) for f in reading.fences]
    for place in range(len(content) - 2, len(content) // 2, -1):
        end = content[place - 1] == "\n" or _SENTENCE_END.match(content, place - 1)
        if end and not any(start < place < stop for start, stop in held):
            return place
    return None


def load_corpus() -> list[tuple[str, str]]:
    if not CORPUS.exists():
        return []
    rows = (json.loads(line) for line in CORPUS.read_text("utf-8").splitlines())
    return [(f"answer {row['id']}", row["text"]) for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="seed of the first document")
    parser.add_argument("--answers", type=int, default=100_000, help="at most so many real answers")
    parser.add_argument("--degrees", type=int, nargs="+", default=[0, 1, 2, 3])
    parser.add_argument("--limits", type=int, nargs="+", default=[60, 500, 1950])
    parser.add_argument("--invariants", nargs="+", default=list(INVARIANTS), choices=list(INVARIANTS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=5, help="violations shown per invariant")
    options = parser.parse_args()
    texts = load_corpus()[: options.answers] + documents(options.first, options.documents)
    print(
        f"{len(texts)} texts, documents from seed {options.first}, "
        f"degrees {options.degrees}, limits {options.limits}"
    )
    jobs = [Job(name, text, options.degrees, options.limits, options.invariants) for name, text in texts]
    outcomes: list[Outcome] = []
    start = time.monotonic()
    with Pool(options.jobs) as pool:
        for number, outcome in enumerate(pool.imap_unordered(examine, jobs, chunksize=4), 1):
            outcomes.append(outcome)
            if number % 50 == 0 or number == len(jobs):
                faults = sum(len(o.faults) for o in outcomes)
                print(
                    f"  {number}/{len(jobs)} texts, {faults} violations, {time.monotonic() - start:.0f} s",
                    flush=True,
                )
    return report(outcomes, options.invariants, options.show)


def report(outcomes: list[Outcome], invariants: list[str], show: int) -> int:
    print(f"{sum(outcome.trials for outcome in outcomes)} trials")
    counts = Counter(invariant for outcome in outcomes for invariant, _, _ in outcome.faults)
    for invariant in invariants:
        print(f"{invariant:>18}: {counts[invariant]}")
        faults = sorted(
            (
                (len(fault), outcome.name, where, fault)
                for outcome in outcomes
                for name, where, fault in outcome.faults
                if name == invariant
            )
        )
        for _, name, where, fault in faults[:show]:
            print(f"      {name}, {where}: {fault[:400]}")
    for kind in ("answer", "document"):
        ratios = [o.ratio for o in outcomes if o.ratio is not None and o.name.startswith(kind)]
        cuts = sum(o.cuts for o in outcomes if o.name.startswith(kind))
        bad = [(o.name, cut) for o in outcomes if o.name.startswith(kind) for cut in o.bad_cuts]
        if ratios:
            print(
                f"{kind}s longer than 1950 at degree 0: {len(ratios)}, "
                f"messages / least {sum(ratios) / len(ratios):.4f}, {cuts} cuts, "
                f"{len(bad)} inside a sentence with a better place in the last half"
            )
            for name, cut in bad[:show]:
                print(f"      {name}: {cut}")
    return 1 if sum(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
