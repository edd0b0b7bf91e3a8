"""Load the word lists and tables of `data/`.

A file holds words separated by white space. Lines that begin with `# ` are comments. Each file is read once, on
first use, so that importing the library does not read any of them.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def _read_lines(name: str) -> list[str]:
    """Return the lines of `data/<name>.txt` that are neither blank nor comments."""
    text = files("streamcord._text").joinpath("data", f"{name}.txt").read_text(encoding="utf-8")
    # A comment needs the space: the keycap emoji begins with `#`, too.
    return [line for line in text.splitlines() if line.strip() and not line.startswith("# ")]


@cache
def load_words(name: str) -> frozenset[str]:
    """Return all words of a file."""
    return frozenset(word for line in _read_lines(name) for word in line.split())


@cache
def load_phrases(name: str) -> frozenset[str]:
    """Return the lines of a file: phrases that contain spaces."""
    return frozenset(line.strip() for line in _read_lines(name))


@cache
def load_rows(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each line of a file: a table with a key in its first column."""
    return tuple(tuple(line.split()) for line in _read_lines(name))


@cache
def load_sections(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words below each heading of a file; a heading is a line `[name]`."""
    sections: dict[str, list[str]] = {}
    words: list[str] = []
    for line in _read_lines(name):
        if line.startswith("[") and line.endswith("]"):
            words = sections.setdefault(line[1:-1], [])
        else:
            words += line.split()
    return {heading: tuple(found) for heading, found in sections.items()}
