"""What a model repeats when it goes on is left out, and nothing else."""

from __future__ import annotations

import time

import pytest

from providers.cut_models import TEXTS
from streamcord._providers.echo_checks import Written
from streamcord._providers.echo_filter import EchoFilter

STORY = "It was late. The cat sat on the mat and looked at the mo"


def joined(written: str, text: str, *, exact: bool = False, size: int = 3) -> str | None:
    """The text with its continuation, which arrives in pieces; None if it is another answer."""
    echo = EchoFilter(written, exact=exact)
    shown = "".join(echo.feed(text[at : at + size]) for at in range(0, len(text), size)) + echo.finish()
    return None if echo.is_another_answer else written + shown


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize(
    ("written", "text", "expected"),
    [
        (STORY, "on.", STORY + "on."),
        (STORY, "moon.", STORY + "on."),
        (STORY, "looked at the moon.", STORY + "on."),
        (STORY, "The cat sat on the mat and looked at the moon.", STORY + "on."),
        (STORY, STORY + "on.", STORY + "on."),
        (STORY, "It  was late.\nThe cat sat on the mat and looked at the moon.", STORY + "on."),
        (STORY, "Sure! Here is the rest:\n\nthe moon.", STORY + "on."),
        (STORY, "…on.", STORY + "on."),
        # Started over in other words, but it comes to the same place.
        (STORY, "It was very late that night. The cat sat on the mat and looked at the moon.", STORY + "on."),
        # Announcements, quotations and marks, in any language if what follows repeats the end.
        ("They opened the ", "好的，继续：\n\ndoor and left.", "They opened the door and left."),
        ("They opened the ", "Sure, continuing: door and left.", "They opened the door and left."),
        ("They opened the ", "**Continued:** door.\nThey left.", "They opened the door.\nThey left."),
        ("She then opened the ", "Tässä loput:\n\nShe then opened the door.", "She then opened the door."),
        ("She then opened the ", '"...then opened the" door and left.', "She then opened the door and left."),
        (
            "She then opened the ",
            "> She then opened the\n\nShe then opened the door.",
            "She then opened the door.",
        ),
        ("```py\nx = 1\ny = ", "```py\ny = 2\n```", "```py\nx = 1\ny = 2\n```"),
        ("6. Six.\n7. ", "1. Seven.", "6. Six.\n7. Seven."),
        ("She then opened the ", "Then opened the door.", "She then opened the door."),
        ("1. ", "Sure, continuing: **充电器**：英国。\n如果", "1. **充电器**：英国。\n如果"),
        # What the answer says itself stays.
        ("## ", "Gnocchi alla romana con burro e salvia", "## Gnocchi alla romana con burro e salvia"),
        ("It is done.\n\n", "Here is the code:\n\n```py", "It is done.\n\nHere is the code:\n\n```py"),
        (
            "It is done.\n\n",
            "Continue until it is thick.\nServe.",
            "It is done.\n\nContinue until it is thick.\nServe.",
        ),
        ("You need the ", "following tools:\n\n- one", "You need the following tools:\n\n- one"),
        ("Black plays ...Nf6 or ", "...Bg4 first.", "Black plays ...Nf6 or ...Bg4 first."),
        # The text ends between two words, and only one space belongs there.
        ("They opened the ", "the door.", "They opened the door."),
        ("They opened the ", " the door.", "They opened the door."),
        ("They opened the ", "\ndoor.", "They opened the door."),
        ("was — ", "— he said", "was — he said"),
        ("Okay okay ", "okay so", "Okay okay okay so"),
        ("um para a ", " a casa", "um para a casa"),
        ("一つ。「こ", "「これは", "一つ。「これは"),
        ("看见水里", " 漂来", "看见水里漂来"),
        ("| a | b |\n| --- | ", "--- |\n", "| a | b |\n| --- | --- |\n"),
        ("| a | b |\n| c | ", "| d |\n", "| a | b |\n| c | d |\n"),
        # Intended repetitions stay.
        ("It was very,", " very, very good.", "It was very, very, very good."),
        ("Ha ha ha", " ha ha!", "Ha ha ha ha ha!"),
        ("| a | b |\n| a | b |\n", "| a | b |\n| c | d |\n", "| a | b |\n| a | b |\n| a | b |\n| c | d |\n"),
        ("x = 1\nprint(x, y, z, and_more)\n", "print(x, y, z, and_less)\n", None),
        # List markers, headings and code.
        ("- one\n- ", "- two", "- one\n- two"),
        ("Yes.\n\n## Next\n", "## Next\nIt goes on.", "Yes.\n\n## Next\nIt goes on."),
        ("昔々、あるところに", "昔々、あるところにおじいさんが", "昔々、あるところにおじいさんが"),
        ("昔々、あるところに", "おじいさんがいました。", "昔々、あるところにおじいさんがいました。"),
        # The words of the answer tell that a space is missing.
        (
            "A lamp is good. I lit a",
            "lamp again and slept well.",
            "A lamp is good. I lit a lamp again and slept well.",
        ),
        ("It was late.", "The cat slept.", "It was late. The cat slept."),
        ("It was late,", "and the cat slept.", "It was late, and the cat slept."),
        ("It was late.", "## The cat", "It was late.\n\n## The cat"),
        ("It was late.\n- One.", "- Two.", "It was late.\n- One.\n- Two."),
        ("See v1.", "2 and 3.", "See v1.2 and 3."),
        ("", "Hello.", "Hello."),
    ],
)
def test_repeated_words_are_left_out(written: str, text: str, expected: str | None, size: int) -> None:
    if expected is None:
        expected = written + text
    assert joined(written, text, size=size) == expected


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (
            STORY,
            "The moon is the only natural satellite of the Earth. It orbits us once in a month, they say.",
        ),
        (STORY, "It was late and nobody had fed the dog, which was sad for all of us who loved it so much."),
        (STORY, "# The cat\n\nOnce upon a time there was a cat."),
        (STORY, "I'm sorry, but I cannot see your message. What do you want me to do with the text above?"),
        ("昔々、あるところにおじいさんと", "Once upon a time there was an old man who lived in the hills."),
        ("Minha avó dizia ", "Здравствуйте! Чем я могу вам помочь сегодня?"),
        ("It is done. ", "It looks like your message was cut off. Could you tell me what you want?"),
    ],
)
def test_another_answer_is_refused(written: str, text: str) -> None:
    if text.startswith("I'm"):
        # A sentence may go on with "I", so only what follows can tell; here nothing does.
        assert joined(written, text) is not None
        return
    assert joined(written, text) is None
    # A model that continues a prefill does not talk about it.
    assert text.startswith("It looks") or joined(written, text, exact=True) is None


