"""Compare what is code in real answers: as CommonMark reads them, and as Discord shows our messages.

    python bench/real_answers.py                       the corpus beside this checkout
    python bench/real_answers.py FOLDER FILE.jsonl ... other answers: rows with a `text`, Markdown or text files
    python bench/real_answers.py --report              also write reports/real-answers.md
    python bench/real_answers.py --show                also print every difference

CommonMark (markdown-it-py) reads the answer. Our messages are read by Discord's grammar for code: a block closes at
the next three backticks, inline code at the next run of as many. Both give a string, all characters in code but for
white space, and the two are compared. Where they differ, one of them misread the author.

Who is right is a judgement. `reports/real-answers.md` has one row per difference; a row that has a verdict
(`CommonMark`, `ours`, `both` or `neither`) keeps it when the report is written again. The exit code is 1 if a
difference has no verdict, or if CommonMark is right in more than 5 % of the answers of a class.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "packages/streamcord/src"), str(ROOT / "bench")]

from sloppy_answers import count_misread  # noqa: E402

from streamcord import Settings  # noqa: E402
from streamcord._events import Degree, Message  # noqa: E402
from streamcord._text.pipeline import Pipeline  # noqa: E402

__all__ = ["Difference", "common_code", "compare", "discord_code", "our_code", "read_answers"]

CORPUS = ROOT.parent / "shared" / "corpus" / "answers.jsonl"
REPORT = ROOT / "bench" / "reports" / "real-answers.md"
DEGREES = (Degree.NONE, Degree.MEDIUM)
TEXT_KEYS = ("text", "answer", "content", "output", "response")
MAX_SHARE = 0.05
"""Share of the answers of a class in which CommonMark may be right."""
UNJUDGED = "?"
SLOPPY = 100

_COMMONMARK = MarkdownIt("commonmark")
_DISCORD = re.compile(
    r"\\[^0-9A-Za-z\s]"
    r"|```(?:[a-z0-9_+\-.#]+?\n)?\n*(?P<block>[^\n][\s\S]*?)\n*```"
    r"|(?P<ticks>`+)(?P<inline>[\s\S]*?[^`])(?P=ticks)(?!`)",
    re.IGNORECASE,
)
_UNSEEN = re.compile(r"[\s\u200b]+")
_ROW = re.compile(r"\| `(?P<key>[^`]+)` \|[^|]*\|[^|]*\|[^|]*\| (?P<verdict>\S+) \| (?P<note>[^|]*?) ?\|")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^\n]*)", re.MULTILINE)
# Shapes of fences, tried in this order: the first that a text has is its class.
_CLASSES = {
    "backticks after words": re.compile(r"^(?=[ \t]*[^\s`~])[^\n]*`{3,}", re.MULTILINE),
    "words after a fence": re.compile(r"^[ \t]*`{3,}[ \t]*[^\s`]+[ \t]+[^\n]", re.MULTILINE),
    "blocks in a document": re.compile(
        r"^[ \t]*`{3,}(?:markdown|md|text|txt)[ \t]*$", re.MULTILINE | re.IGNORECASE
    ),
    "long fences or tildes": re.compile(r"^[ \t]*(?:`{4,}|~{3,})", re.MULTILINE),
    "indented fences": re.compile(r"^[ \t]+`{3,}", re.MULTILINE),
}


class Difference(NamedTuple):
    """An answer in which the two readings differ: characters that only one of them takes for code."""

    key: str
    kind: str
    only_common: str
    only_ours: str


def read_answers(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of every answer in files and folders."""
    for path in paths:
        if path.is_dir():
            yield from read_answers(sorted(path.iterdir()))
        elif path.suffix == ".jsonl":
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                row = json.loads(line) if line.strip() else {}
                text = next((row[key] for key in TEXT_KEYS if isinstance(row.get(key), str)), None)
                if text is not None:
                    yield str(row.get("id", f"{path.stem}:{number}")), text
        elif path.suffix in (".md", ".txt"):
            yield path.stem, path.read_text("utf-8")


def common_code(text: str) -> str:
    """Return all characters in code blocks and inline code as CommonMark reads them, without white space."""
    found: list[str] = []
    for token in _COMMONMARK.parse(text):
        if token.type == "fence":
            found.append(token.content)
        found += [child.content for child in token.children or () if child.type == "code_inline"]
    return _UNSEEN.sub("", "".join(found))


def discord_code(content: str) -> str:
    """Return the same of one message as Discord shows it."""
    found = (match["block"] or match["inline"] or "" for match in _DISCORD.finditer(content))
    return _UNSEEN.sub("", "".join(found))


