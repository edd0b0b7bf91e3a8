"""The twin obeys every fact of the table; `python -m pytest tests/twin/test_conformance.py -v` prints it."""

from __future__ import annotations

import dataclasses

import aiohttp
import pytest

from discord_twin import DrivenClock, Twin, TwinOptions
from twin.api import Api
from twin.conftest import FREE
from twin.facts import (
    components,
    creating,
    errors,
    gateway,
    interactions,
    limits,
    mentions,
    notices,
    text,
    webhooks,
)
from twin.facts.table import FACTS, Fact

MODULES = (
    components, creating, errors, gateway, interactions, limits, mentions, notices, text, webhooks,
)  # fmt: skip
# Facts about the run of time and chance, shown where they live: faults, answers, the gateway's own tests.
ELSEWHERE = {
    "as_of": "test_dated_changes.py",
    "ack_delay": "test_rest.py",
    "buckets": "test_limits.py",
    "commit_then_drop_ack_chance": "test_rest.py",
    "commit_then_status": "test_rest.py",
    "commit_then_status_chance": "test_rest.py",
    "content_limit": "test_server.py",
    "file_limit": "routes/test_messages.py",
    "heartbeat_ack_s": "gateway/test_gateway.py",
    "other_bucket": "test_limits.py",
    "request_limit": "test_rest.py",
}


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact.id} {fact.says}")
async def test_the_twin_obeys(fact: Fact) -> None:
    async with (
        Twin(None if fact.limited else FREE, clock=DrivenClock()) as twin,
        aiohttp.ClientSession() as session,
    ):
        await fact.check(Api(twin, session))


def test_the_table_has_its_rows_and_each_says_who_says_so() -> None:
    assert len(FACTS) >= 60
    assert len({fact.id for fact in FACTS}) == len(FACTS)
    assert [fact.id for fact in FACTS if not fact.says or not fact.citation] == []


def test_every_switch_is_tried_both_ways() -> None:
    options = {field.name for field in dataclasses.fields(TwinOptions)}
    tried = {fact.switch for fact in FACTS if fact.switch}

    assert tried - options == set()
    assert options - tried == ELSEWHERE.keys()
