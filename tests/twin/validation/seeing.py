"""What is wrong with a value, as `path: CODE`."""

from __future__ import annotations

from typing import Any

from discord_twin.validation.schema import Field


def faults(kind: Field, value: Any) -> list[str]:
    return [f"{'.'.join(one.path)}: {one.code}" for one in kind.validate(value, (), len)]
