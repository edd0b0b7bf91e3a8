"""The facts can be asked of another Discord; here a twin plays it."""

from __future__ import annotations

from collections import Counter

from discord_twin import Twin
from twin.facts.elsewhere import ask_all
from twin.facts.table import FACTS


async def test_the_facts_hold_from_outside_too(twin: Twin) -> None:
    found = await ask_all(twin.api_url, twin.token, twin.channel.id, pause=0.0)

    assert [(name, result) for name, result in found.items() if result.startswith("differs")] == []
    assert Counter(found.values())["holds"] >= 40
    assert found.keys() == {fact.id for fact in FACTS}


async def test_a_discord_that_is_different_is_found_out(twin: Twin) -> None:
    twin.context.conformance = None  # different on purpose
    twin.configure(content_limit=10_000, trim_whitespace=False)
    found = await ask_all(twin.api_url, twin.token, twin.channel.id, pause=0.0)

    assert any(result.startswith("differs") for result in found.values())
