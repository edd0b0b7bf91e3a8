"""Tries texts of which an editor has said how they should be cut, in every slicing.

    python tools/readers.py                 all cases, one line each, and their sum
    python tools/readers.py F-05 N          those whose id begins so

The cases are rows of `../shared/cases/readers.jsonl`, if it is there: an `input`, `settings`, a `seed`, and the
messages `wanted`. Where many outcomes are right `wanted` is null, and a check below says what must hold.
A case with dice passes if its outcome is reached with any seed: the rules say what may come, not what was thrown.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "packages/streamcord/src"), str(ROOT / "tests")]

from documents import random_slices  # noqa: E402
from streamcord._events import Boundary, Message, Table, TurnEvent  # noqa: E402
from streamcord._settings import read_settings  # noqa: E402
from streamcord._text.pipeline import Pipeline  # noqa: E402

__all__ = ["CASES", "Verdict", "judge", "load_cases"]

CASES = ROOT.parent / "shared" / "cases" / "readers.jsonl"
SEEDS = 200
"""How many throws are tried before an outcome counts as out of reach."""

_NO_BREAKS = frozenset({"F-06"})  # groups in which no throw may break a message
_RENAMED = {"comma_removed": "comma_removal_chance"}  # settings that the cases call by an earlier name
_SPOILER = re.compile(r"\|\|.*?\|\|", re.DOTALL)


class Verdict(NamedTuple):
    """What became of one case."""

    case: dict[str, Any]
    ok: bool
    got: list[str]
    why: str = ""


def load_cases(path: Path = CASES) -> list[dict[str, Any]]:
    """The cases, or none where the file is missing."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def judge(case: dict[str, Any]) -> Verdict:
    """Whether a case comes out as wanted, and alike in every slicing."""
    whole = _run(case, [case["input"]], case["seed"])
    messages = [event for event in whole if isinstance(event, Message)]
    got = [_shown(message) for message in messages]
    for how, slices in _slicings(case["input"]):
        if _run(case, slices, case["seed"]) != whole:
            return Verdict(case, False, got, f"{how} it comes out differently")
    if case["wanted"] is None:
        check = _CHECKS.get(case["id"])
        fault = check(case["input"], got) if check else "there is no check for it"
        return Verdict(case, not fault, got, fault)
    if _has_dice(case) and (case["group"] in _NO_BREAKS or got != case["wanted"]):
        return _judge_throws(case, got)
    fault = _check_looks(messages) if case["id"] == "F-14.4" and got == case["wanted"] else ""
    if got != case["wanted"]:
        return Verdict(case, False, got)
    return Verdict(case, not fault, got, fault)


def _slicings(text: str) -> list[tuple[str, Sequence[str]]]:
    random = Random(len(text))
    cut = [(f"in slices up to {most}", random_slices(text, random, most)) for most in (3, 20, 100)]
    return [("per character", list(text)), *cut]


def _run(case: dict[str, Any], slices: Sequence[str], seed: int) -> list[TurnEvent]:
    # The cases have one table for the settings and the context of the answer.
    values = {_RENAMED.get(key, key): value for key, value in case["settings"].items()}
    settings, context = read_settings(values)
    pipeline = Pipeline(settings, Random(seed), context=context)
    events: list[TurnEvent] = []
    for piece in slices:
        events += pipeline.feed(piece)
    return events + pipeline.flush(Boundary(case.get("then", "final")))


def _has_dice(case: dict[str, Any]) -> bool:
    return bool(case["settings"].get("degree") == 3 and case["settings"].get("humanize", True))


def _judge_throws(case: dict[str, Any], got: list[str]) -> Verdict:
    """The outcome may come with another seed; where breaks are forbidden, none may bring one."""
    runs = (_run(case, [case["input"]], seed) for seed in range(SEEDS))
    thrown = [[_shown(event) for event in run if isinstance(event, Message)] for run in runs]
    if case["group"] in _NO_BREAKS and any(len(other) != len(case["wanted"]) for other in thrown):
        return Verdict(case, False, got, "some seed breaks it")
    reached = case["wanted"] in thrown
    return Verdict(case, reached, got, "with another seed" if reached and got != case["wanted"] else "")


def _shown(message: Message) -> str:
    tables = [file.plain for file in message.files if isinstance(file, Table)]
    return f"[table]\n{tables[0]}" if tables else message.content


# --- Cases with many right outcomes ---------------------------------------------------------------


def _check_looks(messages: Sequence[Message]) -> str:
    labels = [message.speaker.label if message.speaker else "" for message in messages]
    wanted = ["Luna (mad): ", "Luna (mad): ", "Luna (happy): "]
    return "" if labels == wanted else f"the looks are {labels}"


