from __future__ import annotations

import re

from bot.commands.using import with_commands
from bot.models import Model
from bot.stage import make_config
from streamcord import Usage
from streamcord.store import Spending
from streamcord_bot.commands.usage import describe_usage
from streamcord_bot.config import BudgetConfig


async def test_people_see_what_they_used_and_managers_what_the_server_did() -> None:
    config = make_config(budget={"person_requests": 7, "server_tokens": 90_000})
    async with with_commands(Model(["Hi.", Usage(20, 5, cached_tokens=15)]), config=config) as user:
        stage = user.stage
        stage.ask("hi", user=user.guest)
        await stage.texts(1)
        await stage.quiet()
        theirs = await user.says("usage", user.guest)
        owners = await user.says("usage")
        servers = await user.says("usage", of="server")
        refused = await user.says("usage", user.guest, of="server")

    assert theirs.splitlines()[:3] == ["**You, today**", "- requests: 1 of 7", "- tokens: 25 of 2,000,000"]
    assert re.search(r"The counters restart <t:\d+:R>\.$", theirs)
    assert "- requests: 0 of 7" in owners
    assert "**This server, today**" in servers
    assert "- requests: 1 of 5,000\n- tokens: 25 of 90,000" in servers
    assert "- 75% of the input tokens since the last start came from a cache" in servers
    assert "cache" not in theirs
    assert "Manage Server" in refused


async def test_direct_messages_have_no_server() -> None:
    async with with_commands() as user:
        channel = user.stage.twin.dm()
        answer = await user.use("usage", None, channel, of="server")

    assert "for servers" in answer.content


def test_money_is_shown_where_there_is_some() -> None:
    spent, free = Spending(2, 300, 1_500_000), BudgetConfig(person_requests=0, person_tokens=0)
    limited = BudgetConfig(person_money=2, currency="€")

    assert describe_usage("en", "person", spent, free).splitlines()[1:] == [
        "- requests: 2",
        "- tokens: 300",
        "- cost: $1.50",
    ]
    assert "- Kosten: €1.50 von €2.00" in describe_usage("de", "person", spent, limited)
    assert "- cost: €0.00 of €2.00" in describe_usage("en", "person", Spending(), limited)