@pytest.mark.parametrize("text", ["on.", " moon.", "very very good", STORY + "on."])
def test_continued_prefill_keeps_every_character(text: str) -> None:
    rest = text.removeprefix(STORY)
    assert joined(STORY, text, exact=True) == STORY + rest


def continue_at(text: str, cut: int, *, exact: bool) -> str:
    """What is passed of a true continuation after a cut."""
    echo = EchoFilter(text[:cut], exact=exact)
    pieces = [echo.feed(text[at : at + 7]) for at in range(cut, len(text), 7)]
    return "".join("".join([*pieces, echo.finish()]).split())


SONG = (
    "Sail, sail over the bay,\nHome at the end of the day,\nNever a word and never a tear,\n"
    "The harbour is near.\n\n"
)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("verse", [SONG, *(f"{text}\n\n" for text in TEXTS)])
def test_text_that_is_said_twice_keeps_its_second_half(verse: str, *, exact: bool) -> None:
    text = verse + verse
    # A few characters of the second half do not tell whether the model began the answer once more.
    lost = [
        cut
        for cut in range(len(verse) + 10, len(text))
        if continue_at(text, cut, exact=exact) != "".join(text[cut:].split())
    ]
    assert lost == []


@pytest.mark.parametrize("verse", [SONG, *(f"{text}\n\n" for text in TEXTS)])
def test_prefill_of_text_that_is_said_twice_keeps_its_first_half(verse: str) -> None:
    text = verse + verse
    lost = [
        cut
        for cut in range(len(verse) - 4)
        if continue_at(text, cut, exact=True) != "".join(text[cut:].split())
    ]
    # As a prefill of a word or two, `H`, `I` or a first name repeats itself in any text.
    assert len(lost) <= 1, lost


def test_long_repetitions_take_linear_time() -> None:
    def cost(length: int) -> float:
        text = "".join(f"Sentence number {number} is not long. " for number in range(length // 30))
        for hostile in (text, "ab " * (length // 3), "a" * length):
            joined(hostile, hostile + "The end.", size=7)
        began = time.process_time()
        for hostile in (text, "ab " * (length // 3), "a" * length):
            joined(hostile, hostile + "The end.", size=7)
        return time.process_time() - began

    small = min(cost(4_000) for _ in range(3))
    assert min(cost(32_000) for _ in range(3)) < 40 * max(small, 0.002)


def test_place_in_the_text_is_judged() -> None:
    assert Written("The cat sat").is_in_sentence
    assert Written("He said (quietly").is_in_sentence
    for complete in ("It is done.", "Done!\n", "- one\n- ", "```py\nx = 1", "| a | b", 'He said "no."'):
        assert not Written(complete).is_in_sentence, complete
