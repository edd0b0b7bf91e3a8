"""Answers with the faults that models make in fences, from real prose and real code, with the truth known.

    python bench/sloppy_answers.py [PER_CLASS]     one line per class: how many are misread, by us and by CommonMark
    python bench/sloppy_answers.py --show CLASS    the misread ones of a class

An answer of the corpus is taken apart into prose and code (CommonMark reads the corpus as it was meant), and put
together again with one fault. Each character keeps a letter: `c` for code, `p` for prose, a space for what may be
either. An answer is misread if one character of code is shown as prose, or one of prose as code.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "packages/streamcord/src"), str(ROOT / "tests"), str(ROOT / "bench")]

from conservation import conserve  # noqa: E402
from intents import Page, misread  # noqa: E402
from streamcord import Settings  # noqa: E402
from streamcord._text.pipeline import Pipeline  # noqa: E402

CORPUS = ROOT.parent / "shared" / "corpus" / "answers.jsonl"
_COMMONMARK = MarkdownIt("commonmark")


class Part(NamedTuple):
    """Prose, or the code of a block with its language."""

    text: str
    code: bool
    language: str = ""


def take_apart(text: str) -> list[Part]:
    """Return the prose and the blocks of an answer, in order."""
    lines = text.split("\n")
    parts: list[Part] = []
    at = 0
    for token in _COMMONMARK.parse(text):
        if token.type != "fence" or token.level or token.map is None:
            continue
        start, end = token.map
        parts += [Part("\n".join(lines[at:start]).strip("\n"), code=False)]
        parts += [Part(token.content.rstrip("\n"), code=True, language=token.info.strip())]
        at = end
    return [
        part for part in [*parts, Part("\n".join(lines[at:]).strip("\n"), code=False)] if part.text.strip()
    ]


def read_corpus() -> list[list[Part]]:
    rows = (json.loads(line)["text"] for line in CORPUS.read_text("utf-8").splitlines())
    answers = [take_apart(text) for text in rows if "```" in text]
    return [
        parts
        for parts in answers
        if any(part.code for part in parts)
        and not any("```" in part.text or "~~~" in part.text for part in parts)
    ]


class Writer:
    """Puts parts together again; `fault` names the one that the next block gets."""

    def __init__(self, random: Random) -> None:
        self.random, self.page = random, Page()

    def prose(self, text: str) -> None:
        self.page.write(text, "p")

    def code(self, text: str) -> None:
        self.page.write(text, "c")

    def either(self, text: str) -> None:
        self.page.write(text, " ")

    def part(self, part: Part) -> None:
        if part.code:
            self.block(part)
        else:
            self.prose(part.text + "\n\n")

    def block(self, part: Part, *, opening: str = "", closing: str = "```\n") -> None:
        self.either(opening or f"```{part.language}\n")
        self.code(part.text)
        self.either("\n" + closing)


Fault = Callable[[Writer, Part, str, str], None]
"""Write a block between two pieces of prose, with a fault."""


def _plain(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.block(part)
    w.prose("\n" + after + "\n")


def _tight(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n")
    w.block(part)
    w.prose(after + "\n")


def _words_after(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.block(part, closing="```")
    w.prose(" " + after.lstrip("#-*> ") + "\n")


def _glued_words(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.block(part, closing="```")
    w.prose(after.lstrip("#-*> `") + "\n")


def _glued_end(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either(f"```{part.language}\n")
    w.code(part.text)
    w.either("```\n")
    w.prose("\n" + after + "\n")


def _glued_end_tight(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either(f"```{part.language}\n")
    w.code(part.text)
    w.either(w.random.choice(["```\n", " ```\n"]))
    w.prose(after + "\n")


def _deep_end(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.block(part, closing=" " * w.random.randint(1, 6) + "```\n")
    w.prose(w.random.choice(["", "\n"]) + after + "\n")


def _shallow_end(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n")
    indent = " " * w.random.randint(2, 4)
    w.either(f"{indent}```{part.language}\n")
    w.code("\n".join(indent + line if line else line for line in part.text.split("\n")))
    w.either("\n```\n\n")
    w.prose(after + "\n")


def _in_a_list(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n1. First this:\n")
    indent = " " * w.random.choice([2, 3, 4])
    w.either(f"{indent}```{part.language}\n")
    w.code("\n".join(indent + line if line else line for line in part.text.split("\n")))
    w.either(f"\n{indent}```\n")
    w.prose("2. Then the rest.\n\n" + after + "\n")


def _as_document(w: Writer, part: Part, before: str, after: str) -> None:
    language = w.random.choice(["markdown", "md"])
    w.prose(before + "\n\n")
    w.block(part, opening=f"```{language}\n")
    w.prose(w.random.choice(["", "\n"]) + after + "\n")


def _stray_end(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.block(part)
    w.prose("\nThat is how it works.\n")
    w.either("```\n\n")
    w.prose(after + "\n")


def _begins_inside(w: Writer, part: Part, _before: str, after: str) -> None:
    w.either(part.text + "\n```\n\n")
    w.prose(after + "\n")


def _forgotten_end(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either("```\n")
    w.code("root/\n  file\n")
    w.either("\nThe next step:\n")
    w.block(part, opening=f"```{part.language or 'text'}\n")
    w.prose("\n" + after + "\n")


def _readme(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose("Here is the README:\n\n")
    w.either("```markdown\n")
    w.code(f"# Project\n\n{before}\n\n```{part.language or 'text'}\n{part.text}\n```\n\n")
    w.code(f"## Usage\n\n{after}\n\n## License\n\nMIT\n")
    w.either("```\n\n")
    w.prose("Let me know if you need anything else!\n")


def _readme_bare(w: Writer, _part: Part, before: str, after: str) -> None:
    w.prose("Here is the README:\n\n")
    w.either("```markdown\n")
    w.code("# Project\n\n" + before + "\n\n## Layout\n\n```\nsrc/\n  main.py\n```\n\n## Install\n\n")
    w.code(f"```bash\nnpm install\n```\n\n{after}\n")
    w.either("```\n")
    w.prose("\nLet me know if you need anything else!\n")


def _readme_no_end(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose("Here is the README:\n\n")
    w.either("```markdown\n# Project\n\n" + before + f"\n\n```{part.language or 'text'}\n{part.text}\n```\n")
    w.prose("\n" + after + "\n")


def _bare_document(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either("```\n")
    w.code(f"```{part.language or 'text'}\n{part.text}\n```\n")
    w.either("```\n\n")
    w.prose(after + "\n")


def _four(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either("````markdown\n")
    w.code(f"# Title\n\n```{part.language}\n{part.text}\n```\n\n```\nx\n```\n")
    w.either("````\n")
    w.prose("\n" + after + "\n")


def _mixed_lengths(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    opening, closing = w.random.choice([("```", "````"), ("````", "```"), ("````", "`````")])
    w.block(part, opening=f"{opening}{part.language or 'python'}\n", closing=f"{closing}\n")
    w.prose("\n" + after + "\n")


def _after_words(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\nHere it is: ")
    w.block(part)
    w.prose("\n" + after + "\n")


def _after_words_named(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\nSure, here you go ")
    w.block(part, opening=f"```{part.language or 'python'}\n")
    w.prose("\n" + after + "\n")


def _attributes(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    language = part.language or "python"
    info = w.random.choice(
        [f" {language}", f"{language} {{1,3}}", f'{language} title="a.py"', f"{language}  "]
    )
    w.block(part, opening=f"```{info}\n")
    w.prose("\n" + after + "\n")


def _mentioned(w: Writer, part: Part, before: str, after: str) -> None:
    mention = w.random.choice([
        "Wrap the code in triple backticks (```) first.", "Type ``` and press Enter.",
        "Use ```python to begin a block.",
        "The opening fence is ```", "A fence (```` or ```) is needed.", "Begin with ```, end with ``` and go on.",
        "The file `a``` is broken.", "I mean ``` ``` of course.",
    ])  # fmt: skip
    w.prose(before + "\n\n")
    w.either(mention)
    w.prose("\n\n")
    w.block(part)
    w.prose("\n" + after + "\n")


def _inline_triple(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\nThe ")
    w.either("```head```")
    w.prose(" command prints the first lines, and ")
    w.either("```tail -n 5```")
    w.prose(" the last ones.\n\n")
    w.block(part)
    w.prose("\n" + after + "\n")


def _no_end(w: Writer, part: Part, before: str, _after: str) -> None:
    w.prose(before + "\n\n")
    w.either(f"```{part.language}\n")
    w.code(part.text)


def _tildes(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.block(part, opening=f"~~~{part.language}\n", closing="~~~\n")
    w.prose("\n" + after + "\n")


def _diff(w: Writer, _part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either("```diff\n")
    w.code(
        "--- a/README.md\n+++ b/README.md\n@@ -1,4 +1,9 @@\n # Title\n+\n+```bash\n+npm install\n+```\n"
        " ```js\n let x = 1;\n ```\n-old\n+new"
    )
    w.either("\n```\n")
    w.prose("\n" + after + "\n")


def _docstring(w: Writer, _part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either("```python\n")
    w.code(
        'def f(x):\n    """Do it.\n\n    Example:\n\n    ```python\n    f(1)\n    ```\n\n'
        '    ```\n    2\n    ```\n    """\n    return x + 1'
    )
    w.either("\n```\n")
    w.prose("\n" + after + "\n")


