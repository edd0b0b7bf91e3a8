"""What `make` and the image install from others is pinned by hash, as `tools/constraints` wrote it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

import pin_hashes  # noqa: E402
import set_up  # noqa: E402

_PIN = re.compile(r"(?m)^([\w.-]+)==(\S+)((?:[^\\\n]|\\\n)*)")
CONSTRAINTS = {
    (name, version)
    for name, version, _ in _PIN.findall((ROOT / "constraints.txt").read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("purpose", pin_hashes.PURPOSES)
def test_every_package_of_others_has_its_pinned_version_and_hashes(purpose: str) -> None:
    text = (ROOT / "requirements" / f"{purpose}.txt").read_text(encoding="utf-8")
    pins = _PIN.findall(text)

    assert len(pins) > 20
    assert "://" not in text
    for name, version, rest in pins:
        assert (name, version) in CONSTRAINTS
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", rest), name


@pytest.mark.parametrize("purpose", pin_hashes.PURPOSES)
def test_what_a_purpose_asks_for_is_pinned(purpose: str) -> None:
    text = (ROOT / "requirements" / f"{purpose}.txt").read_text(encoding="utf-8")
    names = {name for name, _, _ in _PIN.findall(text)}
    asked = {re.split(r"[^\w.-]", one)[0] for one in pin_hashes.wanted(purpose)}

    assert asked - names <= {"streamcord", "streamcord-bot", "discord-twin"}


@pytest.mark.parametrize("purpose", set_up.EDITABLE)
def test_make_installs_nothing_without_a_hash_but_this_checkout(purpose: str) -> None:
    others, *ours = set_up.steps(purpose)

    assert others == ["--require-hashes", "-r", f"requirements/{purpose}.txt"]
    for step in ours:
        assert {"--no-deps", "--no-build-isolation"} <= set(step)
        assert {one for one in step if not one.startswith("-")} <= {
            f"packages/{one.name}" for one in (ROOT / "packages").iterdir()
        }


def test_the_image_installs_nothing_without_a_hash_but_this_checkout() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    others, ours = re.findall(r"pip install ((?:[^\\\n]|\\\n(?! *&&))+)", text)

    assert "--require-hashes -r image.txt" in others
    assert "COPY requirements/image.txt" in text
    assert "--no-deps --no-build-isolation" in ours
