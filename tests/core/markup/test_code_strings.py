"""Strings of several lines: what opens them, and whether they go on behind a fence."""

from __future__ import annotations

import pytest

from streamcord._core.markup.code_strings import REACH, goes_on, pass_strings


@pytest.mark.parametrize(
    ("lines", "closer"),
    [
        ("x = 1\n", ""),
        ('x = """\n', '"""'),
        ('"""A page."""\n', ""),
        ("a = '''b\n\"\"\"\n", "'''"),
        ('"""a"""\n"""b\n', '"""'),
        ("cat <<EOF > x\n", "EOF"),
        ("cat <<-'END_OF'\na\n", "END_OF"),
        ("cat <<EOF\na\nEOF\n", ""),
        ("cat <<EOF\n\tEOF\n", ""),
        ("cat <<EOF\nxEOF\nEOF x\n", "EOF"),
        ("cout << ENDL << x;\n", "ENDL"),
        ("cout << endl;\nx <<= 2\n", ""),
    ],
)
def test_which_string_is_open_behind_lines(lines: str, closer: str) -> None:
    assert pass_strings(lines, 0, len(lines), "") == closer


def test_a_string_goes_on_over_lines() -> None:
    assert pass_strings("a\n", 0, 2, "EOF") == "EOF"
    assert pass_strings("a\nEOF\n", 0, 6, "EOF") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('\nx\n```\n"""\n', True),
        ('\n```js\nx\n```\n"""', True),
        ('\nprose\n```python\n"""', False),
        ("\nprose\n", False),
        ("x" * REACH + '"""', False),
    ],
)
def test_a_string_is_believed_if_its_end_is_in_sight(text: str, expected: bool) -> None:
    assert goes_on(text, 0, '"""', final=True) is expected


def test_a_string_waits_for_its_end() -> None:
    assert goes_on("\nEOF", 0, "EOF", final=False) is None
    assert goes_on("\nEOF", 0, "EOF", final=True) is True
    assert goes_on("\nEOF\n", 0, "EOF", final=False) is True
    assert goes_on("\n" + "x" * REACH, 0, "EOF", final=False) is False
