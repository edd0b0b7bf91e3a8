"""Answers that are more than text: pictures, sources and code that the provider ran."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from streamcord import Citation, Ending, Finish, GeneratedImage, Persona, Settings, TextDelta, say
from streamcord._journal.serialization import decode_events, encode_event
from streamcord._settings import AnswerContext
from streamcord.testing import FakeChannel

PNG = b"\x89PNG\r\n\x1a\n0"
QUIET = Settings(typing="off", degree=1)
GRASS = Citation("https://example.com/grass", "Grass", is_placed=True)


async def source(*events: Any) -> AsyncIterator[Any]:
    for event in events:
        yield TextDelta(event) if isinstance(event, str) else event
    yield Finish()


async def shown(*events: Any, **changes: Any) -> list[str]:
    channel = FakeChannel()
    await say(channel, source(*events), settings=replace(QUIET, **changes))
    return [one.content or f"[{one.files[0].name}]" for one in channel.messages]


async def test_picture_is_sent_in_its_place_and_described_by_the_words_before_it() -> None:
    channel = FakeChannel()

    await say(channel, source("Here is **a cat**:\n", GeneratedImage(PNG), "Nice."), settings=QUIET)

    before, picture, after = channel.messages
    assert (before.content, after.content) == ("Here is **a cat**:", "Nice.")
    (file,) = picture.files
    assert (file.name, file.content) == ("picture.png", PNG)  # type: ignore[union-attr]
    assert file.alt == "A picture made by the model. Here is a cat:"


async def test_picture_of_a_persona_with_its_own_name_is_sent_under_it() -> None:
    channel = FakeChannel()
    context = AnswerContext(persona=Persona("Luna", alter=True))

    await say(channel, source(GeneratedImage(PNG, "a cat")), settings=QUIET, context=context)

    (message,) = channel.messages
    assert message.speaker is not None
    assert message.speaker.name == "Luna"


@pytest.mark.parametrize(
    ("image", "notice"),
    [
        (GeneratedImage(b"no picture"), "-# A picture in this answer cannot be read."),
        (GeneratedImage(problem="is larger than 10 MB and cannot be sent"), "is larger than 10 MB"),
    ],
)
async def test_picture_that_cannot_be_shown_is_told_and_the_words_go_on(
    image: GeneratedImage, notice: str
) -> None:
    first, told, last = await shown("One.", image, "Two.")

    assert (first, last) == ("One.", "Two.")
    assert notice in told


async def test_more_than_ten_pictures_are_told_of() -> None:
    parts = await shown(*[GeneratedImage(PNG)] * 12)

    assert parts[:10] == ["[picture.png]", *(f"[picture-{number}.png]" for number in range(2, 11))]
    assert ["at most 10" in one for one in parts[10:]] == [True]


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("Here it is.\n<think>I hide ZEBRA here.", "Here it is."),
        ("Here is ||ZEBRA the cat||:\n", "Here is …:"),
        ("Look.\n<details>ZEBRA</details>\n", "…"),
        ("||ZEBRA", "…"),
    ],
)
async def test_description_of_a_picture_holds_only_words_that_are_shown(before: str, words: str) -> None:
    channel = FakeChannel()
    await say(channel, source(before, GeneratedImage(PNG), "Bye."), settings=QUIET)

    alts = [file.alt for one in channel.messages for file in one.files]
    assert len(alts) == 1
    assert "ZEBRA" not in alts[0]
    assert words.strip("…") in alts[0]


async def test_sources_are_listed_once_below_the_answer_with_their_hosts() -> None:
    parts = await shown("Grass is green.", GRASS, " It is wet.", GRASS, Citation(title="report.pdf, page 3"))

    assert parts == [
        "Grass is green. It is wet.",
        "-# 1\\. Grass [example.com](<https://example.com/grass>)\n-# 2\\. report.pdf, page 3",
    ]


async def test_sources_are_part_of_an_answer_that_is_one_text() -> None:
    parts = await shown("Grass is green.", GRASS, degree=0)

    assert parts == ["Grass is green.\n\n-# 1\\. Grass [example.com](<https://example.com/grass>)"]


async def test_footnotes_stand_where_the_provider_says_and_others_are_listed() -> None:
    parts = await shown("Grass", GRASS, " is green.", Citation("https://b.example/x"), citations="footnotes")

    assert parts == [
        "Grass[¹](<https://example.com/grass>) is green.",
        "-# 2\\. [b.example](<https://b.example/x>)",
    ]


async def test_sources_are_in_the_result_where_they_are_not_shown() -> None:
    channel = FakeChannel()

    result = await say(channel, source("Green.", GRASS), settings=replace(QUIET, citations="off"))

    assert [one.content for one in channel.messages] == ["Green."]
    assert result.citations == (GRASS,)


async def test_sources_alone_are_no_answer() -> None:
    channel = FakeChannel()

    result = await say(channel, source(GRASS), settings=QUIET)

    assert (result.ending, channel.messages) == (Ending.EMPTY_RESPONSE, [])


async def test_thousand_sources_are_bounded() -> None:
    many = [Citation(f"https://example.com/{number}") for number in range(1000)]
    channel = FakeChannel()

    result = await say(channel, source("Much.", *many), settings=QUIET)

    assert len(result.citations) == 100
    assert channel.messages[-1].content.endswith("-# … and 90 more")


@pytest.mark.parametrize(
    ("citation", "line"),
    [
        # What is before an `@` is a user name: the host is the one that a browser opens.
        (
            Citation("https://bank.com@evil.example/x", "Bank"),
            "Bank [evil.example](<https://bank.com@evil.example/x>)",
        ),
        (Citation("https://evil.example", "https://bank.com"), "https:∕∕bank.com [evil.example]"),
        (
            Citation("https://evil.example", "[Bank](https://bank.com)"),
            r"\[Bank\]\(https:∕∕bank.com\) [evil.example]",
        ),
        (Citation("javascript:alert(1)", "Run me"), "-# 1\\. Run me"),
        (Citation("https://a.example/> @everyone", "Ping"), "-# 1\\. Ping"),
        (
            Citation("https://a.example", "@everyone <@1> ||x||\n# y"),
            r"\@everyone ‹\@1› \|\|x\|\| \# y [a.example]",
        ),
        (Citation("https://a.example/" + "x" * 3000, "Long"), "-# 1\\. Long"),
    ],
)
async def test_hostile_source_shows_its_host_and_its_title_is_only_text(
    citation: Citation, line: str
) -> None:
    _, listed = await shown("Well.", citation)

    assert line in listed
    assert listed.count("\n") == 0


async def test_link_policy_holds_for_sources() -> None:
    _, listed = await shown("Well.", GRASS, links="none")

    assert listed == "-# 1\\. Grass example.com (`https://example.com/grass`)"


def test_journal_keeps_sources() -> None:
    (again,), _ = decode_events([encode_event(GRASS) or []])

    assert again == GRASS
