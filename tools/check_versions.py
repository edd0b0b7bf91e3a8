"""Check that the three distributions have one version, and that the changelog has a section for it.

python tools/check_versions.py          the versions are equal
python tools/check_versions.py 0.1.0    they are this one, as for the tag v0.1.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def read_versions(root: Path = ROOT) -> dict[str, str]:
    """The version of each package, by its import name."""
    found = {}
    for file in sorted(root.glob("packages/*/src/*/__init__.py")):
        if match := re.search(r'^__version__ = "([^"]+)"$', file.read_text(encoding="utf-8"), re.MULTILINE):
            found[file.parent.name] = match[1]
    return found


def check(wanted: str, root: Path = ROOT) -> list[str]:
    """What is wrong, in sentences."""
    versions = read_versions(root)
    faults = [] if len(versions) == 3 else [f"3 packages should have a version, found {len(versions)}"]
    is_release = bool(wanted)
    wanted = wanted or next(iter(versions.values()), "")
    faults += [
        f"{name} is {version}, not {wanted}" for name, version in versions.items() if version != wanted
    ]
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[?{re.escape(wanted)}\b", changelog, re.MULTILINE):
        faults.append(f"CHANGELOG.md has no section for {wanted}: run towncrier build --version {wanted}")
    # A tag is checked with its version; without one the section may still be written.
    if is_release and f"## {wanted} (in preparation)" in changelog:
        faults.append(f"CHANGELOG.md says that {wanted} is in preparation: write the date of the release")
    return faults


def main() -> int:
    faults = check(sys.argv[1] if len(sys.argv) > 1 else "")
    print("\n".join(faults) or f"versions: {', '.join(sorted(set(read_versions().values())))}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
