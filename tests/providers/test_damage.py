"""Damaged streams through the framing and each API adapter: a few, or 100 000 in the long run (tools/README.md).

A failure names the seed, which makes the same stream again.
"""

from __future__ import annotations

import re
from random import Random

import pytest

from providers.damage import COUNT, FIRST, damaged, streams_of
from providers.streams import decoded, frames, slices, whole
from streamcord._events import Finish, ProviderEvent
from streamcord._exceptions import ProviderError
from streamcord._providers.apis.base import ServerEvent
from streamcord._providers.apis.novelai import NovelAI
from streamcord._providers.apis.registry import Anthropic, ApiAdapter, Google, OpenAIChat, OpenAIResponses
from streamcord._providers.sse import Comment, Frame

pytestmark = pytest.mark.long

DIALECTS: list[ApiAdapter] = [OpenAIChat(), OpenAIResponses(), Anthropic(), Google(), NovelAI()]
STREAMS = {dialect.name: streams_of(dialect.name) for dialect in DIALECTS}
ALL = [stream for streams in STREAMS.values() for stream in streams]


def as_the_standard_says(content: bytes) -> list[Frame]:
    """The framing read off the standard, slowly and in one piece; comments and the last event are ours."""
    said: list[Frame] = []
    name, data = "", list[str]()
    lines = re.split(r"\r\n|\r|\n", content.decode("utf-8", "replace").removeprefix("\ufeff"))
    for line in [*lines, ""]:
        field, colon, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                said.append(ServerEvent(name or "message", "\n".join(data)))
            name, data = "", []
        elif colon and not field:
            said.append(Comment(value))
        elif field == "data":
            data.append(value)
        elif field == "event":
            name = value
    return said


def test_the_framing_is_the_standards_whatever_comes_however_it_is_cut() -> None:
    for seed in range(FIRST, FIRST + COUNT):
        dice = Random(seed)
        content = damaged(dice.choice(ALL), ALL, dice)

        assert frames(slices(seed, 200)(content)) == as_the_standard_says(content), seed


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_a_dialect_says_something_or_raises_whatever_comes(dialect: ApiAdapter) -> None:
    failed = 0
    for seed in range(FIRST, FIRST + COUNT):
        dice = Random(seed)
        content = damaged(dice.choice(STREAMS[dialect.name]), ALL, dice)

        events, error = heard(dialect, content, seed)

        assert (error is None) == any(isinstance(event, Finish) for event in events), seed
        assert error is None or (str(error) and error.user_message), seed
        failed += error is not None
    assert COUNT * 0.1 < failed < COUNT


def heard(dialect: ApiAdapter, content: bytes, seed: int) -> tuple[list[ProviderEvent], ProviderError | None]:
    try:
        return decoded(dialect.decoder(), whole(content))
    except Exception as error:
        error.add_note(f"seed {seed}: {content!r}")
        raise
