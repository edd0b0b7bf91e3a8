"""What can be added to this installation, and by which line: from the index, a file, or a clone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

__all__ = ["LETTERS", "Letters", "find_missing_letters", "install_line", "require"]

NAME = "streamcord"


class Letters(NamedTuple):
    """Letters that pictures of tables can have: whose, some of them, their range, and the extra with them."""

    words: str
    sample: str
    pattern: re.Pattern[str]
    extra: str


LETTERS = (
    Letters(
        "Europe, Hebrew, Thai",
        "éЖλשไ",
        re.compile("[\u00c0-\u05ff\u0e00-\u0e7f\u10a0-\u10ff\u2190-\u2bff]"),
        "tables",
    ),
    Letters("Arabic and India", "عअ", re.compile("[\u0600-\u06ff\u0900-\u097f]"), "tables"),
    Letters("emoji", "😀", re.compile("[\U0001f300-\U0001faff]"), "tables"),
    Letters(
        "East Asia",
        "漢あ한",
        re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]"),
        "tables-cjk",
    ),
    Letters(
        "Tamil, Telugu and Khmer",
        "தతខ",
        re.compile("[\u0b80-\u0bff\u0c00-\u0c7f\u1780-\u17ff]"),
        "tables-more",
    ),
)


def find_missing_letters(can_draw: Callable[[str], bool], text: str | None = None) -> list[Letters]:
    """The letters that cannot be drawn here: all of them, or those that occur in a text."""
    wanted = [one for one in LETTERS if text is None or one.pattern.search(text)]
    return [one for one in wanted if not can_draw(one.sample)]


def require(module: str, needs: str, extra: str) -> None:
    """Refuse to be imported without a package of others, with the line that brings it."""
    if find_spec(module) is None:
        raise ModuleNotFoundError(f"{needs}: {install_line(extra)}", name=module)


def install_line(*extras: str) -> str:
    """The command that adds these extras to the installation that is running."""
    wanted = f"[{','.join(sorted(extras))}]"
    place, editable = _find_origin()
    if not place:
        return f'pip install "{NAME}{wanted}"'
    if not place.startswith(("http://", "https://", "git+")) and Path(place).is_dir():
        return f'pip install {"-e " if editable else ""}"{place}{wanted}"'
    address = place if "://" in place else Path(place).as_uri()
    return f'pip install "{NAME}{wanted} @ {address}"'


def _find_origin() -> tuple[str, bool]:
    """The folder or file that this came from (nothing: the index), and whether it is used in place."""
    clone = Path(__file__).resolve().parents[4]
    in_place = (clone / "pyproject.toml").is_file() and (clone / "src" / NAME).is_dir()
    if in_place:
        return str(clone), True
    try:
        # https://packaging.python.org/en/latest/specifications/direct-url/
        origin = json.loads(distribution(NAME).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return "", False
    address = str(origin.get("url", ""))
    parts = urlsplit(address)
    return (url2pathname(parts.path) if parts.scheme == "file" else address), False
