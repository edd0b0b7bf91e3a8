"""Draw 300 diagrams and 300 formulas, broken and hostile ones included; measure time and memory, keep a gallery.

python tools/drawing_trial.py [--count 300] [--gallery FOLDER]

Writes `bench/reports/drawings.md`, and with `--gallery` the 20 + 20 samples as two sheets to look at. Linux only: the
processor time and the memory of the worker are read from /proc.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from random import Random

from PIL import Image, ImageDraw

from streamcord._render.drawing_process import DrawingProcess
from streamcord._render.drawing_worker import CPU_LIMIT_S, MEMORY_CAP

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "tools" / "drawing_samples.md"
REPORT = ROOT / "bench" / "reports" / "drawings.md"
HOSTILE = {
    "diagram": (
        "", "\0" * 500, "graph TD\n" + "A-->" * 1200 + "A", "graph TD\n  A[" + "x" * 4900 + "]",
        "graph TD\n" + "\n".join(f"  A{at} --> A{at + 1}" for at in range(300)),
        "graph TD\n" + "\n".join(f"  A{at % 12} --> A{at // 12}" for at in range(140)),
        "graph TD\n  A[\"<img src='file:///etc/passwd'/>\"]", "graph TD\n  A@{ img: \"https://a.example/x.png\" } --> B",
        "%%{init: {'securityLevel': 'loose', 'maxTextSize': 99999999}}%%\ngraph TD\n  A[<script>alert(1)</script>]",
        "graph TD\n  A --> B\n  click A href \"javascript:alert(1)\"", "graph TD\n" + "subgraph a\n" * 400,
        "sequenceDiagram\n" + "  loop x\n" * 300 + "  A->>B: y", "mindmap\n" + "\n".join("  " * at + "x" for at in range(120)),
        "pie\n" + "\n".join(f'  "{at}" : 1' for at in range(400)), "gantt\n  section a\n  b : 2000-01-01, 99999999d",
        "xychart-beta\n  bar [" + "1," * 2000 + "1]", "gitGraph\n" + "  commit\n" * 400,
        "stateDiagram-v2\n" + "state a {\n" * 200, "erDiagram\n" + "  A ||--o{ B : x\n" * 250,
        "%%{init: {'themeCSS': '} * { background: url(file:///etc/passwd) }'}}%%\ngraph TD\n  A",
        "---\nconfig:\n  theme: forest\n---\ngraph TD\n  A --> B", "graph TD\n  A[" + "\U0001f600" * 900 + "]",
        "quadrantChart\n" + "\n".join(f"  p{at}: [0.{at}, 0.5]" for at in range(10, 99)), "timeline\n" + "  1999 : x\n" * 200,
    ),
    "formula": (
        "", "\\", "{" * 499, "x^{" * 160, "x_{" * 100 + "}" * 100, r"\frac{" * 80 + "1" + "}{2}" * 80, r"\sqrt{" * 90 + "}" * 90,
        r"\left(" * 70 + r"\right)" * 70, r"\def\a{\a\a}\a", r"\input{/etc/passwd}", r"\newcommand{\x}{\x\x}\x",
        r"\begin{matrix}" + "a&" * 240 + r"\end{matrix}", r"\begin{matrix}" + r"a\\" * 160 + r"\end{matrix}",
        r"\href{javascript:alert(1)}{x}", r"\color{" + "r" * 300 + "}x", r"\rule{9999cm}{9999cm}", r"\hspace{99999cm}x",
        "<svg onload=alert(1)>", "&lt;!DOCTYPE x&gt;", "\u202e\u200b" * 200, "日本語" * 100, r"\text{" + "\U0001f600" * 200 + "}",
        "a" * 500, r"\begin{array}{" + "c|" * 100 + "}a", r"\sum" * 100, r"\Huge" * 60 + "x", r"\over" * 90,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What became of one text, and what it cost."""

    kind: str
    drawn: bool
    seconds: float
    """Processor time of the worker."""
    peak: int
    """Bytes of addresses that the worker had at most."""
    ended: bool
    """Whether the worker was ended by its limits."""


def read_samples() -> dict[str, dict[str, str]]:
    """Return the samples by kind and name."""
    samples: dict[str, dict[str, str]] = {"diagram": {}, "formula": {}}
    for part in SAMPLES.read_text().split("\n## ")[1:]:
        name, _, rest = part.partition("\n")
        language, _, code = rest.strip().removeprefix("```").removesuffix("```").partition("\n")
        samples["diagram" if language == "mermaid" else "formula"][name.strip()] = code.strip("\n")
    return samples


