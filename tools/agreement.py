"""How far the core agrees with recorded runs of the reference, function by function.

Compared is what people would see: white space at cuts does not count. A run agrees as we are, or with the
settings that restore the specification's behaviour, or it falls under a numbered difference of docs/spec.md. Anything else
is unexplained and makes this fail.

    python tools/agreement.py            the table
    python tools/agreement.py D6 D16     also the runs under these numbers
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from agreement_rules import explain
from reference_runs import RUNS, SPEC_SETTINGS

ROOT = Path(__file__).parent.parent
CASES = ROOT.parent / "shared" / "cases" / "reference.jsonl"
COLUMNS = ("agree", "by setting", "differ", "unexplained")

_LAST_PERIOD = re.compile(r"(?<![.。])[.。]$")


def view(function: str, value: Any) -> Any:  # noqa: ANN401, PLR0911
    """What two results are compared by."""
    match function, value:
        case _, None | bool() | int():
            return value
        case "streamMessages", _:
            return {key: view("", value.get(key, [])) for key in ("messages", "thoughts", "details")}
        case "streamSegments", _:
            return [[boundary, text.strip()] for boundary, text in value if text.strip()]
        case "processBufferContent", _:
            segment = value["segment"] and value["segment"].strip()
            return [value["flush"], segment, value["boundary"]]
        case "findTrailingReasoningTagPrefix", dict():
            return value["index"]
        case "truncateBeforeGenericSpeakerLine", _:
            return [value["text"].strip(), value["stopTriggered"]]
        case "parseLeadingGenericSpeakerLabel", dict():
            return value["body"].strip()
        case "parseLeadingRenderModifier", dict():
            return [value["modifier"], value["body"].strip()]
        case "extractMarkdownTableSegments", _:
            return [{**part, "content": part["content"].strip()} for part in value]
        case _, str():
            return value.strip()
        case _, list():
            return [text for item in value if (text := item.strip())]
    return value


def without_last_periods(value: Any) -> Any:  # noqa: ANN401
    """The reference drops them while splitting, we while humanizing (D7)."""
    match value:
        case str():
            return _LAST_PERIOD.sub("", value)
        case list():
            return [without_last_periods(item) for item in value]
        case dict():
            return {key: without_last_periods(item) for key, item in value.items()}
    return value


def judge(run: dict[str, Any]) -> tuple[str, str]:
    """The column of a run, and the number of the difference if it differs."""
    function = run["function"]
    answer = RUNS[function]
    ours = view(function, answer(run["input"], run["args"]))
    theirs = [view(function, run[key]) for key in ("expected", "expected_v1") if key in run]
    if ours in theirs:
        return "agree", ""
    restored = view(function, answer(run["input"], run["args"], **SPEC_SETTINGS))
    if restored in theirs:
        return "by setting", ""
    bare = [without_last_periods(value) for value in theirs]
    if without_last_periods(ours) in bare or without_last_periods(restored) in bare:
        return "differ", "D7"
    if number := explain(run):
        return "differ", number
    return "unexplained", ""


def print_run(number: str, run: dict[str, Any]) -> None:
    ours = RUNS[run["function"]](run["input"], run["args"])
    print(f"\n{number} {run['function']} {run.get('tag', '')} {short(run['args'])}")
    for name, value in (("input", run["input"]), ("reference", run["expected"]), ("ours", ours)):
        print(f"  {name:<9} {short(value)}")


def short(value: Any) -> str:  # noqa: ANN401
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:150]} … {text[-150:]}"


def main() -> int:
    if not CASES.is_file():
        print("agreement: the runs of the reference are not beside this repository, nothing to compare")
        return 0
    runs = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines() if line]
    print(f"agreement: {len(runs)} runs (some seconds)", flush=True)
    columns: dict[str, Counter[str]] = {}
    numbers: Counter[str] = Counter()
    shown = {*sys.argv[1:], "unexplained"}
    for run in runs:
        column, number = judge(run)
        columns.setdefault(run["function"], Counter())[column] += 1
        numbers[number] += bool(number)
        if {column, number} & shown:
            print_run(number or column, run)
    print_table(columns, numbers)
    unknown = numbers.keys() - {""} - explained_numbers()
    for number in sorted(unknown):
        print(f"docs/spec.md has no difference {number}")
    return bool(unknown or any(count["unexplained"] for count in columns.values()))


def print_table(columns: dict[str, Counter[str]], numbers: Counter[str]) -> None:
    print(f"\n{'function':<34}" + "".join(f"{name:>13}" for name in COLUMNS))
    for function, counts in sorted(columns.items()):
        print(f"{function:<34}" + "".join(f"{counts[name] or '':>13}" for name in COLUMNS))
    total = sum(columns.values(), Counter())
    print(f"{'all':<34}" + "".join(f"{total[name]:>13}" for name in COLUMNS))
    listed = sorted((number for number in numbers if number), key=lambda number: int(number[1:]))
    print("\nunder: " + ", ".join(f"{number} {numbers[number]}" for number in listed))


def explained_numbers() -> set[str]:
    page = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| (D\d+) \|", page, re.MULTILINE))


if __name__ == "__main__":
    sys.exit(main())
