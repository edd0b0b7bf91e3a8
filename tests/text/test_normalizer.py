"""The order of the rules, and what is held, halted or shown in front."""

from __future__ import annotations

from typing import Any

import pytest

from streamcord import AnswerContext, Message, Pipeline
from streamcord._events import Boundary, Degree, Dropped, Halt, Replaced, Segment
from streamcord._settings import Emoji, Person, Persona, Settings, Sprite, read_settings
from streamcord._text.normalizer import Normalizer, TextRules
from streamcord._text.traced_text import NormalizedSegment, TracedText
from whole_texts import messages_of

LUNA = Persona("Luna", ("Moon",), sprites=(Sprite("mad"),))
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def said(texts: list[str], **values: Any) -> list[str]:
    """What comes of segments: texts as they are said, other events by their names, `|` before the flush."""
    settings, context = read_settings(values)
    normalizer = Normalizer(settings, context=context)
    found: list[str] = []
    at = 0
    for text in texts:
        ticks = 3 if text.startswith("```") else 0
        segment = Segment(text, Boundary.NEWLINE, ((at, at + len(text)),), ticks=ticks)
        found += [tell(event) for event in normalizer.feed(segment, [])]
        at += len(text)
    return [*found, "|", *(tell(event) for event in normalizer.flush())]


def tell(event: NormalizedSegment | Dropped | Replaced | Halt) -> str:
    match event:
        case NormalizedSegment():
            label = event.speaker.label if event.speaker else ""
            return label + ("<table>" if event.figure else event.traced.text)
        case Dropped():
            return f"{event.reason}: {event.text!r}"
        case Replaced():
            return f"{event.rule}: {event.before!r}"
        case Halt():
            return f"halt: {event.reason}"


def test_emoji_and_people_are_named_without_each_other() -> None:
    people, emoji = [{"id": 1, "handle": "al"}], [{"name": "x1", "id": 11}]
    assert said(["@al :x1:\n"], people=people) == ["<@1> :x1:\n", "|"]
    assert said(["@al :x1:\n"], emoji=emoji) == ["@al <:x1:11>\n", "|"]
    assert said(["@al :x1:\n"], people=people, emoji=emoji) == ["<@1> <:x1:11>\n", "|"]


def test_standard_shortcodes_need_no_list_of_the_server() -> None:
    text = "Hmm :thinking: maybe :nope: at 12:30:45\n"
    assert said([text]) == ["Hmm 🤔 maybe :nope: at 12:30:45\n", "|"]
    assert said([text], emoji=[{"name": "x1", "id": 11}]) == ["Hmm 🤔 maybe at 12:30:45\n", "|"]
    assert messages_of("`:thinking:` std::x::y") == ["`:thinking:` std::x::y"]


def test_without_rules_a_segment_is_said_as_it_is() -> None:
    assert said(["Luna: :x1: @al\n", "...\n"], rules=False, persona=LUNA) == [
        "Luna: :x1: @al\n",
        "...\n",
        "|",
    ]


def test_white_space_is_dropped() -> None:
    assert said(["  \n"]) == ["white space: '  \\n'", "|"]


def test_punctuation_waits_for_what_follows() -> None:
    assert said(["...\n", "?!?\n", "yes\n"]) == ["...\n?!?\nyes\n", "|"]
    assert said(["...\n", "- item\n"]) == ["...\n- item\n", "|"]
    assert said(["...\n"]) == ["|", "...\n"]


def test_a_fragment_is_dropped_unless_it_is_all_there_is() -> None:
    assert said([".\n", "yes\n", ".\n"]) == ["fragment: '.\\n'", "yes\n", "fragment: '.\\n'", "|"]
    assert said([".\n", ",\n"]) == ["fragment: '.\\n'", "|", ",\n"]
    assert said([".\n", "...\n"]) == ["|", "fragment: '.\\n'", "...\n"]


def test_a_label_alone_is_not_said() -> None:
    assert said(["Luna:\n", "hi\n"], persona=LUNA) == ["own name: 'Luna:'", "white space: '\\n'", "hi\n", "|"]


def test_looks_part_a_text_and_code_keeps_them() -> None:
    found = said(["Luna (mad): a (b\nc) d\n", "```\nx\n```\n", "Luna: e\n"], persona=LUNA)
    assert found == ["Luna (mad): a (b\nc) d\n", "Luna (mad): ```\nx\n```\n", "e\n", "|"]
    assert said(["- x\nLuna (mad): y\n"], persona=LUNA) == ["- x\n", "Luna (mad): y\n", "|"]


