"""pytest fixtures for bots that use streamcord.

The plugin is active where a project asks for it, with `pytest_plugins = ["streamcord.pytest_plugin"]` in its
`conftest.py`.

- `no_pauses`: answers are sent without typing pauses. Ask for it in a test, or in all of them:
  `pytestmark = pytest.mark.usefixtures("no_pauses")`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ._delivery.no_pauses import without_pauses

__all__ = ["no_pauses"]


@pytest.fixture
def no_pauses() -> Iterator[None]:
    """Send answers without typing pauses; their messages and order stay the same."""
    with without_pauses():
        yield
