"""The specification's four practical test prompts, at every degree, with every kind of emoji list."""

from __future__ import annotations

import re

import pytest

from streamcord import AnswerContext, Degree, Emoji, Message, Pipeline, Settings

NEWLINE = "hello\nthere\n."
EMOJI = ":poggers:\n,\n:xdd:\n,"
LONG = " ".join(
    f"Sentence number {number} says something calm about the weather, the harbour and the old lighthouse."
    for number in range(1, 21)
)
SHORT = (
    "I woke up. The sun was out. I made tea. It was hot.\nThe cat came in. She slept. I read. Then it rained."
)

LISTS = {
    "none": (),
    "matching": (Emoji("poggers", 1), Emoji("xdd", 2)),
    "other": (Emoji("Soup", 3),),
    "off": (Emoji("poggers", 1), Emoji("xdd", 2)),
}
DEGREES = (0, 1, 2, 3)
_PUNCTUATION = re.compile(r"[\s.,!?;:。！？、，…]*")


def messages(text: str, degree: int, emoji: str, size: int = 0) -> list[str]:
    """Return the messages of an answer, fed whole or in chunks of a size."""
    settings = Settings(degree=Degree(degree), emoji_usage=emoji != "off")
    pipeline = Pipeline(settings, context=AnswerContext(emoji=LISTS[emoji]))
    chunks = [text[at : at + size] for at in range(0, len(text), size)] if size else [text]
    events = [event for chunk in chunks for event in pipeline.feed(chunk)]
    return [event.content for event in (*events, *pipeline.flush()) if isinstance(event, Message)]


@pytest.mark.parametrize("emoji", LISTS)
@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("prompt", [NEWLINE, EMOJI, LONG, SHORT], ids=["newline", "emoji", "long", "short"])
def test_no_message_is_punctuation_alone_and_slices_change_nothing(
    prompt: str, degree: int, emoji: str
) -> None:
    whole = messages(prompt, degree, emoji)
    assert not [text for text in whole if _PUNCTUATION.fullmatch(text)]
    assert all(len(text) <= 1950 for text in whole)
    for size in (1, 3, 7):
        assert messages(prompt, degree, emoji, size) == whole


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize(
    "text",
    [
        *(
            "Wow! 😀! Nice",
            "Wow! 😀 !",
            "Nice! :) ?!\nok",
            "So! :Soup: !",
            "?!\nWhat?",
            "!!\n\nHi",
            "?! :Soup: ok",
        ),
        *(
            "| a | b |\n|---|---|\n| 1 | 2 |\n.\nok",
            "Hi.\n> :nope:\nok",
            "a\n\n- :nope:\n\nb",
            'a\n":nope:"\nb',
        ),
    ],
)
def test_mark_beside_emoji_or_before_the_first_line_is_no_message(text: str, degree: int) -> None:
    whole = messages(text, degree, "other")
    assert not [one for one in whole if re.fullmatch(r'[\s.,!?>"-]+', one)]
    assert all(messages(text, degree, "other", size) == whole for size in (1, 3, 7))


@pytest.mark.parametrize("emoji", LISTS)
@pytest.mark.parametrize(
    ("degree", "expected"),
    [(0, ["hello\nthere\n."]), (1, ["hello", "there."]), (2, ["hello", "there."]), (3, ["hello", "there"])],
)
def test_dot_on_its_own_line_belongs_to_the_line_before(degree: int, expected: list[str], emoji: str) -> None:
    assert messages(NEWLINE, degree, emoji) == expected


@pytest.mark.parametrize(
    ("emoji", "degree", "expected"),
    [
        ("none", 0, [":poggers:\n,\n:xdd:\n,"]),
        ("none", 1, [":poggers:,", ":xdd:,"]),
        ("none", 2, [":poggers:,", ":xdd:,"]),
        ("matching", 0, ["<:poggers:1>\n,\n<:xdd:2>\n,"]),
        *(("matching", degree, ["<:poggers:1>", "<:xdd:2>"]) for degree in (1, 2, 3)),
        *((emoji, degree, []) for emoji in ("other", "off") for degree in DEGREES),
    ],
)
def test_shortcodes_are_whole_converted_or_gone(emoji: str, degree: int, expected: list[str]) -> None:
    assert messages(EMOJI, degree, emoji) == expected


def test_shortcode_is_never_cut_at_degree_3_without_a_list() -> None:
    # The humanizer may remove a comma, but a shortcode is whole.
    shown = messages(EMOJI, 3, "none")
    assert [text.rstrip(",") for text in shown] == [":poggers:", ":xdd:"]


@pytest.mark.parametrize("emoji", LISTS)
@pytest.mark.parametrize("degree", DEGREES)
def test_long_paragraph_is_cut_at_sentence_ends(degree: int, emoji: str) -> None:
    shown = messages(LONG, degree, emoji)
    assert len(LONG) > 1500
    # The humanizer removes the last full stop of a message at degree 3.
    ends = "lighthouse." if degree < 3 else "lighthouse"
    assert len(shown) > 1 or len(LONG) < 1950
    assert all(text.endswith(ends) for text in shown)
    assert all(text.lower().startswith("sentence number") for text in shown)


@pytest.mark.parametrize("emoji", LISTS)
@pytest.mark.parametrize(("degree", "count"), [(0, 1), (1, 2), (2, 2), (3, 8)])
def test_short_sentences_are_messages_at_degree_3_only(degree: int, count: int, emoji: str) -> None:
    shown = messages(SHORT, degree, emoji)
    assert len(shown) == count
    if degree < 3:
        assert "\n".join(shown) == SHORT
    else:
        assert [text.lower() for text in shown] == [
            *("i woke up", "the sun was out", "i made tea", "it was hot"),
            *("the cat came in", "she slept", "i read", "then it rained"),
        ]