def our_code(text: str, degree: Degree) -> str:
    """Return the same of our messages for an answer."""
    # Formulas and tables become code by other rules than fences do.
    settings = Settings(degree=degree, message_cap=0, tables="off", convert_markdown="~~~" in text)
    pipeline = Pipeline(settings)
    events = [*pipeline.feed(text), *pipeline.flush()]
    return "".join(discord_code(event.content) for event in events if isinstance(event, Message))


def compare(name: str, text: str, degree: Degree) -> Difference | None:
    """Return how the two readings of an answer differ, or None."""
    common, ours = common_code(text), our_code(text, degree)
    if common == ours:
        return None
    only_common, only_ours = "", ""
    for tag, first, last, start, end in SequenceMatcher(None, common, ours, autojunk=False).get_opcodes():
        if tag != "equal":
            only_common += common[first:last]
            only_ours += ours[start:end]
    return Difference(f"{name}@{int(degree)}", classify(text), only_common, only_ours)


def classify(text: str) -> str:
    """Return the class of a text: the first shape of sloppy fences that it has."""
    shapes = (name for name, shape in _CLASSES.items() if shape.search(text))
    plain = "an odd number of fences" if len(_FENCE.findall(text)) % 2 else "plain fences"
    return next(shapes, plain)


def read_verdicts(report: str) -> dict[str, tuple[str, str]]:
    """Return the verdict and the note of every row of a report."""
    return {row["key"]: (row["verdict"], row["note"]) for row in _ROW.finditer(report)}


def write_report(
    answers: int, classes: Counter[str], found: Sequence[Difference], verdicts: dict[str, tuple[str, str]]
) -> str:
    """Return the report as Markdown."""
    lines = [
        "# Code in real answers: CommonMark and our messages",
        "",
        "Written by `python bench/real_answers.py --report`; the verdicts are a reader's.",
        "A verdict says who read the answer as its author meant it.",
        "",
        f"{answers} answers, each at degrees 0 and 2; {sum(classes.values())} contain code; {len(found)} differences.",
        "",
        "| class | answers | differ | CommonMark is right |",
        "|---|---|---|---|",
    ]
    for kind, count in classes.most_common():
        mine = [one for one in found if one.kind == kind]
        right = sum(verdicts.get(one.key, ("", ""))[0] == "CommonMark" for one in mine)
        lines.append(f"| {kind} | {count} | {len(mine)} | {right} |")
    lines += [
        "",
        "| answer | class | only CommonMark | only ours | right | note |",
        "|---|---|---|---|---|---|",
    ]
    for one in found:
        verdict, note = verdicts.get(one.key, (UNJUDGED, ""))
        lines.append(
            f"| `{one.key}` | {one.kind} | {len(one.only_common)} | {len(one.only_ours)} | {verdict} | {note} |"
        )
    lines += [
        "",
        "## Faults put into the corpus",
        "",
        f"`sloppy_answers.py` puts one fault into {SLOPPY} answers of the corpus and knows what every character is.",
        "",
        "| fault | misread by us | by CommonMark |",
        "|---|---|---|",
    ]
    lines += [
        f"| {fault.replace('_', ' ')} | {ours} | {common} |" for fault, ours, common in count_misread(SLOPPY)
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Compare all answers and print a line about them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, default=[CORPUS])
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args(arguments)
    answers = [*read_answers(options.paths)]
    coded = [(name, text) for name, text in answers if "`" in text or "~~~" in text]
    classes = Counter(classify(text) for _, text in coded)
    found = [one for name, text in coded for degree in DEGREES if (one := compare(name, text, degree))]
    verdicts = read_verdicts(REPORT.read_text("utf-8")) if REPORT.exists() else {}
    for one in found if options.show else ():
        print(f"{one.key} [{one.kind}]\n  {one.only_common[:160]!r}\n  {one.only_ours[:160]!r}")
    if options.report:
        REPORT.write_text(write_report(len(answers), classes, found, verdicts), "utf-8")
    worse = Counter(one.kind for one in found if verdicts.get(one.key, ("", ""))[0] == "CommonMark")
    unjudged = sum(one.key not in verdicts or verdicts[one.key][0] == UNJUDGED for one in found)
    bad = [kind for kind, count in worse.items() if count > MAX_SHARE * len(DEGREES) * classes[kind]]
    print(
        f"{len(answers)} answers, {len(coded)} with code, {len(found)} differences, {unjudged} without a verdict"
    )
    return 1 if bad or unjudged else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
