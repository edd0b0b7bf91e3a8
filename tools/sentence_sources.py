"""Real running text in thirteen languages, for the lists of bench/reports/sentences/: paragraphs of two sentences and more.

The texts are Debian's: the administrator's handbook, the handbook of GNOME, manual pages and fortunes. They are
unpacked into a temporary folder and never kept. English also has the answers of `../shared/corpus`, if they are
there. What is no prose is left out where it is read: headings, options, tables, code, dialogues, signatures.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from html import unescape
from itertools import chain, zip_longest
from pathlib import Path

__all__ = ["LANGUAGES", "sample"]

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus" / "answers.jsonl"
COUNT = 600
LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "ru", "pl", "tr", "ar", "ja", "zh", "ko")
LONGEST = 900

_HANDBOOK = {
    "en": "en-US", "de": "de-DE", "fr": "fr-FR", "es": "es-ES", "pt": "pt-BR", "it": "it-IT", "ru": "ru-RU",
    "pl": "pl-PL", "tr": "tr-TR", "ar": "ar-MA", "ja": "ja-JP", "zh": "zh-CN", "ko": "ko-KR",
}  # fmt: skip
_HELP = {"en": "C", "pt": "pt_BR", "zh": "zh_CN"}
_MANPAGES = {"en": ("manpages", ""), "pt": ("manpages-pt-br", "pt_BR"), "zh": ("manpages-zh", "zh_CN")} | {
    language: (f"manpages-{language}", language)
    for language in ("de", "fr", "es", "it", "ru", "pl", "tr", "ja")
}
_FORTUNES = {"en": "fortunes-min", "pt": "fortunes-br"} | {
    language: f"fortunes-{language}" for language in ("de", "es", "it", "pl", "ru", "zh")
}
_SCRIPTS = {
    "ru": r"[\u0400-\u04ff]",
    "ar": r"[\u0600-\u06ff]",
    "ja": r"[\u3040-\u30ff\u4e00-\u9fff]",
    "zh": r"[\u4e00-\u9fff]",
    "ko": r"[\uac00-\ud7af]",
}
_ENGLISH = re.compile(r"\b(?:the|of|and|you|your|is|are|this|with|which)\b")
_END = re.compile(r"[.!?؟…]+[^\s\w]{0,2}(?=\s|\Z)|[。！？]")
_TAG = re.compile(r"<[^>]*>")
_SPACE = re.compile(r"\s+")
_DIALOGUE = re.compile(r"^\s*(?:[-–—<>*#|]|\w{1,16}:\s|\d+[.)])|\d\d:\d\d|> >|%|\x1b", re.MULTILINE)
_FONT = re.compile(r"\.(B|I|BR|BI|IR|IB|RB|RI|SM|SB) (.*)")
_ROFF = re.compile(r"\\f(?:\[\w*\]|\(\w\w|\w)|\\s[+-]?\d|\\[&/,|^:%c]")
_SPECIAL = {
    r"\-": "-", r"\(aq": "'", r"\(bu": "•", r"\(em": "—", r"\(en": "–", r"\(oq": "‘", r"\(cq": "’", r"\(lq": "“",
    r"\(rq": "”", r"\(dq": '"', r"\e": "\\", r"\[aq]": "'", r"\[dq]": '"', r"\ ": " ", r"\~": " ", r"\(Fo": "«", r"\(Fc": "»", r"\'": "'",
}  # fmt: skip


def sample(language: str, folder: Path) -> list[str]:
    """Texts of `COUNT` sentences or a few more, or as many as there are: a paragraph of each source in turn."""
    chosen: list[str] = []
    sentences = 0
    shuffled = [_in_order_of_digest(source(language, folder), language) for source in _SOURCES]
    for text in filter(None, chain.from_iterable(zip_longest(*shuffled))):
        if sentences < COUNT and text not in chosen:
            chosen.append(text)
            sentences += len(_END.findall(text))
    return chosen


def _in_order_of_digest(texts: Iterator[str], language: str) -> list[str]:
    """The prose among the texts, mixed, but alike for everybody."""
    plain = {_SPACE.sub(" ", unescape(text)).strip() for text in texts}
    return sorted(filter(_prose_in(language), plain), key=lambda text: hashlib.sha256(text.encode()).digest())


def _prose_in(language: str) -> Callable[[str], bool]:
    """A test for two sentences and more of this language, mostly of letters."""
    script = re.compile(_SCRIPTS.get(language, "[a-zA-Z]"))

    def is_prose(text: str) -> bool:
        if not 40 <= len(text) < LONGEST or len(_END.findall(text)) < 2:
            return False
        letters = sum(char.isalpha() or char.isspace() for char in text)
        if "ESC [" in text or "\\" in text:
            return False
        if letters < 0.86 * len(text) or len(script.findall(text)) < 0.5 * len(text):
            return False
        return language == "en" or _ENGLISH.search(text) is None

    return is_prose


def _fetch(package: str, folder: Path) -> Path:
    """A Debian package, unpacked."""
    target = folder / package
    if not target.exists():
        subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True, capture_output=True)
        found = next(folder.glob(f"{package}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", str(found), str(target)], check=True)
    return target


def _handbook(language: str, folder: Path) -> Iterator[str]:
    pages = _fetch("debian-handbook", folder) / "usr/share/doc/debian-handbook/html" / _HANDBOOK[language]
    for path in sorted(pages.glob("*.html")):
        for found in re.findall(
            r'<div class="para">((?:[^<]|<(?!/?(?:div|pre|ul)\b))*)</div>', path.read_text("utf-8")
        ):
            yield _TAG.sub("", found)


def _help(language: str, folder: Path) -> Iterator[str]:
    pages = _fetch("gnome-user-docs", folder) / "usr/share/help" / _HELP.get(language, language)
    for path in sorted(pages.rglob("*.page")):
        for found in re.findall(r"<p>(.*?)</p>", path.read_text("utf-8"), re.DOTALL):
            yield _TAG.sub("", found)


def _fortunes(language: str, folder: Path) -> Iterator[str]:
    if language not in _FORTUNES:
        return
    for path in sorted(_fetch(_FORTUNES[language], folder).rglob("games/fortunes/**/*")):
        if path.is_file() and path.suffix not in {".dat", ".u8"} and "off" not in path.parts:
            for cookie in path.read_text("utf-8", "ignore").split("\n%\n"):
                saying = re.split(r"\n\s*(?:--|—|–|\t\t)", cookie)[0]
                if not _DIALOGUE.search(saying):
                    yield saying


def _manual(language: str, folder: Path) -> Iterator[str]:
    if language not in _MANPAGES:
        return
    package, place = _MANPAGES[language]
    for path in sorted((_fetch(package, folder) / "usr/share/man" / place).glob("man*/*.gz")):
        yield from _roff_paragraphs(gzip.decompress(path.read_bytes()).decode("utf-8", "ignore"))


def _roff_paragraphs(page: str) -> Iterator[str]:
    """Paragraphs that stand by themselves, so no options, no examples and no tables."""
    lines: list[str] | None = None
    for line in [*page.splitlines(), ".PP"]:
        font = _FONT.match(line)
        if line.startswith((".PP", ".P ", ".LP", ".Pp", ".sp", ".SH", ".SS")) or line == ".P":
            if lines:
                yield _plain(" ".join(lines))
            lines = []
        elif line.startswith((".", "'", " ", "\t")) and not font:
            lines = lines if line.startswith('.\\"') else None
        elif lines is not None and line.strip():
            lines.append(_words_of(font) if font else line)


def _words_of(font: re.Match[str]) -> str:
    """What a line of one font says, or of two by turns, which has no spaces between them."""
    words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', font[2])]
    return ("" if len(font[1]) == 2 and font[1][0] != "S" else " ").join(words)


def _plain(roff: str) -> str:
    for mark, char in _SPECIAL.items():
        roff = roff.replace(mark, char)
    return _ROFF.sub("", roff)


def _answers(language: str, folder: Path) -> Iterator[str]:  # noqa: ARG001
    if language != "en" or not CORPUS.exists():
        return
    for row in CORPUS.read_text("utf-8").splitlines():
        prose = re.sub(r"```.*?(?:```|\Z)", "", json.loads(row)["text"], flags=re.DOTALL)
        for line in prose.split("\n"):
            if not re.match(r"\s*(?:[#>|*+-]|\d+[.)])|\s\s", line) and not re.search(r"[`$|]", line):
                yield line.replace("**", "")


_SOURCES = (_answers, _handbook, _manual, _fortunes, _help)
