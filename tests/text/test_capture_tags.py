"""A `<details>` that names the tag, or is never closed, does not swallow the answer; notes stay hidden."""

from __future__ import annotations

import pytest

from streamcord import Captured, Message, Pipeline, Settings
from streamcord._text.capture_tags import NOTE_CHARS, PARAGRAPH_CHARS

# In the middle of a sentence it is a word, closed or not.
WORDS = [
    "Use <details> in HTML to hide text, and </details> to close it.",
    "Use <details> in HTML to hide text.",
    "HTML has (<details>, <summary> and <dialog>) for that.",
    'Write "<details>" first.',
    "The element is called <details>",
    "The element is called <details>.\n\nIt has a summary.",
]
# It begins a sentence, or a block that does not end.
OPEN = [
    "<details> is an element of HTML.\nIt hides text.\n\nOthers show text.",
    "<details> is an element of HTML.",
    f"<details> {'is an element of HTML and ' * (PARAGRAPH_CHARS // 20)}more.</details>",
    f"First.\n<details>\n{'It is long. ' * (NOTE_CHARS // 10)}\n</details>",
    "Wrap the text in <details>\nand it is hidden.",
    "Text<details>more",
]
NOTES = {
    "Hi.\n<details>\nmood: sly\n</details>\nBye.": (["Hi.", "Bye."], ["mood: sly"]),
    "Hi. <details>mood: sly</details>": (["Hi."], ["mood: sly"]),
    "Hi <details>mood: sly</details>": (["Hi"], ["mood: sly"]),
    "Hi. <details> mood: sly </details>": (["Hi."], ["mood: sly"]),
    "the answer <details> <summary>mood</summary> sly</details>": (["the answer"], ["sly"]),
    "the answer <details>\n<summary>mood</summary> sly": (["the answer"], ["sly"]),
    # The model was cut off: what it kept for itself stays hidden.
    "Hi.\n<details>\nmood: sly\n\nplan": (["Hi."], ["mood: sly\n\nplan"]),
    "Hi.\n<details>mood: sly": (["Hi."], ["mood: sly"]),
    "Hi.\n<details open><summary>mood</summary> sly": (["Hi."], ["sly"]),
    f"Hi.\n<details>\n{'x' * (NOTE_CHARS - 20)}</details>": (["Hi."], ["x" * (NOTE_CHARS - 20)]),
    "Hi.\n<details>a<details>b</details>c</details>d": (["Hi.", "d"], ["a<details>b</details>c"]),
    "Hi.\n<details>a<details/>b</details>c": (["Hi.", "c"], ["a<details/>b"]),
}


def every_way(text: str) -> tuple[list[str], list[str]]:
    """Return the messages and notes of a text, which are equal however it arrives."""
    found = []
    for size in (len(text), 1, 7):
        pipeline = Pipeline(Settings(details="memory", degree=1, merge="off", typing="off", message_cap=0))
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        events = [event for piece in pieces for event in pipeline.feed(piece)] + pipeline.flush()
        said = [event.content for event in events if isinstance(event, Message)]
        kept = [event.text for event in events if isinstance(event, Captured)]
        found.append((said, kept))
    assert found[0] == found[1] == found[2]
    return found[0]


@pytest.mark.parametrize("text", [*WORDS, *OPEN])
def test_tag_that_opens_no_note_hides_nothing(text: str) -> None:
    said, kept = every_way(text)

    assert kept == []
    assert "".join("".join(said).split()) == "".join(text.split())


@pytest.mark.parametrize(("text", "expected"), NOTES.items())
def test_note_is_hidden(text: str, expected: tuple[list[str], list[str]]) -> None:
    assert every_way(text) == expected


def test_text_after_a_word_leaves_without_waiting_for_the_end() -> None:
    pipeline = Pipeline(Settings(details="memory", degree=1, merge="off", typing="off"))

    said = pipeline.feed("Use <details> in HTML.\nIt hides text.\nSo it is.\n\nX")

    assert [event.content for event in said if isinstance(event, Message)][:1] == ["Use <details> in HTML."]
