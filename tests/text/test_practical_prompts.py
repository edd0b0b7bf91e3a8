"""The practical test prompts of the specification: no message is punctuation alone, no shortcode is torn."""

from __future__ import annotations

import re
from typing import Any

import pytest

from streamcord import AnswerContext, Message, Persona, Pipeline, Settings
from whole_texts import messages_of

PUNCTUATION = re.compile(r"[\s.,:;!?…。、，！？]+")
DEGREES = (0, 1, 2, 3)
MATCHING = {"emoji": [{"name": "poggers", "id": 1001}, {"name": "xdd", "id": 1002}]}
OTHER = {"emoji": [{"name": "other", "id": 1003}]}
SERVERS: tuple[dict[str, Any], ...] = (
    {},
    MATCHING,
    OTHER,
    {"emoji_usage": False},
    OTHER | {"emoji_usage": False},
)

LONG = " ".join(
    f"The river number {number} runs past the mill, slow and brown, and nobody asks where it goes."
    for number in range(20)
)
PROMPTS = {
    "newline punctuation": "hello there\n.",
    "emoji and punctuation": ":poggers: ,\n:xdd: ,",
    "emoji and punctuation on lines": ":poggers:\n,\n:xdd:\n,",
    "overflow": LONG,
    "sentence ends": "It rains. We stay. Tea is hot. The cat sleeps.\nBread is old. Lamps glow. No one calls. It ends.",
}


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("server", SERVERS, ids=["no list", "matching", "other", "off", "other and off"])
@pytest.mark.parametrize("prompt", PROMPTS)
def test_no_message_of_a_practical_prompt_is_punctuation_alone(
    prompt: str, server: dict[str, Any], degree: int
) -> None:
    messages = messages_of(PROMPTS[prompt], degree=degree, **server)

    assert [message for message in messages if PUNCTUATION.fullmatch(message)] == []
    # A shortcode is whole, a tag or gone.
    assert all(message.count(":") % 2 == 0 for message in messages)
    assert all(len(message) <= 2000 for message in messages)


@pytest.mark.parametrize("degree", DEGREES)
def test_a_long_paragraph_is_cut_at_sentence_ends(degree: int) -> None:
    messages = messages_of(LONG, degree=degree)

    assert " ".join(messages) == LONG
    assert all(message.endswith(".") for message in messages)


@pytest.mark.parametrize("degree", DEGREES)
def test_words_of_the_prompts_stay(degree: int) -> None:
    assert "".join(messages_of(PROMPTS["newline punctuation"], degree=degree)).startswith("hello there")
    assert len(messages_of(PROMPTS["sentence ends"], degree=degree)) == {0: 1, 1: 2, 2: 2, 3: 8}[degree]
    matching = "".join(messages_of(PROMPTS["emoji and punctuation"], degree=degree, **MATCHING))
    assert "<:poggers:1001>" in matching
    assert "<:xdd:1002>" in matching


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize(
    "leftover", [":nope:.", "Tomori: .", "<|im_end|>.", ":", "</s>.", "Tomori: ,", "[INST] ."]
)
def test_what_cleaning_leaves_is_no_message(leftover: str, degree: int) -> None:
    who = {"persona": {"name": "Tomori"}, **OTHER}

    assert messages_of(leftover, degree=degree, **who) == []
    assert "".join(messages_of(f"Hi!\n{leftover}\nBye!", degree=degree, **who)).replace("\n", "") == "Hi!Bye!"


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_expressive_marks_after_a_label_go_before_the_next_line(degree: int) -> None:
    assert messages_of("Tomori: ...\nhi", degree=degree, persona={"name": "Tomori"}) == ["...\nhi"]


def test_punctuation_left_by_cleaning_stays_in_the_one_text_of_degree_0() -> None:
    context = AnswerContext(persona=Persona("Tomori"))
    pipeline = Pipeline(Settings(degree=0), context=context)
    events = [*pipeline.feed("Hi.\nTomori: ...\nBye."), *pipeline.flush()]
    assert [event.content for event in events if isinstance(event, Message)] == ["Hi.\n...\nBye."]
