"""Who is meant by a handle, and who is not."""

from __future__ import annotations

import pytest

from streamcord._settings import Person, Settings
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.mentions import MentionIndex, join_edits, name_rules, resolve_mentions
from streamcord._text.traced_text import Edit, TracedText

PEOPLE = MentionIndex(
    [
        Person(1, "alice", ("Alice Smith", "Al", "")),
        Person(2, "@bob", ("bob smith", "Al", "★Bob")),
        Person(3, "everyone", ("here", "x" * 101)),
        Person(4, "j.r", ("J. R.", "Twin")),
        Person(5, "jo", ("Twin",)),
        Person(123456789012345678, "yuki", ("ゆき", "金")),
    ]
)


def change(text: str, edits: list[Edit]) -> str:
    return TracedText.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@alice", "<@1>"),
        ("hi @ALICE, you", "hi <@1>, you"),
        ("@{alice} @(bob) @[bob]", "<@1> <@2> <@2>"),
        ("@{ Alice Smith }", "<@1>"),
        ("@alice|9 @who|2", "<@1> <@2>"),
        ("@{alice|9} @(who|2)", "<@1> <@2>"),
        ("@Alice Smith!", "<@1>!"),
        ("@alice smithers", "<@1> smithers"),
        ("@★Bob", "<@2>"),
        ("@J. R. and @j.r.", "<@4> and <@4>."),
        ("@alice's", "<@1>'s"),
        ("(@alice)", "(<@1>)"),
        ("@aliceさん、@ALICE님", "<@1>さん、<@1>님"),
        ("你好@alice，@alice你好", "你好<@1>，<@1>你好"),
        ("@alice-chan @alice-SAMA!", "<@1>-chan <@1>-SAMA!"),
        (
            "@ゆきさん @金さん@ゆき",
            "<@123456789012345678>さん <@123456789012345678>さん<@123456789012345678>",
        ),
        ("@{123456789012345678} @123456789012345678!", "<@123456789012345678> <@123456789012345678>!"),
    ],
)
def test_a_name_that_one_person_has_is_a_mention(text: str, expected: str) -> None:
    assert change(text, resolve_mentions(ParsedText(text, Settings()), PEOPLE)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "@property",
        "@Al",
        "@Twin",
        "@{Al}",
        "@{1} @1",
        "@alice-channel @alice-chance",
        "@{999999999999999999}",
        "@{nobody}",
        "@nobody|77",
        "@{nobody|77}",
        "@everyone @here @{everyone}",
        "mail@alice.com me@alice élodie@alice пишет@alice né@alice",
        "<@alice>",
        "@@alice",
        "@alicex @alice.b @alice-b",
        "@alice_",
        "@" + "x" * 101,
        "`@alice`",
        "https://a.b/@alice",
        "@",
        "@ alice",
        "@[alice](https://a.b)",
    ],
)
def test_everything_else_stays_as_written(text: str) -> None:
    assert change(text, resolve_mentions(ParsedText(text, Settings()), PEOPLE)) == text


def test_without_people_there_is_no_directory() -> None:
    assert not MentionIndex([])
    assert PEOPLE


def test_edits_of_emoji_and_of_mentions_are_told_apart_in_the_order_of_the_text() -> None:
    emoji, mentions = [(0, 3, "<:a:1>"), (9, 12, "")], [(4, 8, "<@1>")]
    joined = join_edits(emoji, mentions)
    assert joined == [(0, 3, "<:a:1>"), (4, 8, "<@1>"), (9, 12, "")]
    assert name_rules(joined) == ["emoji", "mention", "emoji"]
    assert join_edits(emoji, []) == emoji
    assert join_edits([], mentions) == mentions


def test_an_emoji_in_the_name_of_somebody_who_is_meant_is_a_part_of_the_name() -> None:
    assert join_edits([(6, 9, "<:a:1>"), (12, 15, "x")], [(0, 9, "<@1>")]) == [(0, 9, "<@1>"), (12, 15, "x")]
    assert join_edits([(0, 9, "<:a:1>")], [(5, 12, "<@1>")]) == [(5, 12, "<@1>")]
