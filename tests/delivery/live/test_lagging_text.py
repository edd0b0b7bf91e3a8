"""What people see of a message that grows, and what they do not see yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from streamcord._delivery.live.lagging_text import LaggingText, remaining_after, without_closers
from streamcord._events import Added, Message, Replaced, Table


def test_the_words_of_a_message_are_without_what_closes_them() -> None:
    assert without_closers(Message("```py\nx\n```", added=(Added("```", "closed"),))) == "```py\nx\n"
    assert without_closers(Message("> x", added=(Added("> ", "reopened", "before"),))) == "> x"
    assert without_closers(Message("x", added=(Added("**", "closed"), Added(" ", "closed")))) == "x"


def test_the_rest_is_what_is_new() -> None:
    whole = Message("One two three.", reply=True, delay=2.0, spans=((0, 14),))
    rest = remaining_after(whole, Message("One two", spans=((0, 8),)))
    assert rest == Message("three.", spans=((8, 14),))


def test_there_may_be_no_rest() -> None:
    assert remaining_after(Message("One."), Message("One.")) is None
    closed = Message("```\nx\n```", added=(Added("```", "closed"),))
    assert remaining_after(Message("```\nx\n```"), closed) is None


@pytest.mark.parametrize(
    ("shown", "closer", "whole", "rest"),
    [
        ("```py\nx\n", "```", "```py\nx\ny\n```\nDone.", "```py\ny\n```\nDone."),
        ("||a", "||", "||a b||", "|| b||"),
    ],
)
def test_what_was_closed_is_opened_again(shown: str, closer: str, whole: str, rest: str) -> None:
    found = remaining_after(Message(whole), Message(shown + closer, added=(Added(closer, "closed"),)))
    assert found is not None
    assert found.content == rest


def test_nothing_is_said_twice_even_if_something_else_was_shown() -> None:
    found = remaining_after(Message("One two three."), Message("One xxx"))
    assert found is not None
    assert found.content == "three."


def test_pictures_stand_behind_the_rest_unless_people_see_them() -> None:
    table = Table((), (), (), "| a |")
    whole = Message("One two", files=(table,), fallback="One two\n| a |")
    assert remaining_after(whole, Message("One")) == replace(whole, content="two", fallback="two\n| a |")
    assert remaining_after(whole, Message("One two")) == replace(whole, content="", fallback="| a |")
    assert remaining_after(whole, whole) is None


def test_books_are_shared() -> None:
    first, second = Replaced("a", "x", "y", ((2, 3),)), Replaced("b", "x", "y", ((12, 13),))
    whole = Message("One two three four", spans=((0, 2), (3, 12), (13, 20)), edits=(first, second))
    rest = remaining_after(whole, Message("One two", spans=((0, 2), (3, 8)), edits=(first,)))
    assert rest is not None
    assert rest.spans == ((8, 12), (13, 20))
    assert rest.edits == (second,)


class Draft:
    """A message of so many pieces."""

    def __init__(self, content: str, pieces: int, start: int = 0) -> None:
        self.message = Message(content, spans=((start, start + len(content)),))
        self.pieces = pieces


def test_an_end_is_kept_back_that_is_a_sentence() -> None:
    behind = LaggingText()
    first, second = "The first sentence.", "The second one, which is longer."
    assert behind.choose(Draft(first, 1)) is None
    assert behind.choose(Draft(f"{first} The second", 2)) is None
    shown = behind.choose(Draft(f"{first} {second}", 3))
    assert shown is not None
    assert shown.message.content == first
    assert behind.choose(Draft(f"{first} {second} More", 4)) is shown
    shown = behind.choose(Draft(f"{first} {second} And a third one that makes it long", 5))
    assert shown is not None
    assert shown.message.content == f"{first} {second}"
    # The next message begins with nothing that could be shown.
    assert behind.choose(Draft("Another, and quite as long as the ones before it.", 6, 99)) is None
    assert behind.choose(None) is None
    assert behind.choose(Draft("Whole." + "x" * 40, 1)) is None
