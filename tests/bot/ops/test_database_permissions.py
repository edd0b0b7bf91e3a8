"""A database that cannot be written is told with its owner and with what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import streamcord
from streamcord_bot.ops import database_permissions
from streamcord_bot.ops.database_permissions import find_folder_fault

SOURCE = Path(streamcord.__file__).parent.parent
LOOK = """
import os, sys
from streamcord_bot.ops.database_permissions import find_folder_fault
if os.getuid() == 0:
    os.setuid(int(sys.argv[2]))
print(find_folder_fault(sys.argv[1]))
"""
STRANGER = 10001


def look_as_stranger(path: Path) -> str:
    """What someone hears who owns nothing here: another user, or ourselves without the right to write."""
    run = subprocess.run(
        [sys.executable, "-c", LOOK, str(path), str(STRANGER)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(SOURCE)},
    )
    return run.stdout.strip()


@pytest.mark.parametrize("store", [":memory:", "postgresql://db/chat"])
def test_what_is_no_file_has_no_folder(store: str) -> None:
    assert find_folder_fault(store) == ""


def test_a_folder_that_can_be_written_is_fine(tmp_path: Path) -> None:
    assert find_folder_fault(str(tmp_path / "bot.db")) == ""
    assert find_folder_fault(f"sqlite:///{tmp_path / 'bot.db'}") == ""


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert f"mkdir -p {tmp_path / 'data'}" in find_folder_fault(str(tmp_path / "data" / "bot.db"))


@pytest.fixture
def closed() -> Iterator[Path]:
    """A folder that others can enter and not write: pytest's own cannot even be entered."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755 if os.getuid() == 0 else 0o555)
        yield Path(folder)
        Path(folder).chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no user ids here")
def test_a_folder_of_somebody_else_is_told_with_its_owner_and_the_way_out(closed: Path) -> None:
    told = look_as_stranger(closed / "bot.db")
    own = STRANGER if os.getuid() == 0 else os.getuid()

    assert f"{closed} belongs to user {os.getuid()} and cannot be written by user {own}" in told
    assert "sudo chown -R" in told


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no user ids here")
def test_in_a_container_the_host_is_where_it_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_permissions, "_is_in_container", lambda: True)
    monkeypatch.setattr(os, "access", lambda *_: False)

    told = find_folder_fault(str(tmp_path / "bot.db"))

    assert f"sudo chown -R {os.getuid()}:{os.getgid()} FOLDER" in told
    assert ("docker run --user" in told) is (os.getuid() != 0)


def test_a_database_that_may_only_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bot.db"
    file.touch()
    monkeypatch.setattr(os, "access", lambda place, _: place != file)

    assert find_folder_fault(str(file)).startswith(f"{file} belongs to user")


@pytest.mark.skipif(not hasattr(os, "statvfs"), reason="this system does not tell")
def test_read_only_disk_is_told_as_one_and_not_as_a_wrong_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = os.statvfs(tmp_path)
    values = [*found]
    values[8] |= os.ST_RDONLY
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result(values))

    told = find_folder_fault(str(tmp_path / "bot.db"))

    assert told.startswith("the disk of the database is mounted read-only")
    assert "chown" not in told
