"""Examples of docstrings are code blocks on the site."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "tools"))

griffe_examples = pytest.importorskip("griffe_examples", reason="griffe is installed by make docs")


def test_plain_code_becomes_a_code_block_and_the_rest_stays() -> None:
    text = (
        "Send it.\n\nExample:\n    async with x as y:\n\n        await y\n\nRaises:\n    ValueError: never."
    )

    assert griffe_examples.fence_examples(text) == (
        "Send it.\n\n**Example**\n\n```python\nasync with x as y:\n\n    await y\n```\n\n"
        "Raises:\n    ValueError: never."
    )


def test_a_session_keeps_its_prompt() -> None:
    assert "```pycon\n>>> split('a')\n['a']\n```" in griffe_examples.fence_examples(
        "X.\n\nExample:\n    >>> split('a')\n    ['a']"
    )


def test_code_with_a_fence_gets_a_longer_one() -> None:
    assert griffe_examples.fence_examples('X.\n\nExample:\n    f("```")') == (
        'X.\n\n**Example**\n\n````python\nf("```")\n````'
    )


def test_a_docstring_without_an_example_is_unchanged() -> None:
    assert (
        griffe_examples.fence_examples("Example of nothing.\n\nArgs:\n    a: b")
        == "Example of nothing.\n\nArgs:\n    a: b"
    )
