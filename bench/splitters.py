"""Compare splitters on long answers: where do they cut a text that does not fit in one message?

    python bench/splitters.py [--report]

The 300 answers are those of the corpus, joined until they are long. The splitters:

- ours: the pipeline at degree 0
- naive: a cut every 2000 characters
- discord.js: lines are joined up to 2000 characters, as its `splitMessage` did
- LangChain: its recursive and its Markdown splitter, 2000 characters without overlap
- semantic-text-splitter: its Markdown splitter, 2000 characters

LangChain and semantic-text-splitter are installed into an environment of this bench (`~/.cache`), since nothing else
here needs them. A splitter has a fault in an answer if

- fence: the parts, as Discord reads them, do not show the same characters as code as the whole does
- span: inline code, bold text or a link is in no part as a whole, although it would fit
- word: a word is cut
- label: a part ends with a line that leads to the next part: it ends with a colon, is bold or a heading
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from real_answers import CORPUS, ROOT, common_code, discord_code, read_answers

from streamcord import Settings
from streamcord._events import Degree, Message
from streamcord._text.pipeline import Pipeline

REPORT = ROOT / "bench" / "reports" / "splitters.md"
ENVIRONMENT = (
    Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "streamcord-bench" / "splitters"
)
PACKAGES = ("langchain-text-splitters==1.1.3", "semantic-text-splitter==0.33.1")
LIMIT = 2000
LONG = 3000
ANSWERS = 300
MAX_LABELS = 5

_SPAN = re.compile(r"(?<!`)`[^`\n]+`(?!`)|\*\*[^*\n]+\*\*|\[[^\[\]\n]+\]\(https?://[^\s()]+\)")
_BLOCK = re.compile(r"^[ \t]*```.*?^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
_LABEL = re.compile(r"[^\n]*:[*_]{0,3}|#{1,6} [^\n]+|\*\*[^*\n]+\*\*")

# Reads a JSON list of texts and writes, for each splitter, the parts of each text.
_OTHERS = """
import json, sys
from langchain_text_splitters import MarkdownTextSplitter, RecursiveCharacterTextSplitter
from semantic_text_splitter import MarkdownSplitter
size = int(sys.argv[1])
splitters = {
    "LangChain recursive": RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0).split_text,
    "LangChain Markdown": MarkdownTextSplitter(chunk_size=size, chunk_overlap=0).split_text,
    "semantic-text-splitter": MarkdownSplitter(size).chunks,
}
texts = json.load(sys.stdin)
json.dump({name: [split(text) for text in texts] for name, split in splitters.items()}, sys.stdout)
"""


def long_answers() -> list[str]:
    """Return answers of the corpus, each joined with the next ones until it is long."""
    texts = [text for _, text in read_answers([CORPUS])]
    joined = []
    for start in range(ANSWERS):
        text, at = texts[start], start
        while len(text) < LONG:
            at += 1
            text += "\n\n" + texts[at % len(texts)]
        joined.append(text)
    return joined


def split_ours(text: str) -> list[str]:
    # Tables and formulas are left as they are, since the others leave them, too.
    settings = Settings(degree=Degree.NONE, message_cap=0, tables="off", convert_markdown=False)
    pipeline = Pipeline(settings)
    events = [*pipeline.feed(text), *pipeline.flush()]
    return [event.content for event in events if isinstance(event, Message)]


def split_naively(text: str) -> list[str]:
    return [text[at : at + LIMIT] for at in range(0, len(text), LIMIT)]


def split_lines(text: str) -> list[str]:
    """Join lines up to the limit, as `Util.splitMessage` of discord.js 13 did."""
    parts, part = [], ""
    for line in text.split("\n"):
        for piece in split_naively(line) or [""]:
            if part and len(part) + 1 + len(piece) > LIMIT:
                parts.append(part)
                part = piece
            else:
                part = f"{part}\n{piece}" if part else piece
    return [*parts, part]


def split_by_others(texts: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return the parts of the splitters that need packages of their own."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    command = [python, "-c", _OTHERS, str(LIMIT)]
    done = subprocess.run(command, check=True, capture_output=True, input=json.dumps(list(texts)), text=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def has_broken_fence(text: str, parts: Sequence[str]) -> bool:
    return "".join(map(discord_code, parts)) != common_code(text)


def has_broken_span(text: str, parts: Sequence[str]) -> bool:
    prose = _BLOCK.sub("", text)
    return any(
        not any(span[0] in part for part in parts) for span in _SPAN.finditer(prose) if len(span[0]) < LIMIT
    )


def has_broken_word(text: str, parts: Sequence[str]) -> bool:
    seams = (first[-12:] + second[:12] for first, second in pairwise(parts))
    return any(seam[11:13].isalnum() and seam in text for seam in seams)


def leaves_label(_: str, parts: Sequence[str]) -> bool:
    lasts = (part.rstrip().rpartition("\n")[2].strip() for part in parts[:-1])
    return any(_LABEL.fullmatch(last) for last in lasts)


CHECKS: dict[str, Callable[[str, Sequence[str]], bool]] = {
    "fence": has_broken_fence,
    "span": has_broken_span,
    "word": has_broken_word,
    "label": leaves_label,
}


def main(words: Sequence[str]) -> int:
    """Print the table, and write it with `--report`."""
    texts = long_answers()
    found = {
        "ours": [split_ours(text) for text in texts],
        "naive": [split_naively(text) for text in texts],
        "discord.js": [split_lines(text) for text in texts],
        **split_by_others(texts),
    }
    lines = [f"| splitter | {' | '.join(CHECKS)} | parts |", f"|---|{'---|' * len(CHECKS)}---|"]
    ours: dict[str, int] = {}
    for name, parted in found.items():
        pairs = [*zip(texts, parted, strict=True)]
        faults = {kind: sum(check(text, parts) for text, parts in pairs) for kind, check in CHECKS.items()}
        ours = ours or faults
        lines.append(f"| {name} | {' | '.join(map(str, faults.values()))} | {sum(map(len, parted))} |")
    table = "\n".join(lines)
    print(table)
    if "--report" in words:
        head = f"# Splitters on {len(texts)} long answers"
        REPORT.write_text(
            f"{head}\n\nAnswers with a fault of each kind; see `bench/splitters.py`.\n\n{table}\n", "utf-8"
        )
    return 1 if ours["fence"] or ours["span"] or ours["word"] or ours["label"] > MAX_LABELS else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
