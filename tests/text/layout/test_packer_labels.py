"""Labels and nested items stay with what they belong to when a long text is packed."""

from __future__ import annotations

from streamcord._settings import Settings
from streamcord._text.layout.splitter import Splitter

LINE = "Working from home has become common in many companies. "


def split(text: str) -> list[str]:
    return Splitter(Settings(degree=0, message_length=500)).split(text)


def test_label_goes_with_the_list_below_it() -> None:
    items = "\n".join(f"{number}. {LINE.strip()}" for number in range(1, 4))
    parts = split(f"{LINE * 8}\n\nCons:\n\n{items}")
    assert parts[1].startswith("Cons:\n\n1. ")


def test_item_keeps_its_nested_items() -> None:
    items = "\n".join(f"{number}. {LINE.strip()}\n   - {LINE.strip()}" for number in range(1, 9))
    assert all(part[0].isdigit() for part in split(items))


def test_item_with_many_nested_items_begins_a_message() -> None:
    nested = "\n".join(f"   - {LINE.strip()}" for _ in range(5))
    parts = split(f"1. One\n{nested}\n2. Two\n{nested}")
    assert [part[:2] for part in parts] == ["1.", "2."]


def test_title_without_a_colon_goes_with_what_follows() -> None:
    parts = split(f"{LINE * 8}\n\nMethod 3: Using a formula\n\n1. {LINE}\n2. {LINE}")
    assert parts[1].startswith("Method 3: Using a formula\n\n1. ")
    parts = split(f"{LINE * 8}\n\nmethod 3: using a formula.\n\n1. {LINE}\n2. {LINE}")
    assert parts[1].startswith("1. ")


def test_sentence_with_a_colon_goes_with_the_code_below_it() -> None:
    code = "```py\n" + "x = 1\n" * 50 + "```"
    lead = "You can use a loop for that. Here is an example:"
    parts = split(f"{LINE * 3}\n\n{lead}\n\n{code}")
    assert parts[1] == f"{lead}\n\n{code}"


def test_only_the_last_sentence_of_a_long_paragraph_goes_with_the_code_below_it() -> None:
    code = "```py\n" + "x = 1\n" * 50 + "```"
    parts = split(f"{LINE * 8}Here is an example:\n\n{code}")
    assert parts[1] == f"Here is an example:\n\n{code}"


def test_code_that_fits_is_not_cut_for_the_label_above_it() -> None:
    code = "```py\n" + "x = 1\n" * 80 + "```"
    assert split(f"{LINE * 2}\n\nHere is an example:\n\n{code}")[1] == code


def test_item_keeps_its_nested_items_over_a_blank_line() -> None:
    items = "\n\n".join(f"{number}. {LINE.strip()}\n\n   - {LINE.strip()}" for number in range(1, 9))
    assert all(part[0].isdigit() for part in split(items))