def cases(kind: str, samples: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield texts without end: the samples, hostile ones, then samples with a mistake or another word."""
    yield from (("sample", code) for code in samples.values())
    yield from (("hostile", code) for code in HOSTILE[kind])
    random, texts = Random(31), list(samples.values())
    while True:
        code = random.choice(texts)
        at = random.randrange(len(code))
        other = random.choice(texts)
        yield random.choice([
            ("cut off", code[:at]),
            ("a sign missing", code[:at] + code[at + 1 :]),
            ("a sign added", code[:at] + random.choice("{}[]()\\\"<>|;:&%$#é語") + code[at:]),
            ("a line twice", code + "\n" + random.choice(code.split("\n"))),
            ("two in one", code + "\n" + other if random.random() < 0.5 else code[:at] + other),
            ("longer words", code.replace(random.choice(code.split()), "interdisciplinary", 1)),
        ])  # fmt: skip


def draw(process: DrawingProcess, kind: str, code: str) -> Outcome:
    """Draw one text and read what the worker has used."""
    worker = process._process  # noqa: SLF001
    before = _seconds(worker.pid) if worker else 0.0
    picture = process.draw(code)
    after = process._process  # noqa: SLF001
    ended = after is None
    same = worker is not None and after is worker
    # The start of a worker is no part of the drawing.
    seconds = _seconds(after.pid) - before if after and same else CPU_LIMIT_S if ended else 0.0
    return Outcome(kind, bool(picture), seconds, _peak(after.pid) if after else 0, ended)


def _seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().split("\n")
    return int(next(line for line in lines if line.startswith("VmPeak")).split()[1]) * 1024


def make_sheet(samples: dict[str, str], process: DrawingProcess, columns: int, file: Path) -> int:
    """Draw all samples on one sheet; return how many could not be drawn."""
    wide, high, lost = 600, 420, 0
    rows = -(-len(samples) // columns)
    sheet = Image.new("RGB", (columns * wide, rows * high), "#313338")
    pen = ImageDraw.Draw(sheet)
    for number, (name, code) in enumerate(samples.items()):
        left, top = number % columns * wide, number // columns * high
        pen.text((left + 8, top + 6), name, fill="white")
        picture = process.draw(code)
        lost += not picture
        if picture:
            path = file.with_name("one.png")
            path.write_bytes(picture)
            image = Image.open(path).convert("RGB")
            image.thumbnail((wide - 16, high - 34))
            sheet.paste(image, (left + 8, top + 26))
            path.unlink()
    sheet.save(file)
    return lost


def report(outcomes: dict[str, list[Outcome]]) -> str:
    """Return the report as Markdown."""
    lines = [
        "# Diagrams and formulas as pictures",
        "",
        f"Made on {date.today()}. `python tools/drawing_trial.py` draws samples, samples with mistakes and hostile texts in the worker process.",
        f"Its limits are {CPU_LIMIT_S} s of processor time and {MEMORY_CAP // 2**20} MB of addresses; past them it is ended,",
        "and the text is shown as code.",
        "",
        "| kind | texts | drawn | code | of them ended by a limit | s, median | s, longest drawn | MB, most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, all_ in outcomes.items():
        for kind in ("all", *dict.fromkeys(one.kind for one in all_)):
            chosen = [one for one in all_ if kind in ("all", one.kind)]
            count = Counter(one.drawn for one in chosen)
            ended = sum(one.ended for one in chosen)
            seconds = sorted(one.seconds for one in chosen)
            longest = max((one.seconds for one in chosen if one.drawn), default=0.0)
            peak = max(one.peak for one in chosen) / 2**20
            lines.append(
                f"| {name}: {kind} | {len(chosen)} | {count[True]} | {count[False]} | {ended} | "
                f"{seconds[len(seconds) // 2]:.2f} | {longest:.2f} | {peak:.0f} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--gallery", type=Path)
    options = parser.parse_args()
    samples = read_samples()
    outcomes: dict[str, list[Outcome]] = {}
    for kind in ("diagram", "formula"):
        process = DrawingProcess(kind, seconds=60)
        if options.gallery:
            options.gallery.mkdir(parents=True, exist_ok=True)
            lost = make_sheet(samples[kind], process, 4, options.gallery / f"{kind}s.png")
            print(f"{kind}s on the sheet: {len(samples[kind]) - lost} of {len(samples[kind])}")
        outcomes[kind] = [
            draw(process, what, code) for what, code in islice(cases(kind, samples[kind]), options.count)
        ]
        process.close()
    text = report(outcomes)
    REPORT.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
