"""Rules of one's own: what they see, what they may change, and that no invariant depends on them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

import pytest

from streamcord import Degree, Message, Pipeline, Rule, RuleText, Settings, TurnEvent
from streamcord._text.rules.custom_rules import CustomRules
from streamcord._text.traced_text import TracedText
from streamcord.records import Replaced

TEXT = (
    "Sure! Here is a **list** with a ||secret||:\n- Sure! one\n- two `Sure!`\n\n```py\nSure!\n```\n"
    "Sure! See https://example.com/Sure! and <:Sure:123456789012345678>.\n\nThat was [Sure!](https://example.com)."
)


def drop_sure(text: RuleText) -> list[tuple[int, int, str]]:
    return text.sub(r"Sure!\s*", "")


def no_opening_phrase(text: RuleText) -> list[tuple[int, int, str]]:
    return text.sub(r"\A(Sure|Of course|Certainly)[!.,]\s+", "") if text.is_first else []


def shout(text: RuleText) -> list[tuple[int, int, str]]:
    return [(len(text.text), len(text.text), "!")]


def run(text: str, *rules: Rule, settings: Settings | None = None) -> tuple[list[str], list[TurnEvent]]:
    pipeline = Pipeline(settings or Settings(degree=Degree.LIGHT), Random(0), rules)
    events = [*pipeline.feed(text), *pipeline.flush()]
    return [event.content for event in events if isinstance(event, Message)], events


def test_only_at_the_start_of_an_answer_can_be_said() -> None:
    messages, events = run("Sure! Hello.\nSure! Again.", no_opening_phrase)

    assert messages == ["Hello.", "Sure! Again."]
    edits = [edit for event in events if isinstance(event, Message) for edit in event.edits]
    assert edits == [Replaced("no opening phrase", "Sure! ", "", ((0, 6),))]


def test_code_addresses_and_tags_are_left_alone() -> None:
    messages, _ = run(TEXT, drop_sure)
    shown = "\n".join(messages)

    assert shown.startswith("Here is a **list**")
    assert "two `Sure!`" in shown
    assert "```py\nSure!\n```" in shown
    assert "https://example.com/Sure!" in shown
    assert "<:Sure:123456789012345678>" in shown


def test_a_rule_knows_where_a_line_starts_and_may_add_words() -> None:
    seen: list[tuple[str, bool, bool]] = []

    def look(text: RuleText) -> list[tuple[int, int, str]]:
        seen.append((text.text.strip(), text.is_first, text.starts_line))
        return []

    run("One.\nTwo.", look)
    messages, _ = run("One.\nTwo.", shout)

    assert seen == [("One.", True, True), ("Two.", False, True)]
    assert [message.replace("\n", "") for message in messages] == ["One.!", "Two.!"]


@pytest.mark.parametrize("rules", [(drop_sure,), (no_opening_phrase, shout)])
@pytest.mark.parametrize("degree", list(Degree))
def test_slicing_changes_nothing_and_every_character_is_accounted_for(
    rules: tuple[Rule, ...], degree: Degree
) -> None:
    settings = Settings(degree=degree, humanize=False, message_cap=0)
    whole, events = run(TEXT, *rules, settings=settings)
    pipeline = Pipeline(settings, Random(0), rules)
    sliced = [event for letter in TEXT for event in pipeline.feed(letter)] + pipeline.flush()

    assert [event.content for event in sliced if isinstance(event, Message)] == whole
    spans = [span for event in events for span in getattr(event, "spans", ())]
    edits = [edit for event in events if isinstance(event, Message) for edit in event.edits]
    spans += [span for edit in edits for span in edit.spans]
    covered = [at for start, end in spans for at in range(start, end)]
    assert sorted(covered) == list(range(len(TEXT)))


def fail(_: RuleText) -> Iterable[tuple[int, int, str]]:
    raise ZeroDivisionError


def overlap(text: RuleText) -> Iterable[tuple[int, int, str]]:
    return [(0, 2, "x"), (1, 3, "y")]


def outside(text: RuleText) -> Iterable[tuple[int, int, str]]:
    return [(0, len(text.text) + 1, "")]


def nothing(_: RuleText) -> Iterable[tuple[int, int, str]]:
    return [(1, 1, "")]


def nonsense(_: RuleText) -> Iterable[tuple[int, int, str]]:
    return 5  # type: ignore[return-value]


def none(_: RuleText) -> Iterable[tuple[int, int, str]]:
    return None  # type: ignore[return-value]


def words(_: RuleText) -> Iterable[tuple[int, int, str]]:
    return "One."  # type: ignore[return-value]


@pytest.mark.parametrize("rule", [fail, overlap, outside, nothing, nonsense, none, words])
def test_a_rule_that_fails_changes_nothing_and_is_named_while_others_go_on(rule: Rule) -> None:
    pipeline = Pipeline(Settings(), Random(0), [rule, drop_sure])
    events = [*pipeline.feed("Sure! One.\nSure! Two."), *pipeline.flush()]

    assert [event.content for event in events if isinstance(event, Message)] == ["One.", "Two."]
    assert list(pipeline.failed_rules) == [rule.__name__]  # type: ignore[attr-defined]


def test_what_discord_cannot_take_is_not_put_in() -> None:
    messages, _ = run("One.", lambda _: [(0, 3, "a\r\x00\ud800b")])

    assert messages == ["ab."]


def test_a_rule_may_be_an_object_and_its_class_names_it() -> None:
    class SwearFilter:
        def __call__(self, text: RuleText, /) -> list[tuple[int, int, str]]:
            return text.sub(re.compile("damn"), "darn")

    _, events = run("Well, damn.", SwearFilter())
    (message,) = [event for event in events if isinstance(event, Message)]

    assert message.content == "Well, darn."
    assert message.edits[0].rule == "SwearFilter"


def test_no_rules_are_no_work() -> None:
    traced = TracedText.from_spans("Hi.", ((0, 3),))
    same = CustomRules([lambda _: []]).apply(traced, lambda _: lambda _: True, first=True, line_start=True)
    assert same is traced


def test_without_the_houses_rules_ones_own_do_not_run_either() -> None:
    assert run("Sure! Hi.", drop_sure, settings=Settings(rules=False))[0] == ["Sure! Hi."]