def test_copied_identities_end_with_their_line() -> None:
    ren = {"persona": LUNA, "personas": [{"name": "Ren"}]}
    assert said(["Luna (Ren): a. ", "b\n", "c\n"], **ren) == [
        "Luna (Ren): a. ",
        "Luna (Ren): b\n",
        "c\n",
        "|",
    ]


def test_the_guard_lets_out_what_was_held_and_drops_the_rest() -> None:
    guarded = {"speaker_guard": "known", "persona": LUNA}
    found = said(["hi\n", "...\n", "User: x\n", "more\n"], **guarded)
    assert found[:3] == ["hi\n", "...\n", "halt: speaker_guard"]
    assert found[3:] == ["speaker_guard: 'User: x\\n'", "speaker_guard: 'more\\n'", "|"]
    parted = said(["hi\n", "- a\nUser: @al\nLuna: b\n"], people=[{"id": 1, "handle": "al"}], **guarded)
    assert parted == [
        "hi\n", "- a\n", "halt: speaker_guard", "mention: '@al'", "speaker_guard: 'User: \\n'",
        "speaker_guard: 'Luna: b\\n'", "|",
    ]  # fmt: skip


def test_a_first_line_is_no_foreign_one() -> None:
    assert said(["User: a\n", "b\n"], speaker_guard="known") == ["User: a\n", "b\n", "|"]


def test_a_table_is_said_by_itself_and_the_text_around_it_too() -> None:
    assert said([f"Look (at\nthis)\n{TABLE}"]) == ["Look (at\nthis)\n", "<table>", "|"]
    assert said(["...\n", TABLE]) == ["...\n", "<table>", "|"]
    assert said([TABLE], tables="off") == [TABLE, "|"]


def test_a_prefill_stands_before_a_table() -> None:
    assert said([TABLE], prefill="Sure: ") == ["Sure: ", "<table>", "|"]
    assert said(["A\n", TABLE], prefill="A\nB") == ["A\nBA\n", "<table>", "|"]


@pytest.mark.parametrize(
    ("prefill", "texts", "expected"),
    [
        ("Sure, ", ["Sure, yes\n"], ["Sure, yes\n", "|"]),
        ("Sure, ", ["yes\n", "no\n"], ["Sure, yes\n", "no\n", "|"]),
        ("A\nB\nC", ["A\n", "B\n", "Cat\n"], ["A\nB\nCat\n", "|"]),
        ("A\nB\nC", ["A\n", "X\n"], ["A\nB\nCA\n", "X\n", "|"]),
        ("A\nB\nC", ["A\n", "B\n"], ["|", "A\nB\nC"]),
        ("Luna: ", ["hi\n"], ["hi\n", "|"]),
        ("  ", ["hi\n"], ["hi\n", "|"]),
    ],
)
def test_a_prefill_is_shown_once(prefill: str, texts: list[str], expected: list[str]) -> None:
    assert said(texts, prefill=prefill, persona=LUNA) == expected


def test_degree_0_holds_nothing() -> None:
    assert said(["...\n", "yes\n"], degree=Degree.NONE) == ["...\n", "yes\n", "|"]


def test_words_are_changed_in_the_order_of_the_rules() -> None:
    settings = Settings(uncensor_unicode_space=True, strip_middle_dots=True)
    context = AnswerContext(
        persona=LUNA, emoji=(Emoji("smile", 11),), people=(Person(1, "al"),), recent_messages=(":wave:",)
    )
    text = "Luna: :wave: {{char}} n·o\u2800:smile: [system: x]\n\n\n\n@al a || b #### <|im_end|>\n#### c"
    rules = TextRules(settings, context)
    traced = rules.finish(rules.clean(TracedText.from_spans(text, ((0, len(text)),))))
    assert traced.text == "Luna no <:smile:11>\n\n<@1> a \\|\\| b ####\n**c**"
    assert {edit.rule for edit in traced.edits} == {
        "own name", "emoji repeat", "middle dot", "unicode space", "emoji", "system note", "blank lines",
        "mention", "operator", "end of turn", "convert markdown", "macro",
    }  # fmt: skip


def test_settings_turn_emoji_and_conversion_off() -> None:
    settings = Settings(emoji_usage=False, convert_markdown=False)
    context = AnswerContext(emoji=(Emoji("smile", 11),))
    rules = TextRules(settings, context)
    text = "#### a 😀 :smile: b"
    assert rules.finish(rules.clean(TracedText.from_spans(text, ((0, len(text)),)))).text == "#### a b"


