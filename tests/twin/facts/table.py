"""The table of facts: an id, a sentence, who says so, and a check against the twin.

Citations: `DD:` is discord/discord-api-docs under `developers/` (commit c98d64b), `DS` its OpenAPI file
(discord-api-spec, commit 74fda0f), `owner/repo#n` a GitHub thread, `HIK:` hikari, `DPY:` discord.py and `PK:`
PluralKit.
A fact whose `switch` is named is unsure: its check runs the twin both ways.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from twin.api import Api

Check = Callable[[Api], Awaitable[None]]


@dataclass(frozen=True)
class Fact:
    """One row."""

    id: str
    says: str
    citation: str
    check: Check
    limited: bool
    switch: str


FACTS: list[Fact] = []


def fact(
    id_: str, says: str, citation: str, *, limited: bool = False, switch: str = ""
) -> Callable[[Check], Check]:
    """Add a row; `limited` facts get a twin with Discord's rate limits, others one without."""

    def add(check: Check) -> Check:
        FACTS.append(Fact(id_, says, citation, check, limited, switch))
        return check

    return add
