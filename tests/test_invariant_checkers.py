"""The checkers of the invariants see what is wrong: answers broken by hand, each told apart by its invariant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conservation import conserve
from markdown_oracle import read
from streamcord._events import Added, Captured, Dropped, Message, Replaced
from wholeness import check_wholeness

if TYPE_CHECKING:
    from streamcord._events import TurnEvent


def cut(source: str, *parts: str, before: str = "", after: str = "") -> list[Message]:
    """Messages that show these parts of a source in order, white space at the cuts included."""
    messages: list[Message] = []
    place = 0
    for number, part in enumerate(parts):
        place = source.index(part.strip("\n"), place)
        end = place + len(part.strip("\n"))
        while end < len(source) and source[end].isspace():
            end += 1
        added = []
        if number and before:
            added.append(Added(before, "reopened", "before"))
        if number < len(parts) - 1 and after:
            added.append(Added(after, "closed", "after"))
        content = (before if number else "") + part + (after if number < len(parts) - 1 else "")
        start = 0 if number == 0 else messages[-1].spans[-1][1]
        messages.append(Message(content, spans=((start, end),), added=tuple(added)))
        place = end
    return messages


def faults(source: str, limit: int, messages: list[Message]) -> list[str]:
    account = conserve(source, messages)
    assert account.violations == []
    return check_wholeness(account, limit)


def test_a_faithful_account_has_no_violations() -> None:
    source = "Hello <think>x</think> world"
    events: list[TurnEvent] = [
        Captured("think", "x", ((6, 22),)),
        Dropped(" ", "white space", ((22, 23),)),
        Message("Hello World", spans=((0, 6), (24, 28)), edits=(Replaced("capital", "w", "W", ((23, 24),)),)),
    ]
    assert conserve(source, events).violations == []


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        (Message("one", spans=((0, 3),)), "lost [3, 7)"),
        (Message("one two", spans=((0, 4), (3, 7))), "twice [3, 4)"),
        (Message("one tw", spans=((0, 7),)), "is not"),
        (Message("one  two", spans=((0, 7),)), "is not"),
        (Message("one two", spans=((0, 8),)), "bad range"),
        (Message("one two!", spans=((0, 7),)), "is not"),
        (Message("One two", spans=((1, 7),), edits=(Replaced("x", "a", "O", ((0, 1),)),)), "says 'a'"),
        (Message("one two", spans=((0, 7),), edits=(Replaced("x", "", "y", ()),)), "has no span"),
    ],
)
def test_an_unfaithful_account_is_seen(message: Message, fault: str) -> None:
    assert fault in "\n".join(conserve("one two", [message]).violations)


def test_a_wrong_record_is_seen() -> None:
    shown = Message("one", spans=((0, 4),))
    assert "says 'six'" in conserve("one two", [shown, Dropped("six", "stop", ((4, 7),))]).violations[0]
    assert "not in its spans" in conserve("one two", [shown, Captured("think", "x", ((4, 7),))]).violations[0]


@pytest.mark.parametrize(
    ("source", "parts", "kind"),
    [
        ("see **bold words** here", ("see **bold", "words** here"), "**"),
        ("see `code words` here", ("see `code", "words` here"), "code"),
        ('he "said so" twice', ('he "said', 'so" twice'), '"'),
        ("it (is so) here", ("it (is", "so) here"), "("),
        ("at https://a.b/c-d now", ("at https://a.b/c", "-d now"), "url"),
        ("at [a b](https://a.b/c) now", ("at [a", "b](https://a.b/c) now"), "link"),
        ("hi <:smile:123> you", ("hi <:smi", "le:123> you"), "tag"),
        ("a ||secret\n\nword|| b", ("a ||secret", "word|| b"), "||"),
        ("x 👨‍👩‍👧 y", ("x 👨", "\u200d👩‍👧 y"), "grapheme"),
    ],
)
def test_a_cut_through_what_fits_is_seen(source: str, parts: tuple[str, ...], kind: str) -> None:
    found = faults(source, 100, cut(source, *parts))
    assert any(fault.startswith(f"cut {kind}") for fault in found), found
    assert faults(source, 100, cut(source, source)) == []


FITS_NOT = 32
CODE = "```py\nif x:\n    y = 1\n\nzz = 2\n```"


def test_code_that_must_be_cut_is_closed_and_reopened() -> None:
    first, second = "```py\nif x:\n    y = 1", "zz = 2\n```"
    good = cut(CODE, first, second, before="```py\n", after="\n```")
    assert faults(CODE, FITS_NOT, good) == []
    assert any("cut fence" in fault for fault in faults(CODE, 100, good))
    forgot = cut(CODE, first, second, before="```\n", after="\n```")
    assert any("language" in fault for fault in faults(CODE, FITS_NOT, forgot))
    unclosed = cut(CODE, first, second)
    assert any("odd number of fences" in fault for fault in faults(CODE, FITS_NOT, unclosed))
    lost = cut(CODE, "```py\nif x:", "y = 1\n\nzz = 2\n```", before="```py\n", after="\n```")
    assert any("indentation lost" in fault for fault in faults(CODE, FITS_NOT, lost))


def test_a_spoiler_that_must_be_cut_stays_hidden() -> None:
    source = "||" + "secret words " * 9 + "end||"
    half = 2 + 13 * 4
    good = cut(source, source[:half].rstrip(), source[half:], before="||", after="||")
    assert faults(source, 60, good) == []
    leak = cut(source, source[:half].rstrip(), source[half:])
    found = faults(source, 60, leak)
    assert any("leaks" in fault for fault in found)
    assert any("| is left open" in fault for fault in found)


def test_the_reader_claims_only_what_is_certain() -> None:
    kinds = {
        region.kind for region in read('**a** *b* __c__ ~~d~~ ||e|| `f` (g) "h" “i” 「j」 ***k***').regions
    }
    assert kinds == {"**", "*", "__", "~~", "||", "code", "(", '"', "“", "「", "***"}
    for text in (
        "2*3*4",
        'a 12" pipe',
        "a || b || c",
        ":( x )",
        "snake_case_name",
        "**a",
        "a** b**",
        "` a",
        "\\*a*",
    ):
        assert read(text).regions == [], text
    assert read("text ``` more\n```\ncode\n```").horizon == 5
    (fence,) = read("a\n```c++ x=1\n  code\n```\nb").fences
    assert (fence.language, fence.info, fence.closed) == ("c++", "c++ x=1", True)
