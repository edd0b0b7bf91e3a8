"""What is wrong with a value, as `path: CODE`."""

from __future__ import annotations

from typing import Any

from streamcord._twin.rules.kinds import Field


def faults(kind: Field, value: Any) -> list[str]:
    return [f"{'.'.join(one.path)}: {one.code}" for one in kind.problems(value, (), len)]
