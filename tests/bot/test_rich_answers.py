"""The real bot with a model that sends more than words, and with answers in scripts of three and four bytes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.rich_stream import CITED, rich_stream
from bot.stage import make_config, on_stage
from providers.loopback import serving, streaming
from streamcord.providers import HttpProvider
from streamcord.testing import ScriptedProvider

BUBBLES: dict[str, Any] = {"degree": 2, "typing": "off"}
LIVE: dict[str, Any] = {"degree": 0, "delivery": "live", "live_limit": 4000}


@pytest.mark.parametrize("settings", [BUBBLES, LIVE], ids=["bubbles", "live"])
async def test_pictures_sources_or_code_of_a_model_are_missing(settings: dict[str, Any]) -> None:
    async with (
        serving(streaming(*rich_stream())) as server,
        HttpProvider("openai-responses", base_url=server.url, key="k", model="m") as provider,
        on_stage(provider, config=make_config(settings=settings)) as stage,
    ):
        stage.ask("why are orange cats male?")
        await stage.twin.next_message(timeout=30.0)
        await stage.quiet()
        said = stage.said()

    assert [one.attachments[0].filename for one in said if one.attachments] == [
        "picture.png",
        "picture-2.png",
    ]
    alts = [one.attachments[0].description or "" for one in said if one.attachments]
    assert alts[1].endswith("A tortoiseshell cat is nearly always female:")
    text = "\n".join(one.content for one in said)
    assert "```python\nshare = 0.8" in text
    assert "```text\n80% of orange cats are male\n```" in text
    listed = [line for line in text.split("\n") if line.startswith("-# ")]
    # The host of each source is shown, whatever its title pretends.
    assert [line.rpartition("](<")[2].rstrip(">)") for line in listed] == [url for url, _ in CITED]
    assert "[discord.com.evil.example](<https://discord.com.evil.example/nitro>)" in listed[3]
    # A title is text: no link, no one pinged, nothing bold.
    assert listed[4].startswith(
        r"-# 5\. \[free\]\(https:∕∕evil.example\) \@everyone \*\*now\*\* [example.com]"
    )
    assert stage.pinged == set()


@pytest.mark.parametrize(
    "line", ["今日は天気がいいので散歩に行きましょう。", "आज मौसम बहुत अच्छा है, चलो घूमने चलें। ", "🐈🌧️👩‍👩‍👧 "]
)
async def test_words_of_a_long_live_answer_are_lost_at_the_byte_limit(line: str) -> None:
    answer = "\n".join(f"{number}. {line}{line}" for number in range(1, 400))[:3900]
    model = ScriptedProvider([answer[at : at + 90] for at in range(0, len(answer), 90)])
    async with on_stage(model, config=make_config(settings=LIVE)) as stage:
        stage.ask("tell me")
        await asyncio.wait_for(stage.twin.next_message(), 30)
        await stage.quiet()
        shown = [one.content or _displayed(one) for one in stage.said()]
        refused = [one for one in stage.twin.log.requests if one.status >= 500]

    assert "".join("".join(shown).split()) == "".join(answer.split())
    assert refused == []


def _displayed(message: Any) -> str:
    return "\n".join(one["content"] for one in message.draft.components if one["type"] == 10)
