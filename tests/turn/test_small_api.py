"""The small things that people expect: presets of settings, files in a source, thoughts, sent messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest

from delivery.stage import on_stage
from streamcord import Attachment, Degree, RuleText, Settings, ThoughtDelta, say
from streamcord._providers.apis.registry import OpenAIResponses
from streamcord.preview import preview
from streamcord.testing import FakeChannel
from virtual_time import timeless


async def words(*texts: Any) -> AsyncIterator[Any]:
    for text in texts:
        yield text


def test_presets_can_be_changed() -> None:
    assert (Settings.assistant().delivery, Settings.assistant().live_limit) == ("live", 4000)
    assert Settings.assistant(live_limit=2000).live_limit == 2000
    assert Settings.persona().degree is Degree.HEAVY
    assert Settings.persona(degree=Degree.MEDIUM).degree is Degree.MEDIUM


async def test_file_in_a_source_is_a_message() -> None:
    channel = FakeChannel()
    picture = Attachment("dice.png", b"png", alt="a die")

    await say(channel, words("Look:", picture, "Nice."))

    assert [(one.content, one.files) for one in channel.messages] == [
        ("Look:", ()),
        ("", (picture,)),
        ("Nice.", ()),
    ]


@pytest.mark.parametrize("kind", ["raw", "summary"])
async def test_thoughts_have_one_text_whatever_the_provider_sends(kind: Any) -> None:
    result = await say(FakeChannel(), words(ThoughtDelta("Hm.", kind), "Yes."))

    assert result.thoughts.text == "Hm."


@timeless
async def test_result_has_the_sent_messages_as_objects_of_discord_py() -> None:
    async with on_stage() as stage:
        result = await say(stage.find(), words("One.\nTwo."), settings=Settings(typing="off", merge="off"))

        assert all(isinstance(one, discord.PartialMessage) for one in result.messages)
        await result.messages[0].edit(content="Changed.")
        assert stage.texts == ["Changed.", "Two."]


@pytest.mark.parametrize(("returned", "says"), [("a text", "returned a text"), (None, "returned None")])
async def test_rule_that_returns_no_edits_is_named_with_advice(
    returned: Any, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    def mine(_: RuleText) -> Any:
        return returned

    channel = FakeChannel()
    await say(channel, words("Hello there."), rules=[mine])

    assert channel.texts == ["Hello there."]
    assert f"it {says}: return a list of edits" in caplog.text


def test_preview_is_a_text() -> None:
    shown = preview("One.\n\nTwo.")

    assert "| One." in shown
    assert "| Two." in shown


def test_response_that_is_incomplete_by_its_status_was_cut() -> None:
    decoder = OpenAIResponses().decoder()
    from streamcord._providers.sdk_streams.chunks import JsonReader  # noqa: PLC0415

    reader = JsonReader(decoder)
    response = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    reader.feed({"type": "response.completed", "response": response})

    assert reader.flush()[-1].reason == "length"  # type: ignore[union-attr]