def test_at_degree_0_a_rule_between_words_stays() -> None:
    assert sum("─" in text for text in said(["a\n", "---\n", "b\n"], degree=Degree.NONE)) == 1
    assert sum("─" in text for text in said(["a\n", "---\n"], degree=Degree.NONE)) == 0


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("---\nHi\n---\nyou\n---", ["Hi", "────────────\nyou"]),
        ("Hi\n\n---", ["Hi"]),
        ("Hi\n---\nyou", ["Hi", "────────────\nyou"]),
        ("--- \nHi", ["Hi"]),
    ],
)
def test_a_rule_across_the_page_is_never_a_message(text: str, messages: list[str]) -> None:
    assert messages_of(text, degree=2) == messages


def test_a_held_line_before_a_table_is_a_message_of_its_own() -> None:
    first, table = messages_of("...\n\n| a |\n|---|\n| 1 |", degree=2)

    assert (first, table) == ("...", "")


def test_a_rule_at_the_start_of_degree_0_goes() -> None:
    assert messages_of("---\nHi", degree=0) == ["Hi"]


def test_what_is_held_is_said_in_the_look_that_said_it() -> None:
    persona = Persona("Luna", sprites=(Sprite("mad"), Sprite("happy")))
    text = "Luna (mad): Hmph.\n...\nLuna (happy): ok!"

    assert messages_of(text, degree=2, persona=persona) == ["Hmph.", "...", "ok!"]


def test_a_rule_of_the_user_is_asked_behind_the_others() -> None:
    pipeline = Pipeline(Settings(), rules=[lambda text: text.sub("a", "b")])
    events = [*pipeline.feed("a cat"), *pipeline.flush()]

    assert [event.content for event in events if isinstance(event, Message)] == ["b cbt"]


SECRET = "zq8Kd0-mysecretkey_77LxP"


@pytest.mark.parametrize("rules", [True, False])
@pytest.mark.parametrize(
    "text", ["a gsk_aB3dE5gH7jK9mN1pQ2rS4tU6 b", "```\ngsk_aB3dE5gH7jK9mN1pQ2rS4tU6\n```"]
)
def test_what_looks_like_a_secret_goes_with_and_without_rules_and_in_code(text: str, *, rules: bool) -> None:
    (shown,) = messages_of(text, rules=rules)

    assert shown == text.replace("gsk_aB3dE5gH7jK9mN1pQ2rS4tU6", "[removed]")


def test_a_known_secret_that_rules_put_together_goes() -> None:
    parted = f"It is {SECRET[:7]}<|im_end|>{SECRET[7:14]}!"

    assert messages_of(parted, secrets=(SECRET,)) == ["It is [removed]!"]


def test_a_link_over_two_lines_of_one_message_does_not_pretend_either() -> None:
    assert messages_of("[bank.com\n](https://evil.example)", degree=0) == [
        "[bank.com\n] (https://evil.example)"
    ]


def test_a_link_that_a_tool_call_interrupts_is_none() -> None:
    pipeline = Pipeline()
    pipeline.feed("See [bank.com")
    pipeline.flush(Boundary.TOOL_CALL)
    late = [*pipeline.feed("and](https://evil.example)"), *pipeline.flush()]
    assert [event.content for event in late if isinstance(event, Message)] == ["and](https://evil.example)"]


@pytest.mark.parametrize("rules", [True, False])
def test_links_follow_the_policy_with_and_without_rules(*, rules: bool) -> None:
    text = "[a](https://a.example) or https://b.example"
    known = messages_of(text, rules=rules, links="known", link_hosts=["a.example"])

    assert known == ["[a](https://a.example) or `https://b.example`"]
    assert messages_of(text, rules=rules, links="none") == ["a (`https://a.example`) or `https://b.example`"]
    assert messages_of(text, rules=rules) == [text]


def test_a_rule_waits_for_what_follows_it() -> None:
    assert said(["a\n", "---\n", "b\n"]) == ["a\n", "────────────\n", "b\n", "|"]
    assert said(["a\n", "---\n", "***\n", "b\n"]) == ["a\n", "rule: '---\\n'", "────────────\n", "b\n", "|"]
    assert said(["a\n", "---\n---\nb\n"]) == ["a\n", "rule: '---\\n'", "────────────\nb\n", "|"]
    assert said(["---\n***\na\n", "---\n"]) == [
        "rule: '---\\n'",
        "rule: '***\\n'",
        "a\n",
        "|",
        "rule: '---\\n'",
    ]
    assert said(["--- a\n"]) == ["--- a\n", "|"]