def _is_block(text: str, language: str = "") -> bool:
    """One code block and nothing else: no fence but the first line's and the last three characters."""
    opened = text.startswith(f"```{language}\n") if language else text.startswith("```")
    return opened and text.endswith("```") and text.count("```") == 2


def _check_formula(source: str, got: list[str]) -> str:
    if len(got) != 2 or got[1] != "ok":
        return "two messages: the formula, then `ok`"
    formula = source.removesuffix("\nok")
    return "" if _is_block(got[0]) and formula in got[0] else "the whole formula in a code block"


def _check_table(_source: str, got: list[str]) -> str:
    if len(got) != 2 or got[1] != "Done.":
        return "two messages: the table, then `Done.`"
    drawn = got[0].startswith("[table]\n") or _is_block(got[0])
    return "" if drawn and all(word in got[0] for word in ("Name", "Age", "Tom", "Ann")) else "a table"


def _check_blocks(number: int, block: int, language: str) -> Callable[[str, list[str]], str]:
    """So many messages, one of them a code block with all lines that lie between its fences."""

    def check(source: str, got: list[str]) -> str:
        if len(got) != number:
            return f"{number} messages"
        if not _is_block(got[block], language):
            return f"message {block + 1} is one code block"
        code = source[source.index("```") : source.rindex("```")]
        inside = got[block].replace("\u200b", "").replace("`", "")
        lost = [line for line in code.replace("`", "").split("\n") if line not in inside]
        return f"not in the block: {lost}" if lost else ""

    return check


def _check_rows(source: str, got: list[str]) -> str:
    """A table, or one message with all rows of bars, and what follows them alone."""
    rows = [row for row in source.split("\n") if row.startswith("|") and "---" not in row]
    together = all(cell.strip() in got[0] for row in rows for cell in row.strip("|").split("|"))
    return "" if len(got) == 2 and together else "all rows in one message"


def _check_spoiler(source: str, got: list[str]) -> str:
    secret = source.split("||")[1].strip()
    if any("butler" in _SPOILER.sub("", message) for message in got):
        return "a part of it can be read"
    return "" if any(secret in message for message in got) else "it is one message"


def _check_text_runs(*blocks: str) -> Callable[[str, list[str]], str]:
    """The only blocks that Discord reads are these; elsewhere backticks are text, and all words are there."""

    def check(source: str, got: list[str]) -> str:
        if [message for message in got if "```" in message] != list(blocks):
            return f"the blocks {blocks}"
        shown = "".join("".join(got).split()).replace("\\", "").replace("\u200b", "")
        return "" if shown == "".join(source.split()) else "all words and backticks"

    return check


_CHECKS: dict[str, Callable[[str, list[str]], str]] = {
    "F-01.4": _check_formula,
    "F-17.1": _check_table,
    "R-11.2": _check_rows,
    "R-11.4": _check_rows,
    "N-1": _check_blocks(3, 1, "markdown"),
    "N-2": _check_blocks(3, 1, "cpp"),
    "N-3": _check_blocks(2, 0, "python"),
    "N-4": _check_blocks(2, 0, ""),
    "N-5": _check_spoiler,
    "R-04.1": _check_text_runs("```css\na {}\n```"),
    "R-04.3": _check_text_runs(),
    "R-04.5": _check_text_runs("```yaml\nname: CI\n```"),
    "R-04.7": _check_text_runs("```py\nprint(1)\n```"),
    "R-04.9": _check_text_runs(),
}


# --- Telling it ------------------------------------------------------------------------------------


def describe(verdict: Verdict) -> str:
    """One line: the case, whether it is right, and if not, both."""
    case = verdict.case
    if verdict.ok:
        return f"{case['id']:<8} ok{f' ({verdict.why})' if verdict.why else ''}"
    wanted = case["wanted"] if case["wanted"] is not None else case.get("note", "")
    why = f" [{verdict.why}]" if verdict.why else ""
    return f"{case['id']:<8} WANTED {_short(wanted)} GOT {_short(verdict.got)}{why}"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:200]} … {text[-80:]}"


def main(words: Sequence[str]) -> int:
    cases = load_cases()
    if not cases:
        print(f"readers: no cases, because {CASES} is not there")
        return 0
    chosen = [case for case in cases if not words or case["id"].startswith(tuple(words))]
    verdicts = [judge(case) for case in chosen]
    for verdict in verdicts:
        print(describe(verdict))
    right = sum(verdict.ok for verdict in verdicts)
    print(f"{right} of {len(verdicts)} as wanted, in every slicing")
    return 0 if right == len(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
