"""Lines that install more, wherever streamcord came from."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from streamcord._common import optional_dependencies as setup
from streamcord._common.optional_dependencies import LETTERS, Letters, find_missing_letters, install_line

PACKAGES = Path(__file__).parents[2] / "packages"


class Installed:
    """What pip wrote down about an installation."""

    def __init__(self, origin: object) -> None:
        self._origin = origin

    def read_text(self, _: str) -> str | None:
        return None if self._origin is None else json.dumps(self._origin)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """As if these files lay in someone's site-packages."""
    monkeypatch.setattr(setup, "__file__", str(tmp_path / "a/b/c/streamcord/_shared/setup/__init__.py"))
    return monkeypatch


def test_a_clone_is_installed_anew_with_more() -> None:
    library = PACKAGES / "streamcord"

    assert install_line("tables", "preview") == f'pip install -e "{library}[preview,tables]"'


def test_another_distribution_of_a_clone_is_installed_with_its_neighbours() -> None:
    line = install_line("demo", of="streamcord-bot")

    assert line == (
        f'pip install -e "{PACKAGES / "discord-twin"}" -e "{PACKAGES / "streamcord"}"'
        f' -e "{PACKAGES / "streamcord-bot"}[demo]"'
    )


def test_another_distribution_from_the_index_is_named(elsewhere: pytest.MonkeyPatch) -> None:
    elsewhere.setattr("importlib.metadata.distribution", lambda _: Installed(None))

    assert install_line("demo", of="streamcord-bot") == 'pip install "streamcord-bot[demo]"'
    assert install_line(of="streamcord-bot") == 'pip install "streamcord-bot"'


def test_what_came_from_the_index_is_got_there(elsewhere: pytest.MonkeyPatch) -> None:
    elsewhere.setattr("importlib.metadata.distribution", lambda _: Installed(None))

    assert install_line("bot") == 'pip install "streamcord[bot]"'


def test_what_came_from_a_folder_is_got_there(elsewhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elsewhere.setattr(
        "importlib.metadata.distribution", lambda _: Installed({"url": tmp_path.as_uri(), "dir_info": {}})
    )

    assert install_line("bot") == f'pip install "{tmp_path}[bot]"'


def test_what_came_from_a_wheel_or_an_address_is_got_there(
    elsewhere: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wheel = (tmp_path / "streamcord-1-py3-none-any.whl").as_uri()
    elsewhere.setattr("importlib.metadata.distribution", lambda _: Installed({"url": wheel}))
    assert install_line("bot") == f'pip install "streamcord[bot] @ {wheel}"'

    elsewhere.setattr(
        "importlib.metadata.distribution", lambda _: Installed({"url": "https://example.com/s.whl"})
    )
    assert install_line("bot") == 'pip install "streamcord[bot] @ https://example.com/s.whl"'


def test_letters_that_cannot_be_drawn_are_named_by_those_who_want_them() -> None:
    def has_latin_only(sample: str) -> bool:
        return sample == "éЖλשไ"

    everything = [one.extra for one in find_missing_letters(has_latin_only)]
    wanted = [one.words for one in find_missing_letters(has_latin_only, "| 日本 | é | தமிழ் |")]

    assert everything == ["tables", "tables", "tables-cjk", "tables-more"]
    assert wanted == ["East Asia", "Tamil, Telugu and Khmer"]
    assert find_missing_letters(lambda _: False, "plain words | 12") == []


@pytest.mark.parametrize("letters", LETTERS, ids=lambda letters: letters.words)
def test_a_sample_is_of_its_own_letters_and_its_extra_exists(letters: Letters) -> None:
    extras = tomllib.loads((PACKAGES / "streamcord" / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]

    assert all(letters.pattern.match(letter) for letter in letters.sample)
    assert letters.extra in extras["optional-dependencies"]


def test_notes_that_cannot_be_read_are_no_reason_to_fail(elsewhere: pytest.MonkeyPatch) -> None:
    class Broken:
        def read_text(self, _: str) -> str:
            return "{"

    elsewhere.setattr("importlib.metadata.distribution", lambda _: Broken())

    assert install_line("bot") == 'pip install "streamcord[bot]"'
