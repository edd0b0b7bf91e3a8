"""Where two other sentence libraries cut and we do not, or the other way round, on real running text.

    python tools/sentence_opponents.py              all languages
    python tools/sentence_opponents.py de ja        these

The texts are those of tools/sentence_sources.py, about 300 sentences in each language. `sentencex` is installed for
the tests; the second library is installed on demand into the temporary folder: `pysbd`, for Portuguese and Turkish
`sentence-splitter`, for Korean `blingfire`. A row of the list is a place at which not all agree: what we do there, a
few words around it, who does otherwise, whose cut a reader would take, and why. Rows that were read keep their
judgement while they stay as they are; a row that was not reviewed yet is marked `?`.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencex  # type: ignore[import-untyped]
from sentence_sources import LANGUAGES, ROOT, sample

from streamcord._text.language.sentences import split_sentences

LISTS = ROOT / "bench" / "reports" / "sentences"
BEFORE, BEHIND = 36, 30
HEAD = "| we | where | otherwise | right | why |"
SECOND = {"pt": "sentence-splitter", "tr": "sentence-splitter", "ko": "blingfire", "ar": "blingfire"}
PACKAGES = ("pysbd==0.3.4", "sentence-splitter==1.4", "blingfire==0.1.8", "numpy")

Row = tuple[str, str, str]
Cutter = Callable[[str], list[str]]


def second(language: str) -> tuple[str, Cutter]:
    """The name of the other library for a language, and how it cuts."""
    name = SECOND.get(language, "pysbd")
    module: Any = importlib.import_module(name.replace("-", "_"))
    if name == "sentence-splitter":
        return name, module.SentenceSplitter(language=language).split
    if name == "blingfire":
        return name, lambda text: module.text_to_sentences(text).split("\n")
    return name, module.Segmenter(language=language, clean=False).segment


def places(text: str, pieces: list[str]) -> set[int]:
    """Where each piece but the first begins."""
    found: set[int] = set()
    at = 0
    for piece in pieces:
        start = text.find(piece.strip(), at)
        if start > 0:
            found.add(start)
        at = max(at, start + len(piece.strip()))
    return found


def rows_of(language: str, folder: Path) -> tuple[int, list[Row]]:
    """How many sentences were cut, and every place at which not all agree."""
    name, cutter = second(language)
    count = 0
    rows: dict[Row, None] = {}
    for text in sample(language, folder):
        ours = places(text, split_sentences(text))
        theirs = {
            "sentencex": places(text, list(sentencex.segment(language, text))),
            name: places(text, cutter(text)),
        }
        count += len(ours) + 1
        for place in sorted(ours.union(*theirs.values())):
            others = [who for who, where in theirs.items() if (place in where) != (place in ours)]
            if others:
                around = f"{text[max(0, place - BEFORE) : place]}¦{text[place : place + BEHIND]}"
                around = around.replace("|", "/").replace("`", "'")
                rows["cut" if place in ours else "join", around, ", ".join(others)] = None
    return count, list(rows)


def judged(path: Path) -> dict[Row, tuple[str, str]]:
    """The judgements that a list already has."""
    if not path.exists():
        return {}
    lines = [line.strip("| ").split(" | ") for line in path.read_text("utf-8").splitlines()]
    return {(line[0], line[1].strip("`"), line[2]): (line[3], line[4]) for line in lines if len(line) == 5}


def write(language: str, count: int, rows: list[Row]) -> None:
    path = LISTS / f"{language}.md"
    known = judged(path)
    lines = [f"# {language}: {count} sentences, {len(rows)} places at which not all agree", "", HEAD]
    lines.append("|---|---|---|---|---|")
    for row in rows:
        verdict, why = known.get(row, ("?", "?"))
        lines.append(f"| {row[0]} | `{row[1]}` | {row[2]} | {verdict} | {why} |")
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> int:
    chosen = sys.argv[1:] or LANGUAGES
    with tempfile.TemporaryDirectory() as scratch:
        target = str(Path(scratch) / "libraries")
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "-qq", "--target", target, *PACKAGES], check=True
        )
        sys.path.append(target)
        for language in chosen:
            count, rows = rows_of(language, Path(scratch))
            write(language, count, rows)
            print(f"{language}: {count} sentences, {len(rows)} places at which not all agree", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