def _heredoc(w: Writer, _part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either("```bash\n")
    w.code("cat > README.md <<'EOF'\n# Title\n\n```bash\nnpm install\n```\n\nDone.\nEOF\ncat README.md")
    w.either("\n```\n")
    w.prose("\n" + after + "\n")


def _empty(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either("```bash\n\n```\n\n")
    w.block(part)
    w.prose("\n" + after + "\n")


def _double_open(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either("```\n")
    w.either(f"```{part.language or 'python'}\n")
    w.code(part.text)
    w.either("\n```\n\n")
    w.prose(after + "\n")


def _next_without_end(w: Writer, part: Part, before: str, after: str) -> None:
    w.prose(before + "\n\n")
    w.either(f"```{part.language or 'python'}\n")
    w.code(part.text)
    w.either("\n\n**Second file:**\n\n")
    w.block(part, opening=f"```{part.language or 'python'}\n")
    w.prose("\n" + after + "\n")


def _prompt(w: Writer, _part: Part, before: str, after: str) -> None:
    w.prose("Use this prompt:\n\n")
    w.either("```text\n")
    w.code(
        f'You are a helpful assistant.\n\n{before}\n\nAnswer like this:\n\n```json\n{{"a": 1}}\n```\n\nBe brief.'
    )
    w.either("\n```\n\n")
    w.prose(after + "\n")


FAULTS: dict[str, Fault] = {
    fault.__name__[1:]: fault
    for fault in (
        _plain, _tight, _words_after, _glued_words, _glued_end, _glued_end_tight, _deep_end, _shallow_end,
        _in_a_list, _as_document, _stray_end, _begins_inside, _forgotten_end, _readme, _readme_bare,
        _readme_no_end, _bare_document, _four, _mixed_lengths, _after_words, _after_words_named, _attributes,
        _mentioned, _inline_triple, _no_end, _tildes, _diff, _docstring, _heredoc, _empty, _double_open,
        _next_without_end, _prompt,
    )
}  # fmt: skip


def write(fault: str, answers: list[list[Part]], random: Random) -> Page:
    """Write one answer: the parts of one from the corpus, one of its blocks with a fault."""
    while True:
        parts = random.choice(answers)
        places = [
            at for at in range(1, len(parts) - 1)
            if parts[at].code and not parts[at - 1].code and not parts[at + 1].code
        ]  # fmt: skip
        if places:
            break
    at = random.choice(places)
    writer = Writer(random)
    for part in parts[: at - 1]:
        writer.part(part)
    before, after = parts[at - 1].text, parts[at + 1].text
    if fault == "begins_inside":
        writer.page = Page()
    FAULTS[fault](writer, parts[at], before, after)
    if fault != "no_end":
        for part in parts[at + 2 :]:
            writer.either("\n")
            writer.part(part)
    return writer.page


def is_misread(page: Page, degree: int = 2) -> list[str]:
    settings = Settings(degree=degree, message_cap=0, tables="off", humanize=False)
    pipeline = Pipeline(settings)
    return misread(page, conserve(page.text, [*pipeline.feed(page.text), *pipeline.flush()]))


def misread_by_common(page: Page) -> bool:
    code = [False] * (page.text.count("\n") + 1)
    for token in _COMMONMARK.parse(page.text):
        if token.type == "fence" and token.map:
            lines = token.content.count("\n")
            code[token.map[0] + 1 : token.map[0] + 1 + lines] = [True] * lines
    at = 0
    for number, line in enumerate(page.text.split("\n")):
        labels = set(page.labels[at : at + len(line)]) - {" "}
        if not labels <= {"c" if code[number] else "p"}:
            return True
        at += len(line) + 1
    return False


def count_misread(count: int) -> list[tuple[str, int, int]]:
    """Return for each fault how many of so many answers we misread, and how many CommonMark does."""
    answers = read_corpus()
    rows = []
    for fault in FAULTS:
        pages = [write(fault, answers, Random(seed)) for seed in range(count)]
        rows.append(
            (fault, sum(bool(is_misread(page)) for page in pages), sum(map(misread_by_common, pages)))
        )
    return rows


def main(words: list[str]) -> int:
    """Print one line per class, or the misread answers of one."""
    if words[:1] == ["--show"]:
        answers = read_corpus()
        for seed in range(300):
            page = write(words[1], answers, Random(seed))
            for fault in is_misread(page):
                print(f"{'=' * 20} {seed}\n{page.text}\n----- {fault[:300]}")
        return 0
    count = int((words or ["100"])[0])
    rows = count_misread(count)
    for fault, ours, common in rows:
        print(f"{fault:20} {count:5} answers, misread by us {ours:4}, by CommonMark {common:4}")
    return 1 if any(ours > count / 20 for _, ours, _ in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
