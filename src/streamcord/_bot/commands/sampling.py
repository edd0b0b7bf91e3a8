"""How an answer would arrive under other settings: a sample, planned by the real pipeline and not sent."""

from __future__ import annotations

from random import Random

from streamcord import Message, Pipeline, Settings

__all__ = ["SAMPLE", "plan_sample"]

SAMPLE = (
    "Oh, good question! The short answer is yes. I tried it last week, and it worked.\n"
    "Two things help:\n"
    "- fresh basil\n"
    "- a little patience\n\n"
    "Shall I write it down for you?"
)
"""A few sentences, a list and a blank line: where the degrees differ."""


def plan_sample(settings: Settings) -> list[Message]:
    """The messages of the sample; the same each time."""
    pipeline = Pipeline(settings, Random(7))
    return [event for event in (*pipeline.feed(SAMPLE), *pipeline.flush()) if isinstance(event, Message)]
