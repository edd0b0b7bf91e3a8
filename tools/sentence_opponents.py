"""Where two other sentence libraries cut and we do not, or the other way round, on real running text.

    python tools/sentence_opponents.py              all languages
    python tools/sentence_opponents.py de ja        these

The texts are those of Debian's packages (`apt-get download`, unpacked into a temporary folder, never kept): the
handbook of GNOME, fortunes, and for Arabic the translations of a game and of apt. `sentencex` is installed for the
tests; `pysbd` is installed on demand into the same temporary folder. The first 300 sentences of each language are
cut by all three. A row of the list is a place at which not all agree: who cuts there, and a few words around it.
The rows with their judgements are kept in docs/sentences/; a row that is not judged yet is marked `?`.
"""

from __future__ import annotations

import gettext
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import sentencex  # type: ignore[import-untyped]

from streamcord._core.words.sentences import split_sentences

ROOT = Path(__file__).resolve().parent.parent
LISTS = ROOT / "docs" / "sentences"
COUNT = 300
AROUND = 28
HELP = {"en": "C", "pt": "pt_BR", "zh": "zh_CN"}
FORTUNES = {
    "en": "fortunes-min",
    "de": "fortunes-de",
    "es": "fortunes-es",
    "it": "fortunes-it",
    "pl": "fortunes-pl",
    "ru": "fortunes-ru",
}
LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "ru", "pl", "tr", "ar", "ja", "zh", "ko")
NOT_OF_PYSBD = frozenset({"pt", "tr", "ko"})

_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_SPACE = re.compile(r"\s+")


def fetch(package: str, folder: Path) -> Path:
    """A Debian package, unpacked."""
    target = folder / package
    if not target.exists():
        subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True, capture_output=True)
        found = next(folder.glob(f"{package}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", str(found), str(target)], check=True)
    return target


def texts_of(language: str, folder: Path) -> Iterator[str]:
    """Paragraphs of real running text, each with more than one sentence."""
    if language in FORTUNES:
        for path in sorted(fetch(FORTUNES[language], folder).rglob("games/fortunes/**/*")):
            if path.is_file() and path.suffix not in {".dat", ".u8"}:
                cookies = path.read_text("utf-8", "ignore").split("\n%\n")
                yield from [cookie for cookie in cookies if cookie.count("\n") < 12][:40]
    if language == "ar":
        for package in ("freeciv-data", "evince-common", "apt"):
            for path in sorted(fetch(package, folder).rglob("locale/ar/LC_MESSAGES/*.mo")):
                with path.open("rb") as file:
                    yield from map(str, gettext.GNUTranslations(file)._catalog.values())  # type: ignore[attr-defined]  # noqa: SLF001
        return
    help_pages = fetch("gnome-user-docs", folder) / "usr/share/help" / HELP.get(language, language)
    for path in sorted(help_pages.rglob("*.page")):
        yield from _PARAGRAPH.findall(path.read_text("utf-8"))


def _is_prose(text: str) -> bool:
    """No picture made of signs, no log of a chat, no format string."""
    letters = sum(char.isalpha() or char.isspace() for char in text)
    return letters > 0.88 * len(text) and not re.search(r"\d\d:\d\d|> >|%", text)


def sample(language: str, folder: Path) -> list[str]:
    """Texts of about `COUNT` sentences, without markup, on one line each."""
    chosen: list[str] = []
    sentences = 0
    for raw in texts_of(language, folder):
        text = _SPACE.sub(" ", unescape(_TAG.sub("", raw))).strip()
        count = len(split_sentences(text))
        if 2 <= count <= 12 and len(text) < 900 and text not in chosen and _is_prose(text):
            chosen.append(text)
            sentences += count
        if sentences >= COUNT:
            break
    return chosen


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


def cuts(text: str, language: str, folder: Path) -> dict[str, set[int]]:
    """The cuts of each of the three."""
    result = {
        "we": places(text, split_sentences(text)),
        "sentencex": places(text, list(sentencex.segment(language, text))),
    }
    if language not in NOT_OF_PYSBD:
        if str(folder / "pysbd") not in sys.path:
            sys.path.insert(0, str(folder / "pysbd"))
        import pysbd  # type: ignore[import-not-found]

        result["pysbd"] = places(text, pysbd.Segmenter(language=language, clean=False).segment(text))
    return result


def rows_of(language: str, folder: Path) -> tuple[int, list[tuple[str, str]]]:
    """How many sentences were cut, and every place at which not all agree: who cuts there, and the words around."""
    count = 0
    rows: list[tuple[str, str]] = []
    for text in sample(language, folder):
        found = cuts(text, language, folder)
        count += len(found["we"]) + 1
        for place in sorted(set().union(*found.values())):
            cutters = [name for name, where in found.items() if place in where]
            if len(cutters) < len(found):
                around = f"{text[max(0, place - AROUND) : place]}¦{text[place : place + AROUND]}"
                rows.append((" ".join(cutters), around.replace("|", "/")))
    return count, rows


def judged(path: Path) -> dict[tuple[str, str], str]:
    """The judgements that a list already has."""
    if not path.exists():
        return {}
    lines = [line.strip("| ").split(" | ") for line in path.read_text("utf-8").splitlines()]
    return {
        (line[0], line[1].strip("`")): line[2] for line in lines if len(line) == 3 and line[0] != "who cuts"
    }


def write(language: str, count: int, rows: list[tuple[str, str]]) -> None:
    path = LISTS / f"{language}.md"
    known = judged(path)
    lines = [f"# {language}: {count} sentences, {len(rows)} places at which not all agree", ""]
    lines += ["| who cuts | where | judgement |", "|---|---|---|"]
    lines += [f"| {who} | `{where}` | {known.get((who, where), '?')} |" for who, where in rows]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> int:
    chosen = sys.argv[1:] or LANGUAGES
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        target = str(folder / "pysbd")
        install = [sys.executable, "-m", "pip", "install", "-qq", "--target", target, "pysbd==0.3.4"]
        subprocess.run(install, check=True)
        for language in chosen:
            count, rows = rows_of(language, folder)
            write(language, count, rows)
            print(f"{language}: {count} sentences, {len(rows)} places at which not all agree", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
