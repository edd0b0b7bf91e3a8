"""`<details>` blocks are shown as spoilers, shown, or taken out; nothing of them is swallowed unless wanted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamcord import Captured, Message, Pipeline, Settings

PUZZLE = "Here is the puzzle. <details><summary>Solution</summary>42 it is</details> Done."
BLOCK = (
    "<details>\n<summary>Solution</summary>\n\nLine one.\n\nLine two with ||bars||.\n\n</details>\n\nAfter."
)


def say(text: str, pieces: list[str] | None = None, **settings: object) -> list[str]:
    pipeline = Pipeline(Settings.from_mapping(settings))
    events = [event for piece in pieces or [text] for event in pipeline.feed(piece)] + pipeline.flush()
    return [event.content for event in events if isinstance(event, Message)]


CASES = [
    (PUZZLE, "spoiler", ["Here is the puzzle. **Solution** ||42 it is|| Done."]),
    (PUZZLE, "show", ["Here is the puzzle. **Solution** 42 it is Done."]),
    (PUZZLE, "memory", ["Here is the puzzle. Done."]),
    (BLOCK, "spoiler", ["**Solution**", "||Line one.||", "||Line two with bars.||", "After."]),
    (BLOCK, "show", ["**Solution**", "Line one.", "Line two with ||bars||.", "After."]),
    (BLOCK, "memory", ["After."]),
    ("<details>all of it", "spoiler", ["||all of it||"]),
    ("<details>x</details>", "spoiler", ["||x||"]),
    ("`<details>` is a tag", "spoiler", ["`<details>` is a tag"]),
]
HTML = "Use <details> in HTML to hide text, and </details> to close it."


@pytest.mark.parametrize(("text", "details", "messages"), CASES)
def test_details_block_is_shown_as_the_setting_says(text: str, details: str, messages: list[str]) -> None:
    assert say(text, details=details) == messages
    assert say(text, list(text), details=details) == messages


@pytest.mark.parametrize("details", ["spoiler", "show"])
def test_tag_that_is_only_named_stays(details: str) -> None:
    assert say(HTML, details=details) == [HTML]


def test_spoilers_are_the_default_of_the_library() -> None:
    assert Settings().details == "spoiler"


@given(st.text(alphabet="ab |\n<>", max_size=30), st.sampled_from([0, 1, 2]))
def test_no_letter_of_a_block_is_shown_in_clear_or_lost(inside: str, degree: int) -> None:
    text = f"<details>\n{inside}\n</details>\n\nAfter."
    pipeline = Pipeline(Settings.from_mapping({"degree": degree, "auto_close": "all"}))
    events = [*pipeline.feed(text), *pipeline.flush()]
    shown = "".join(event.content for event in events if isinstance(event, Message))

    assert not [event for event in events if isinstance(event, Captured)]
    assert shown.count("a") == inside.count("a")
    assert shown.count("b") == inside.count("b")
