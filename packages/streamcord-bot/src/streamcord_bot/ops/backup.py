"""`streamcord-bot backup`: copy the database consistently while the bot runs."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from streamcord import StoreError
from streamcord.utils import open_private

_SQLITE = "sqlite:///"
_STAMP = r"-\d{4}-\d\d-\d\d-\d{6}\.db"
_STAMPED = re.compile(rf"(.+){_STAMP}")


def back_up(store: str, to: str = "", *, now: float | None = None) -> Path:
    """Copy a SQLite database, check the copy, and return its path; `to` is a file or a folder.

    Raises:
        StoreError: there is no database, or the copy cannot be written or is damaged.

    """
    source = Path(store.removeprefix(_SQLITE))
    if not source.is_file():
        raise StoreError(f"There is no database {str(source)!r} yet: start the bot once.")
    target = _name_of(source, to, time.time() if now is None else now)
    if target.exists():
        raise StoreError(f"{target} exists already: name another file.")
    try:
        # Written elsewhere first, so that an interrupted backup does not look complete. The copy holds messages of
        # people. So it is made in a new folder of ours: no one can have put a file or a link of that name there.
        with TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as folder:
            beside = Path(folder) / target.name
            open_private(beside).close()
            _copy(source, beside)
            beside.replace(target)
    except sqlite3.Error as error:
        raise StoreError(f"The database {str(source)!r} could not be copied: {error}.") from error
    except OSError as error:
        raise StoreError(f"Cannot write {target}: {error.strerror}.") from error
    return target


def _name_of(source: Path, to: str, now: float) -> Path:
    stamp = time.strftime("%Y-%m-%d-%H%M%S", time.gmtime(now))
    name = f"{source.stem}-{stamp}.db"
    if not to:
        return source.with_name(name)
    return Path(to) / name if Path(to).is_dir() else Path(to)


def _copy(source: Path, target: Path) -> None:
    """Copy with SQLite's backup API, which copies one consistent state even while the bot writes."""
    address = f"{source.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new, pages=256, sleep=0.01)
        # The copy is one file: without this, it would keep the write-ahead mode of the original.
        new.execute("PRAGMA journal_mode = DELETE")
        found = [row[0] for row in new.execute("PRAGMA integrity_check(5)")]
    if found != ["ok"]:
        raise StoreError(f"The copy of {str(source)!r} is damaged: {'; '.join(map(str, found))}.")


def prune(copy: Path, keep: int) -> list[Path]:
    """Delete older copies of the same database beside this one, except the newest; returns what was deleted.

    Only files with the names that `back_up` chooses are copies; links are left alone.
    """
    stamped = _STAMPED.fullmatch(copy.name)
    if stamped is None:
        return []
    same = re.compile(re.escape(stamped[1]) + _STAMP)
    copies = [
        one
        for one in sorted(copy.parent.iterdir())
        if same.fullmatch(one.name) and one.is_file() and not one.is_symlink()
    ]
    old = copies[: max(0, len(copies) - keep)]
    for one in old:
        try:
            one.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{copy} is made, but {one} cannot be deleted: {error.strerror}.") from error
    return old


def name_of_postgres(store: str) -> str:
    """Return the address of a PostgreSQL database without its user and password."""
    parts = urlsplit(store)
    return f"{parts.hostname or 'localhost'}:{parts.port or 5432}{parts.path}"


def explain_postgres(store: str) -> str:
    """Return how to back up a PostgreSQL database; without its password."""
    return (
        f"The database is PostgreSQL ({name_of_postgres(store)}), which has a backup of its own:\n"
        '  pg_dump --format=custom --file=streamcord.dump "$STREAMCORD_STORE"\n'
        '  pg_restore --clean --if-exists --dbname="$STREAMCORD_STORE" streamcord.dump'
    )
