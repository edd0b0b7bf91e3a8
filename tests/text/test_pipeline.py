"""The pipeline: text in, messages out, the same in every slicing, with every character accounted for."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from streamcord import AnswerContext, Emoji, Person, Persona, Settings
from streamcord._events import Boundary, Captured, Degree, Dropped, Halt, Message, Replaced, TurnEvent
from streamcord._settings import read_settings
from streamcord._text.pipeline import BATCH_CHARS, BATCH_SEGMENTS, EXCESS_CHARS, Pipeline
from streamcord.utils import clean_tool_text

T = "```"


def run(
    text: str, pieces: list[str] | None = None, boundary: Boundary = Boundary.FINAL, **settings: Any
) -> list[TurnEvent]:
    settings = {"humanize": False, "typing": "off", **settings}
    chosen, context = read_settings(settings)
    pipeline = Pipeline(chosen, Random(0), context=context)
    events: list[TurnEvent] = []
    for piece in [text] if pieces is None else pieces:
        events += pipeline.feed(piece)
    return events + pipeline.flush(boundary)


def every_way(text: str, boundary: Boundary = Boundary.FINAL, **settings: Any) -> list[TurnEvent]:
    """The events of a text, which are the same in every slicing and account for all of it."""
    whole = run(text, None, boundary, **settings)
    for size in (1, 2, 3, 7, 50):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert run(text, pieces, boundary, **settings) == whole
    assert run_in_shares(text, boundary, **settings) == whole
    spans: list[tuple[int, int]] = []
    for event in whole:
        if not isinstance(event, Halt):
            spans += event.spans
        if isinstance(event, Message):
            spans += [span for edit in event.edits for span in edit.spans]
    assert sorted(at for start, end in spans for at in range(start, end)) == list(range(len(text)))
    return whole


def run_in_shares(text: str, boundary: Boundary = Boundary.FINAL, **settings: Any) -> list[TurnEvent]:
    chosen, context = read_settings({"humanize": False, "typing": "off", **settings})
    pipeline = Pipeline(chosen, Random(0), context=context)
    events = pipeline.feed_deferred(text)
    while pipeline.has_backlog:
        events += pipeline.process_batch()
    events += pipeline.flush_deferred(boundary)
    while pipeline.has_backlog:
        events += pipeline.process_batch()
    return events


def contents(events: list[TurnEvent]) -> list[str]:
    return [event.content for event in events if isinstance(event, Message)]


def records(events: list[TurnEvent]) -> list[tuple[str, str]]:
    """What was captured and dropped."""
    found: list[tuple[str, str]] = []
    for event in events:
        if isinstance(event, Captured):
            found.append((event.kind, event.text))
        elif isinstance(event, Dropped):
            found.append((event.reason, event.text))
    return found


MESSAGES: dict[str, list[str]] = {
    "Hello there.\nHow are you?": ["Hello there.", "How are you?"],
    "  Hello  \n\n\n  you \n": ["Hello", "  you"],
    "wait\n...\nok": ["wait", "...\nok"],
    "hello\n.\nthere": ["hello.", "there"],
    f"Sure! {T}py\nx=1\n{T} done\nnext": ["Sure!", f"{T}py\nx=1\n{T}", "done", "next"],
    f"`{T}md\n{T}js\nx\n{T}\n`{T}\nafter": [f"{T}md\n`\u200b`\u200b`js\nx\n`\u200b`\u200b`\n{T}", "after"],
    "a || b\nit was ||Bob||": [r"a \|\| b", "it was ||Bob||"],
    "see 2*3, 5 *stars and **bo": ["see 2*3, 5 *stars and **bo**"],
    "": [],
    " \n ": [],
    "1 < 2 and 2 > 1": ["1 < 2 and 2 > 1"],
}


@pytest.mark.parametrize(("text", "expected"), MESSAGES.items())
def test_a_text_becomes_these_messages(text: str, expected: list[str]) -> None:
    assert contents(every_way(text)) == expected


@pytest.mark.parametrize(
    ("degree", "expected"),
    [
        (0, ["One. Two\nThree"]),
        (1, ["One. Two", "Three"]),
        (2, ["One. Two", "Three"]),
        (3, ["One.", "Two", "Three"]),
    ],
)
def test_a_degree_decides_how_much_is_one_message(degree: int, expected: list[str]) -> None:
    assert contents(every_way("One. Two\nThree", degree=degree)) == expected


def test_a_message_leaves_as_soon_as_it_is_certain() -> None:
    pipeline = Pipeline()
    assert pipeline.feed("Hello") == pipeline.feed("\n") == pipeline.feed("") == []
    assert contents(pipeline.feed("y")) == ["Hello"]
    assert contents(pipeline.flush()) == ["y"]


def test_defaults_are_plain_settings_and_a_fixed_seed() -> None:
    text = "One.\nTwo.\nThree.\nFour."
    first, second = Pipeline(), Pipeline(Settings(), Random(0))
    assert [*first.feed(text), *first.flush()] == [*second.feed(text), *second.flush()]


def test_chance_comes_from_the_random_that_is_given() -> None:
    text = "One, two, three, four.\nFive, six, seven, eight."
    seen = set()
    for seed in range(5):
        pipeline = Pipeline(Settings(degree=Degree.HEAVY), Random(seed))
        seen.add(str([*pipeline.feed(text), *pipeline.flush()]))
    assert len(seen) > 1


# --- Thoughts -------------------------------------------------------------------------------------------

THOUGHTS: dict[str, tuple[list[str], list[tuple[str, str]]]] = {
    "Hello <think>x</think> world": (["Hello world"], [("think", "x"), ("white space", " ")]),
    "<think>x</think>\n\nHello": (["Hello"], [("think", "x")]),
    "so it is</think>Hello\nyou": (["Hello", "you"], [("think", "so it is")]),
    "One.\nTwo</think> three": (["One.", "Two three"], [("stray tag", "</think>")]),
    "One</details> two": (["One two"], [("stray tag", "</details>")]),
    "Use `<think>` now. <think>plan `x` </think>Done": (["Use `<think>` now. Done"], [("think", "plan `x`")]),
    "a ` b <think>x</think> c\nd": (["a ` b c", "d"], [("think", "x"), ("white space", " ")]),
    f"{T}\n<think>\n{T}\nx": ([f"{T}\n<think>\n{T}", "x"], []),
    "a\n<details>b</details>": (["a"], [("details", "b")]),
}


@pytest.mark.parametrize(("text", "expected"), THOUGHTS.items())
def test_thoughts_and_details_are_no_messages(
    text: str, expected: tuple[list[str], list[tuple[str, str]]]
) -> None:
    events = every_way(text, details="memory")
    assert (contents(events), records(events)) == expected


def test_a_message_with_a_thought_inside_has_two_ranges() -> None:
    (message,) = [event for event in every_way("Hello<think>x</think> world") if isinstance(event, Message)]
    assert message.spans == ((0, 5), (21, 27))


def test_an_answer_may_begin_in_a_thought() -> None:
    events = every_way("hm\n</think>\nHello", starts_in_thought=True)
    assert (contents(events), records(events)) == (["Hello"], [("think", "hm")])


# --- Repairs --------------------------------------------------------------------------------------------

REPAIRED: dict[str, list[str]] = {
    "a\r\nb\r\n": ["a", "b"],
    "a\ud83d\ude00b": ["a😀b"],
    "a\0b\ud800": ["ab\ufffd"],
    "\0": [],
    "a \0": ["a"],
    "\0\0a\nb": ["a", "b"],
    "a\n\0\nb": ["a", "b"],
    "a\r<think>x\r\ny</think>\r\nb": ["a", "b"],
    "a <thi\0nk>x</think> b": ["a b"],
}


@pytest.mark.parametrize(("text", "expected"), REPAIRED.items())
def test_odd_characters_are_repaired_and_recorded(text: str, expected: list[str]) -> None:
    assert contents(every_way(text)) == expected


def test_a_repair_is_reported_with_its_message() -> None:
    first, second = every_way("a\0b\nc\r\n")
    assert isinstance(first, Message)
    assert isinstance(second, Message)
    assert first.edits == (Replaced("repair", "\0", "", ((1, 2),)),)
    assert second.edits == (Replaced("repair", "\r", "", ((5, 6),)),)


def test_a_repair_right_behind_a_message_belongs_to_the_next() -> None:
    first, second = [event for event in every_way("a\n\0b") if isinstance(event, Message)]
    assert (first.edits, len(second.edits)) == ((), 1)


def test_a_repair_without_message_is_reported_alone() -> None:
    assert every_way("\0") == [Replaced("repair", "\0", "", ((0, 1),))]


# --- Phases ---------------------------------------------------------------------------------------------


def test_before_a_tool_call_everything_stays() -> None:
    events = every_way("Sure! Let me look", Boundary.TOOL_CALL)
    assert (contents(events), records(events)) == (["Sure! Let me look"], [])


def test_an_unfinished_clause_is_left_out_before_a_tool_call_if_that_is_wanted() -> None:
    pipeline = Pipeline(Settings(clause_trim=True))
    events = [*pipeline.feed("Sure! Let me look"), *pipeline.flush(Boundary.TOOL_CALL)]
    assert (contents(events), records(events)) == (["Sure!"], [("incomplete clause", "Let me look")])


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_a_second_flush_gives_nothing_and_feeding_goes_on(degree: int) -> None:
    pipeline = Pipeline(Settings(degree=Degree(degree), humanize=False))
    assert contents([*pipeline.feed(f"One\n{T}py\nx"), *pipeline.flush(Boundary.TOOL_CALL)])
    assert pipeline.flush() == []
    events = [*pipeline.feed("<think>hm</think>\nThree"), *pipeline.flush()]
    assert (contents(events), records(events)) == (["Three"], [("think", "hm")])
    (message,) = [event for event in events if isinstance(event, Message)]
    assert message.spans == ((28, 34),)
    assert not message.reply


def test_white_space_at_the_end_of_a_phase_is_accounted_for() -> None:
    events = every_way("One \n" + " " * 200 + "\n")
    assert contents(events) == ["One"]


# --- The voice ------------------------------------------------------------------------------------------


def test_the_own_name_is_not_shown() -> None:
    events = every_way("Luna: hi\nLuna: <think>x</think>you", persona=Persona("Luna"))
    assert contents(events) == ["hi", "you"]


# --- Caps -----------------------------------------------------------------------------------------------


def test_an_answer_is_read_up_to_its_cap() -> None:
    events = every_way("One two\nthree four", answer_cap=11)
    assert contents(events) == ["One two", "thr"]
    assert [event for event in events if isinstance(event, Halt)] == [Halt("answer_cap")]
    assert records(events) == [("answer_cap", "ee four")]


def test_an_answer_that_is_as_long_as_its_cap_is_whole() -> None:
    assert contents(every_way("One two", answer_cap=7)) == ["One two"]
    assert not any(isinstance(event, Halt) for event in every_way("One two", answer_cap=7))


def test_no_cap_is_no_cap() -> None:
    assert contents(every_way("One", answer_cap=0)) == ["One"]


def test_white_space_before_the_cap_belongs_to_the_answer() -> None:
    events = every_way("One  \n two", answer_cap=5)
    assert (contents(events), records(events)) == (["One"], [("answer_cap", "\n two")])


def test_what_comes_behind_the_cap_is_let_go_of_in_pieces() -> None:
    pipeline = Pipeline(Settings(answer_cap=10))
    pipeline.feed("x" * 10)
    dropped = pipeline.feed("y" * 3 * EXCESS_CHARS)
    assert [len(event.text) for event in dropped if isinstance(event, Dropped)] == [EXCESS_CHARS] * 3
    assert pipeline.feed("z") == []
    assert [event.text for event in pipeline.flush() if isinstance(event, Dropped)] == ["z"]


def test_text_after_the_message_cap_is_reported_as_dropped() -> None:
    events = every_way("One.\nTwo.\nThree.\n", send_message_limit=1)
    assert contents(events) == ["One."]
    assert records(events) == [("send_message_limit", "Two.\n"), ("send_message_limit", "Three.\n")]
    assert [event for event in events if isinstance(event, Halt)] == [Halt("send_message_limit")]


def test_a_halt_comes_behind_the_words_before_it_even_if_they_wait() -> None:
    events = every_way("Hello there.\nUser: hi", degree=Degree.NONE, speaker_guard="any")
    assert contents(events) == ["Hello there."]
    assert [type(event) for event in events[:2]] == [Message, Halt]


def test_segments_are_counted() -> None:
    pipeline = Pipeline(Settings(), Random(0))
    pipeline.feed("One.\nTwo.\nThree.")
    pipeline.flush()
    assert pipeline.segments == 3


def test_a_text_is_cleaned_as_an_answer_is() -> None:
    context = AnswerContext(
        persona=Persona("Luna"),
        emoji=(Emoji("smile", 11), Emoji("wave", 22)),
        people=(Person(1, "alice"),),
        recent_messages=("hi :wave:",),
    )
    assert (
        clean_tool_text("Luna: hi @alice :smile: :wave:<|im_end|>", context=context) == "hi <@1> <:smile:11>"
    )


def test_rules_that_speak_of_a_stream_do_not_run() -> None:
    settings = Settings(speaker_guard="any")
    context = AnswerContext(prefill="Sure")
    assert clean_tool_text("Note: #### x ...", settings, context=context) == "Note: #### x ..."
    assert clean_tool_text("") == ""


def test_no_rule_of_the_user_has_failed_where_there_is_none() -> None:
    assert Pipeline(Settings()).failed_rules == {}


def test_a_rule_of_the_user_that_raises_is_named() -> None:
    def broken(text: object) -> list[tuple[int, int, str]]:
        raise ValueError(text)

    pipeline = Pipeline(Settings(), rules=[broken])
    events = [*pipeline.feed("Hi."), *pipeline.flush()]

    assert [event.content for event in events if isinstance(event, Message)] == ["Hi."]
    assert list(pipeline.failed_rules) == ["broken"]


SECRET = "zq8Kd0-mysecretkey_77LxP"
LOOKS_SECRET = "gsk_aB3dE5gH7jK9mN1pQ2rS4tU6"


def test_known_secrets_are_shown_nowhere_in_any_slicing() -> None:
    text = f"Hi {SECRET}.\n{T}sh\nKEY={SECRET}\n{T}\n<think>{SECRET}</think>Bye {SECRET[:12]}"
    whole = run(text, secrets=(SECRET,))

    assert whole == run(text, list(text), secrets=(SECRET,))
    shown = [event.content for event in whole if isinstance(event, Message)]
    assert shown == ["Hi [removed].", f"{T}sh\nKEY=[removed]\n{T}", "Bye [removed]"]
    assert [event.text for event in whole if isinstance(event, Captured)] == ["[removed]"]


def test_what_is_dropped_says_of_a_secret_only_how_long_it_was() -> None:
    events = run(f"One two. {LOOKS_SECRET} {SECRET}", answer_cap=8, secrets=(SECRET,))
    events += run(f"Done. {LOOKS_SECRET}", None, Boundary.TOOL_CALL, clause_trim=True)
    dropped = [event.text for event in events if isinstance(event, Dropped) and event.text.strip()]

    assert [text.strip() for text in dropped] == [f"{'*' * 28} {'*' * 24}", "*" * 28]


def test_a_secret_that_a_block_parts_is_found_when_it_is_gone() -> None:
    text = f"It is {SECRET[:6]}<think>x</think>{SECRET[6:12]}."

    assert [event.content for event in run(text, secrets=(SECRET,)) if isinstance(event, Message)] == [
        "It is [removed]."
    ]


def test_what_a_tool_says_has_no_secrets() -> None:
    assert clean_tool_text(f"{SECRET} {LOOKS_SECRET}", Settings(secrets=(SECRET,))) == "[removed] [removed]"


def test_what_a_tool_posts_counts_as_a_message_of_the_turn() -> None:
    pipeline = Pipeline(Settings(message_cap=2))

    assert [pipeline.count_post() for _ in range(3)] == [[], [], [Halt("message_cap")]]


def test_what_is_certain_of_a_message_that_grows_can_be_asked_for() -> None:
    pipeline = Pipeline(Settings(delivery="live"))
    assert pipeline.feed("One line.\nTwo lines.\nThr") == []
    assert pipeline.has_grown()
    draft = pipeline.draft()
    assert draft is not None
    assert draft.message.content == "One line.\nTwo lines."
    assert [event.content for event in pipeline.finalize(1) if isinstance(event, Message)] == ["One line."]


def test_a_pipeline_of_bubbles_has_nothing_that_grows() -> None:
    pipeline = Pipeline(Settings())
    pipeline.feed("One line.\nTwo lines.\nThr")
    assert (pipeline.has_grown(), pipeline.draft(), pipeline.finalize(1)) == (False, None, [])


def test_lines_are_left_whole_for_rules_of_others() -> None:
    text = "Hi.\nThe river runs down to the sea and on and on it goes. And on"
    alone, helped = (
        Pipeline(Settings(delivery="live")),
        Pipeline(Settings(delivery="live"), rules=[lambda _: []]),
    )
    alone.feed(text)
    helped.feed(text)
    own, theirs = alone.draft(), helped.draft()
    assert own is not None
    assert theirs is not None
    assert len(own.message.content) > len(theirs.message.content)


# --- In shares --------------------------------------------------------------------------------------------


def share_sizes(pipeline: Pipeline) -> list[int]:
    """How many segments each share of what is left has."""
    sizes = []
    while pipeline.has_backlog:
        begun = pipeline.segments
        pipeline.process_batch()
        sizes.append(pipeline.segments - begun)
    return sizes


def test_what_is_much_work_is_done_in_shares() -> None:
    pipeline = Pipeline(Settings(message_cap=0))

    assert pipeline.feed_deferred("Word.\n" * 500) == []
    assert share_sizes(pipeline) == [BATCH_SEGMENTS] * (499 // BATCH_SEGMENTS) + [499 % BATCH_SEGMENTS]
    assert (pipeline.buffered_chars, pipeline.process_batch()) == (len("Word.\n") - 1, [])


def test_long_segments_make_a_share_of_few() -> None:
    pipeline = Pipeline(Settings(message_cap=0, table_split_length=BATCH_CHARS // 2))
    pipeline.feed_deferred(f"{'word ' * 100}\n" * 8)

    assert max(share_sizes(pipeline)) == -(-BATCH_CHARS // 501)


def test_the_end_of_an_answer_is_in_shares_too() -> None:
    pipeline = Pipeline(Settings(message_cap=0, degree=Degree.HEAVY, humanize=False))
    pipeline.feed("```\n")
    pipeline.flush_deferred()

    assert pipeline.has_backlog
    assert len(share_sizes(pipeline)) == 1


@pytest.mark.parametrize("ask", ["feed", "flush", "finalize"])
def test_who_does_not_wait_for_a_share_gets_all_that_is_left(ask: str) -> None:
    pipeline = Pipeline(Settings(message_cap=0, delivery="live" if ask == "finalize" else "messages"))
    pipeline.feed_deferred("Word.\n" * 500)
    events = (
        pipeline.feed_deferred("")
        if ask == "feed"
        else pipeline.flush()
        if ask == "flush"
        else pipeline.finalize(0)
    )
    said = "".join(contents(events))

    assert not pipeline.has_backlog
    assert said.count("Word.") >= 300


def test_a_cap_comes_behind_the_words_that_were_left() -> None:
    pipeline = Pipeline(Settings(message_cap=0, answer_cap=1024))
    events = pipeline.feed_deferred("Word.\n" * 100)
    events += pipeline.feed_deferred("Word.\n" * 100)

    assert events[-1] == Halt("answer_cap")
    assert contents(events) == ["Word."] * 170


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize(
    "opened",
    ["\\(" + "x + " * 40, "<:" + "a" * 20, "https://a.b/c", "[a](https://a.b/", "`a", "||a", "a\n\n"],
)
def test_whatever_is_waited_for_may_come_in_any_pieces(opened: str, degree: int) -> None:
    events = every_way(f"{opened} b) c> d` e|| f\n\ng. Then h<think>no</think> i\n", degree=degree)
    assert "no" not in "".join(contents(events)).split()


@pytest.mark.parametrize("degree", range(4))
@pytest.mark.parametrize(
    "text",
    ["Use `a b` now.\nAnd ``c ` d`` too.\n", "Here: ```py\nx\n``` and `y`.\nEnd.", "One ` alone.\nTwo."],
)
def test_backticks_at_the_edges_of_tokens_mean_what_they_mean(text: str, degree: int) -> None:
    whole = Pipeline(Settings(degree=Degree(degree)))
    expected = [*whole.feed(text), *whole.flush()]
    for size in (1, 2, 3, 4):
        sliced = Pipeline(Settings(degree=Degree(degree)))
        events = [one for at in range(0, len(text), size) for one in sliced.feed(text[at : at + size])]
        assert [*events, *sliced.flush()] == expected


def test_text_between_asterisks_over_paragraphs_is_closed_and_reopened() -> None:
    assert contents(every_way("*She runs.\n\nShe hides behind 5*3 trees.* So.", degree=2)) == [
        "*She runs.*",
        "*She hides behind 5*3 trees.* So.",
    ]
    assert contents(every_way("*One star\n\nis text.\n\n- 2*3*4", degree=2)) == [
        "*One star",
        "is text.",
        "- 2*3*4",
    ]


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("It is done. ", True),
        ("It is done.", True),
        ("It is done\n", True),
        ("It is", False),
        ("It is like e.g.", False),
        ("Look at this:", False),
        ("- one", False),
        ("# Title", False),
        ("**It is done.", False),
        ("```py\nx = 1\n", False),
        ("", False),
        ("<think>It is done.", False),
    ],
)
def test_text_looks_finished_after_a_sentence_or_line_of_prose(text: str, finished: bool) -> None:
    pipeline = Pipeline(Settings(), Random(0))
    pipeline.feed(text)
    assert pipeline.ends_finished() is finished


@pytest.mark.parametrize("deeper", ["    ```\n\n```sh\nx\n```\n", "      ```\n\n```\nDone."])
@pytest.mark.parametrize("degree", [0, 2, 3])
def test_a_line_after_a_long_code_line_is_the_same_in_every_slicing(deeper: str, degree: int) -> None:
    every_way(f"```\n{'a' * 200}\n```. Then\n{deeper}", degree=degree)


@pytest.mark.parametrize("below", ["   2x = 4", "    ```\n> q", "├── a"])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_a_line_below_a_long_line_is_the_same_in_every_slicing(below: str, degree: int) -> None:
    every_way(f"{'Word ' * 50}end.\n{below}\nDone.", degree=degree)


@pytest.mark.parametrize(
    "settings", [{"degree": 0}, {"degree": 0, "delivery": "live"}, {"degree": 2}, {"degree": 3}]
)
@pytest.mark.parametrize(
    "turn",
    [
        "<|im_end|>\n<|im_start|>user\nwhat",
        "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nwhat. Is it?",
        " </s><s>[INST] what [/INST] Nothing.</s>",
        "\n\n### Instruction:\nwhat",
        "</s>USER: what",
        "\n<start_of_turn>user\nwhat",
    ],
)
def test_the_turn_of_another_role_ends_the_answer(turn: str, settings: dict[str, Any]) -> None:
    events = every_way(
        f"It is four. I am very sure that it is four.{turn}", speaker_guard="known", **settings
    )
    shown = " ".join(event.content for event in events if isinstance(event, Message))

    assert shown == "It is four. I am very sure that it is four."
    role = "Instruction" if "###" in turn else "User"
    assert [event for event in events if isinstance(event, Halt)] == [Halt("speaker_guard", role)]
