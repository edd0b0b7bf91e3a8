"""The facts against another Discord than the twin: the real one, with a token.

    DISCORD_TOKEN=... DISCORD_CHANNEL=... python tests/twin/facts/elsewhere.py

Use a bot, a server and a channel made for this: messages and webhooks are created there. Facts that look into
the twin, turn its switches or move its clock cannot be asked elsewhere and are counted so. In `make test`
only the machinery runs, on a twin that plays the other Discord.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections import Counter
from pathlib import Path
from typing import Any, cast

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

import aiohttp

from twin.api import Answer, Api
from twin.facts import (  # noqa: F401 - each fills the table
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

DISCORD = "https://discord.com/api/v10"
PAUSE = 1.2
"""Seconds between two requests, so that no limit is met that a fact does not ask about."""


class NeedsTwin(Exception):
    """The fact looks into the twin."""


class _Outside:
    """What can be known of a Discord from outside; everything else is the twin's own."""

    def __init__(self, **known: Any) -> None:
        self.__dict__.update(known)

    def __getattr__(self, name: str) -> Any:
        raise NeedsTwin(name)


class FarApi(Api):
    """The raw client of the facts, for any base address; it waits where it is told to."""

    def __init__(
        self, session: aiohttp.ClientSession, base: str, token: str, channel_id: int, pause: float
    ) -> None:
        known = _Outside(api_url=base, channel=_Outside(id=channel_id), token=token)
        super().__init__(cast("Any", known), session)
        self.pause = pause
        self._hooks: list[str] = []
        self._first_token = token
        self._salt = secrets.token_hex(4)

    async def tidy(self) -> None:
        """Remove the webhooks that a fact has made: a channel holds fifteen."""
        self.token = self._first_token
        for hook in self._hooks:
            await super().call("DELETE", hook)

    async def hook(self, name: str = "luna", channel: Any = None) -> str:
        """Make a webhook, and remember to remove it."""
        path = await super().hook(name, channel)
        self._hooks.append(path)
        return path

    async def call(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        await asyncio.sleep(self.pause)
        if isinstance(body, dict) and body.get("nonce") == "n1" and "enforce_nonce" in body:
            # Facts share a name for their nonce, and the channel here is the same for all.
            body = {**body, "nonce": self._salt}
        answer = await super().call(method, path, body, **more)
        if answer.status == 429:
            await asyncio.sleep(float(answer.json["retry_after"]))
            return await super().call(method, path, body, **more)
        return answer


async def ask(fact: Fact, api: FarApi) -> str:
    """`holds`, `needs the twin`, or what is different there."""
    if fact.limited or fact.switch:
        return "needs the twin"
    try:
        await fact.check(api)
    except NeedsTwin:
        return "needs the twin"
    except (AssertionError, LookupError, TypeError, ValueError) as error:
        return f"differs: {error!r}"[:300]
    return "holds"


async def ask_all(base: str, token: str, channel_id: int, pause: float = PAUSE) -> dict[str, str]:
    """Every fact that can be asked there, with what came out."""
    async with aiohttp.ClientSession(headers={"User-Agent": "DiscordBot (facts, 1)"}) as session:
        found = {}
        for fact in FACTS:
            api = FarApi(session, base, token, channel_id, pause)
            found[fact.id] = await ask(fact, api)
            await api.tidy()
        return found


def main() -> int:
    token, channel = os.environ.get("DISCORD_TOKEN"), os.environ.get("DISCORD_CHANNEL")
    if not token or not channel:
        print("set DISCORD_TOKEN and DISCORD_CHANNEL, of a bot and a channel made for this", file=sys.stderr)
        return 2
    found = asyncio.run(ask_all(DISCORD, token, int(channel)))
    says = {fact.id: f"{fact.says} ({fact.citation})" for fact in FACTS}
    for name, result in found.items():
        if result.startswith("differs"):
            print(f"{name} {says[name]}\n    {result}")
    print(dict(Counter(result.partition(":")[0] for result in found.values())))
    return int(any(result.startswith("differs") for result in found.values()))


if __name__ == "__main__":
    sys.exit(main())
