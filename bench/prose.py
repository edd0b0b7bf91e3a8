"""The texts of the benchmarks: real answers if the corpus lies beside the repository, else prose by seed."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

CORPUS = Path(__file__).parent.parent.parent / "shared" / "corpus" / "answers.jsonl"

_WORDS = """
the a of to and in that it is was for on with as his they at be this have from or had by not but
what some we can out other were all there when up use your how said an each she which do their
time if will way about many then them write would like so these her long make thing see him two
has look more day could go come did number sound no most people my over know water than call
first who may down side been now find any new work part take
""".split()  # noqa: SIM905  (a hundred quotes would hide the words)


def read_answers() -> tuple[list[str], str]:
    """Answers without code blocks, and where they are from."""
    if CORPUS.is_file():
        lines = CORPUS.read_text(encoding="utf-8").splitlines()
        texts = [json.loads(line)["text"] for line in lines if line]
        return [text for text in texts if "```" not in text], "corpus"
    return [write_answer(seed) for seed in range(200)], "generated"


def write_answer(seed: int, paragraphs: int = 6) -> str:
    """An answer as models write them: paragraphs, now and then a list or something in bold."""
    random = Random(seed)
    return "\n\n".join(_paragraph(random) for _ in range(paragraphs))


def _paragraph(random: Random) -> str:
    if random.random() < 0.2:
        return "\n".join(f"{number}. **{_words(random, 2)}**: {_sentence(random)}" for number in range(1, 5))
    return " ".join(_sentence(random) for _ in range(random.randint(2, 6)))


def _sentence(random: Random) -> str:
    text = _words(random, random.randint(6, 18)).capitalize()
    if random.random() < 0.3:
        text = text.replace(" ", ", ", 1)
    return text + random.choice(("...", ".", ".", ".", "?", "!"))


def _words(random: Random, count: int) -> str:
    return " ".join(random.choices(_WORDS, k=count))
