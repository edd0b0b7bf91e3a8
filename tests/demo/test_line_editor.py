from __future__ import annotations

import pytest

from streamcord._demo.line_editor import LineEditor


def typed(*pieces: str | bytes) -> tuple[list[str], str, int]:
    editor = LineEditor()
    lines = []
    for piece in pieces:
        lines += editor.feed(piece.encode() if isinstance(piece, str) else piece)
    return lines, editor.text, editor.at


@pytest.mark.parametrize(
    ("keys", "text", "at"),
    [
        ("hello", "hello", 5),
        ("hellp\x7fo", "hello", 5),
        ("ac\x1b[Db", "abc", 2),
        ("bc\x01a", "abc", 1),
        ("ab\x01\x05c", "abc", 3),
        ("abc\x1b[H\x1b[3~", "bc", 0),
        ("one two\x17", "one ", 4),
        ("one two\x15x", "x", 1),
        ("a\x7f\x7f\x7fb", "b", 1),
        ("a\x1b[D\x1b[D\x1b[C\x1b[Cb", "ab", 2),
        ("a\x1b[200~b", "ab", 2),
        ("a\x1bxb", "ab", 2),
        ("a\x00\x1b[Zb", "ab", 2),
    ],
)
def test_keys_do_what_they_do_everywhere(keys: str, text: str, at: int) -> None:
    assert typed(keys) == ([], text, at)
    # However the terminal slices them.
    assert typed(*[bytes([byte]) for byte in keys.encode()]) == ([], text, at)


def test_enter_finishes_lines_and_several_may_come_at_once() -> None:
    assert typed("one\ntwo\rthree") == (["one", "two"], "three", 5)


def test_letters_that_arrive_in_halves_are_put_together() -> None:
    assert typed(b"z\xc3", b"\xbc", "好"[:1]) == ([], "zü好", 3)


def test_a_broken_escape_does_not_swallow_what_follows() -> None:
    assert typed("\x1b[" + "1" * 30 + "ok\n")[0][0].endswith("1ok")


def test_lines_before_come_back() -> None:
    lines, text, _ = typed("one\ntwo\n", "\x1b[A\x1b[A")
    assert (lines, text) == (["one", "two"], "one")
    assert typed("one\ntwo\n", "\x1b[A\x1b[A\x1b[B")[1] == "two"
    assert typed("one\n", "\x1b[A\x1b[B\x1b[B")[1] == ""


def test_ctrl_d_ends_only_an_empty_line() -> None:
    editor = LineEditor()
    editor.feed(b"a\x04")
    assert not editor.ended
    editor.feed(b"\x7f\x04")
    assert editor.ended
