"""Explain missing file permissions: SQLite only says that it is unable to open a file."""

from __future__ import annotations

import os
from pathlib import Path

_SQLITE = "sqlite:///"


def find_folder_fault(store: str, what: str = "the database") -> str:
    """Return why a database (or another file) cannot be written, and what to do; empty if it can."""
    path = Path(store.removeprefix(_SQLITE))
    if store == ":memory:" or "://" in str(store).removeprefix(_SQLITE):
        return ""
    folder = path.parent.resolve()
    if not folder.is_dir():
        return f"the folder {folder} of {what} is not there: mkdir -p {folder}"
    # The folder must be writable too: SQLite creates further files beside the database.
    for place in (folder, *(one for one in _files(path) if one.exists())):
        if not os.access(place, os.W_OK | (os.X_OK if place.is_dir() else os.R_OK)):
            return _describe_read_only(folder, what) or _describe(place, folder)
    return ""


def _files(path: Path) -> list[Path]:
    return [path, *(path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-shm", "-write-ahead"))]


def _describe_read_only(folder: Path, what: str) -> str:
    """Return that the whole disk is read-only, if it is: no owner can change that."""
    if not hasattr(os, "statvfs") or not os.statvfs(folder).f_flag & os.ST_RDONLY:
        return ""
    return f"the disk of {what} is mounted read-only ({folder}): mount it writable, or name another file"


def _describe(place: Path, folder: Path) -> str:
    if not hasattr(os, "getuid"):
        return f"{place} cannot be written"
    owner, own = place.stat().st_uid, f"{os.getuid()}:{os.getgid()}"
    words = f"{place} belongs to user {owner} and cannot be written by user {os.getuid()}"
    if _is_in_container():
        return (
            f"{words}, who runs this container. On the host: sudo chown -R {own} FOLDER, where FOLDER "
            f"is mounted at {folder}"
            + (f", or run it as the owner: docker run --user {owner} ..." if owner else "")
        )
    return f"{words}: sudo chown -R {own} {folder}"


def _is_in_container() -> bool:
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()
