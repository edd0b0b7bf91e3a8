"""Who is meant by a handle, and who is not."""

from __future__ import annotations

import pytest

from streamcord._core.passage import Edit, Passage
from streamcord._core.reading import Reading
from streamcord._core.rules.mentions import Directory, resolve_mentions
from streamcord._settings import Person, Settings

PEOPLE = Directory(
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
    return Passage.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


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
    assert change(text, resolve_mentions(Reading(text, Settings()), PEOPLE)) == expected


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
        "mail@alice.com me@alice",
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
    assert change(text, resolve_mentions(Reading(text, Settings()), PEOPLE)) == text


def test_without_people_there_is_no_directory() -> None:
    assert not Directory([])
    assert PEOPLE
