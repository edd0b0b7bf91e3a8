"""A release needs one version in all three distributions, and a section in the changelog."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

from check_versions import check  # noqa: E402


def project(root: Path, versions: dict[str, str], changelog: str) -> Path:
    for name, version in versions.items():
        folder = root / "packages" / name / "src" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(f'__version__ = "{version}"\n')
    (root / "CHANGELOG.md").write_text(changelog)
    return root


def test_this_repository_has_one_version() -> None:
    assert check("") == []


def test_a_tag_of_another_version_is_refused(tmp_path: Path) -> None:
    root = project(tmp_path, {"a": "0.1.0", "b": "0.1.0", "c": "0.2.0"}, "## 0.2.0 (2026-12-01)\n")

    assert check("0.2.0", root) == ["a is 0.1.0, not 0.2.0", "b is 0.1.0, not 0.2.0"]


def test_a_version_without_a_section_in_the_changelog_is_refused(tmp_path: Path) -> None:
    root = project(tmp_path, {"a": "0.2.0", "b": "0.2.0", "c": "0.2.0"}, "## 0.1.0\n")

    assert "no section for 0.2.0" in check("", root)[0]


def test_a_release_whose_section_has_no_date_is_refused(tmp_path: Path) -> None:
    root = project(tmp_path, {"a": "0.2.0", "b": "0.2.0", "c": "0.2.0"}, "## 0.2.0 (in preparation)\n")

    assert check("", root) == []
    assert "in preparation" in check("0.2.0", root)[0]


def test_a_missing_package_is_noticed(tmp_path: Path) -> None:
    root = project(tmp_path, {"a": "0.2.0"}, "## 0.2.0\n")

    assert check("", root) == ["3 packages should have a version, found 1"]
