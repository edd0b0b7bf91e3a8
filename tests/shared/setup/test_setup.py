"""Lines that install more, wherever streamcord came from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from streamcord._shared import setup
from streamcord._shared.setup import install_line

ROOT = Path(__file__).parents[3]


class Installed:
    """What pip wrote down about an installation."""

    def __init__(self, origin: object) -> None:
        self._origin = origin

    def read_text(self, _: str) -> str | None:
        return None if self._origin is None else json.dumps(self._origin)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """As if these files lay in somebody's site-packages."""
    monkeypatch.setattr(setup, "__file__", str(tmp_path / "a/b/c/streamcord/_shared/setup/__init__.py"))
    return monkeypatch


def test_a_clone_is_installed_anew_with_more() -> None:
    assert install_line("tables", "preview") == f'pip install -e "{ROOT}[preview,tables]"'


def test_what_came_from_the_index_is_got_there(elsewhere: pytest.MonkeyPatch) -> None:
    elsewhere.setattr(setup, "distribution", lambda _: Installed(None))

    assert install_line("bot") == 'pip install "streamcord[bot]"'


def test_what_came_from_a_folder_is_got_there(elsewhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elsewhere.setattr(setup, "distribution", lambda _: Installed({"url": tmp_path.as_uri(), "dir_info": {}}))

    assert install_line("bot") == f'pip install "{tmp_path}[bot]"'


def test_what_came_from_a_wheel_or_an_address_is_got_there(
    elsewhere: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wheel = (tmp_path / "streamcord-1-py3-none-any.whl").as_uri()
    elsewhere.setattr(setup, "distribution", lambda _: Installed({"url": wheel}))
    assert install_line("bot") == f'pip install "streamcord[bot] @ {wheel}"'

    elsewhere.setattr(setup, "distribution", lambda _: Installed({"url": "https://example.com/s.whl"}))
    assert install_line("bot") == 'pip install "streamcord[bot] @ https://example.com/s.whl"'


def test_notes_that_cannot_be_read_are_no_reason_to_fail(elsewhere: pytest.MonkeyPatch) -> None:
    class Broken:
        def read_text(self, _: str) -> str:
            return "{"

    elsewhere.setattr(setup, "distribution", lambda _: Broken())

    assert install_line("bot") == 'pip install "streamcord[bot]"'
