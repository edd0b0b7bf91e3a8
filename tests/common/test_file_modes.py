"""What only its owner may read is never open to others, not even for a moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from streamcord._common.file_modes import PRIVATE, make_private, open_private

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_file_is_private_whatever_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with open_private(tmp_path / "new") as file:
            assert rights(tmp_path / "new") == PRIVATE
            file.write("ä")
    finally:
        os.umask(before)
    assert (tmp_path / "new").read_text(encoding="utf-8") == "ä"


def test_a_file_that_was_open_to_all_is_emptied_and_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("yesterday", encoding="utf-8")
    (tmp_path / "old").chmod(0o644)
    with open_private(tmp_path / "old"):
        assert rights(tmp_path / "old") == PRIVATE
    assert (tmp_path / "old").read_text(encoding="utf-8") == ""


def test_what_is_no_file_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path)
    make_private(tmp_path / "nothing")
    with open_private("/dev/null") as file:
        file.write("gone")
    assert rights(tmp_path) == 0o755
    assert rights(Path("/dev/null")) != PRIVATE


def test_unwritable_path_raises(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        open_private(tmp_path / "nowhere" / "file")
