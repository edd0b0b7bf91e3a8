"""Check the prose of the guides: sentence lengths, retired words, and code blocks without a language.

    python tools/check_prose.py            check all guides; prints one line per problem
    python tools/check_prose.py FILE ...   check these files and print their figures

Only prose counts: code blocks, inline code, addresses and HTML are left out. A paragraph, a list item and a
table cell each end a sentence. Table cells count for the longest sentence, not for the average, because short
cells would lower it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
MAX_AVERAGE_WORDS = 18
MAX_SENTENCE_WORDS = 40
# Written by programs, or a table about another document.
NOT_GUIDES = {"settings.md", "spec.md", "twin-routes.md", "twin-rules.md"}

# Archaic words and the project's old metaphors, with the word to use.
RETIRED = {
    r"behind": "after, or: with",
    r"stands": "is",
    r"whoever": "the caller, the user, the process",
    r"nobody": "no one, no user, no process",
    r"somebody": "a person, a user, a process",
    r"anew": "again, from scratch",
    r"lest": "so that … not",
    r"so many": "the number itself",
    r"(?:goes|went|gone|going) on": "continues, resumes",
    r"(?:breaks|broke|broken) off": "is interrupted",
    r"house": "project",
    r"(?:chat)?rooms?": "package, space",
    r"doors?": "public module",
    r"voices": "webhook sender",
    r"faces?": "sprite, avatar",
    r"wardrobe": "sprite table",
    r"wears?|worn": "uses, is shown with",
    r"couriers?": "sender",
    r"parcels?": "outgoing message",
    r"heirs?": "successor",
    r"late twins?": "duplicate",
    r"namesakes?": "impersonation",
    r"breath|breathes?": "yield to the event loop",
    r"patience": "timeout, retry policy",
    r"buried|bury": "evicted",
    r"taken for dead": "evicted",
    r"signs? of life|beats?": "heartbeat",
    r"fenced": "evicted",
    r"dialects?": "API",
    r"mou?lds?": "template",
    r"laws?": "invariant",
    r"seeds'?": "specification",
    r"bubbles?": "messages",
    r"strangers?": "untrusted user",
    r"(?:is|are|was|were) told": "is notified, is logged",
    r"(?:was|is|were) heard": "was received",
    r"draws? lots": "random",
    r"dear(?:er|est)?": "expensive",
    r"shall": "should, must",
    r"unmended|mended|mend": "fixed",
}
_RETIRED = re.compile(
    rf"\b(?:{'|'.join(f'(?P<w{at}>{word})' for at, word in enumerate(RETIRED))})\b", re.IGNORECASE
)
_REPLACEMENTS = list(RETIRED.values())

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)\n.*?^(?P=indent)(?P=marks)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_URL = re.compile(r"https?://\S+")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+|^\s*>\s?|^\s*- \[[ x]\] ")
_END = re.compile(r"(?<=[.!?])[)\"*]*\s+(?=[\"'(*]*[A-Z0-9`])")
_WORD = re.compile(r"[^\W_][\w'’.\-]*")
CODE_WORD = "CODE"


class Prose(NamedTuple):
    """Sentences of a page, apart from those in tables."""

    sentences: list[str]
    cells: list[str]

    @property
    def average_words(self) -> float:
        """Mean number of words of a sentence outside tables."""
        counts = [count for sentence in self.sentences if (count := count_words(sentence)) > 1]
        return sum(counts) / len(counts) if counts else 0.0


def count_words(sentence: str) -> int:
    """The number of words; a piece of inline code is one."""
    return len(_WORD.findall(sentence))


def strip_markup(text: str) -> str:
    """The page without code, addresses, pictures and HTML."""
    text = _COMMENT.sub("", _FENCE.sub("\n", text))
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    text = _CODE.sub(CODE_WORD, text)
    return _URL.sub(CODE_WORD, _TAG.sub("", text))


def read_prose(text: str) -> Prose:
    """Split a Markdown page into sentences."""
    sentences: list[str] = []
    cells: list[str] = []
    paragraph: list[str] = []

    def end_paragraph() -> None:
        joined = " ".join(paragraph).strip()
        paragraph.clear()
        sentences.extend(part for part in _END.split(joined) if part.strip())

    for line in strip_markup(text).splitlines():
        stripped = line.strip()
        if stripped.startswith("|"):
            end_paragraph()
            row = [cell.strip() for cell in re.split(r"(?<!\\)\|", stripped.strip("|"))]
            cells += [part for cell in row for part in _END.split(cell) if re.search(r"\w", part)]
        elif not stripped or stripped.startswith("#"):
            end_paragraph()
        else:
            if _ITEM.match(line):
                end_paragraph()
            paragraph.append(_ITEM.sub("", line).strip())
    end_paragraph()
    return Prose(sentences, cells)


def check_text(text: str) -> list[str]:
    """What is wrong with a page, one line each."""
    prose = read_prose(text)
    faults = []
    if prose.average_words > MAX_AVERAGE_WORDS:
        faults.append(
            f"the average sentence has {prose.average_words:.1f} words, at most {MAX_AVERAGE_WORDS} are allowed"
        )
    for sentence in (*prose.sentences, *prose.cells):
        if (count := count_words(sentence)) > MAX_SENTENCE_WORDS:
            faults.append(f"a sentence has {count} words: {sentence[:70]} …")
    for line in strip_markup(text).splitlines():
        for found in _RETIRED.finditer(line):
            kind = int(str(found.lastgroup)[1:])
            faults.append(f"retired word {found[0]!r} (write: {_REPLACEMENTS[kind]}): {line.strip()[:70]}")
    faults += [
        "a code block names no language" for fence in _FENCE.finditer(text) if not fence["info"].strip()
    ]
    return faults


def guides(root: Path = ROOT) -> list[Path]:
    """All pages that people read."""
    pages = [path for path in (root / "docs").glob("*.md") if path.name not in NOT_GUIDES]
    pages += root.glob("packages/*/README.md")
    pages += [root / "examples" / "README.md", root / ".github" / "pull_request_template.md"]
    pages += [
        root / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "CODE_OF_CONDUCT")
    ]
    return sorted(pages)


def main() -> int:
    named = [Path(name) for name in sys.argv[1:]]
    faults = 0
    for path in named or guides():
        text = path.read_text(encoding="utf-8")
        if named:
            prose = read_prose(text)
            longest = max(map(count_words, (*prose.sentences, *prose.cells)), default=0)
            print(f"{path}: {prose.average_words:.1f} words a sentence, longest {longest}")
        for fault in check_text(text):
            print(f"{path}: {fault}")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
