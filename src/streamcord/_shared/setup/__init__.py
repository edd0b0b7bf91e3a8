"""Which line installs more of streamcord, from where this one came: the index, a file, or a clone."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

__all__ = ["install_line"]

NAME = "streamcord"


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
