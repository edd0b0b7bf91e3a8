"""Commands that install optional dependencies: from the index, a file, or a clone of the repository."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

NAME = "streamcord"


class Letters(NamedTuple):
    """A script that table images can show: its name, a sample, its code points, and the extra with its font.

    Example:
        for letters in find_missing_letters(can_draw):
            print(letters.words, letters.extra)

    """

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
    """Return the scripts without an installed font: all of them, or those that occur in a text.

    Args:
        can_draw: Returns whether an installed font has the characters of a text.
        text: Only look at the scripts of this text.

    Example:
        for letters in find_missing_letters(can_draw):
            print(letters)

    """
    wanted = [one for one in LETTERS if text is None or one.pattern.search(text)]
    return [one for one in wanted if not can_draw(one.sample)]


def require(module: str, needs: str, extra: str) -> None:
    """Raise an error with the install command if a module is missing.

    Args:
        module: The name of the module.
        needs: What needs it, for the message.
        extra: The extra that installs it.

    Raises:
        ModuleNotFoundError: The module is not installed.

    Example:
        require("asyncpg", "A PostgreSQL store", "postgres")

    """
    if find_spec(module) is None:
        raise ModuleNotFoundError(f"{needs}: {install_line(extra)}", name=module)


def install_line(*extras: str, of: str = NAME) -> str:
    """Return the pip command that adds extras to the running installation.

    Args:
        *extras: Names of optional dependencies; none installs the distribution alone.
        of: The distribution that declares them, such as `streamcord-bot`.

    Example:
        print("To see colours:", install_line("preview"))

    """
    wanted = f"[{','.join(sorted(extras))}]" if extras else ""
    if clone := _find_clone(of):
        # Other distributions depend on their neighbours, which a clone has and the index need not have.
        neighbours = [] if of == NAME else sorted(one.parent for one in clone.parent.glob("*/pyproject.toml"))
        others = [f'-e "{folder}"' for folder in neighbours if folder != clone]
        return " ".join(["pip install", *others, f'-e "{clone}{wanted}"'])
    origin = _find_origin(of)
    if not origin:
        return f'pip install "{of}{wanted}"'
    if not origin.startswith(("http://", "https://", "git+")) and Path(origin).is_dir():
        return f'pip install "{origin}{wanted}"'
    address = origin if "://" in origin else Path(origin).as_uri()
    return f'pip install "{of}{wanted} @ {address}"'


def _find_clone(name: str) -> Path | None:
    """Return the folder of a distribution if this module runs from a clone of the repository."""
    folder = Path(__file__).resolve().parents[4] / name
    is_clone = (folder / "pyproject.toml").is_file() and (folder / "src" / name.replace("-", "_")).is_dir()
    return folder if is_clone else None


def _find_origin(name: str) -> str:
    """Return the folder, file or address that pip installed from, or "" for the index."""
    # Only an error needs them, and they would take an eighth of `import streamcord`.
    from importlib import metadata  # noqa: PLC0415
    from urllib.request import url2pathname  # noqa: PLC0415

    try:
        # https://packaging.python.org/en/latest/specifications/direct-url/
        origin = json.loads(metadata.distribution(name).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    address = str(origin.get("url", ""))
    parts = urlsplit(address)
    return url2pathname(parts.path) if parts.scheme == "file" else address
