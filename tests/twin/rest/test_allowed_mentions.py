from __future__ import annotations

import time

import pytest

from discord_twin import Permission, Twin
from discord_twin.errors import ApiError
from discord_twin.options import TwinOptions
from discord_twin.rest.allowed_mentions import (
    AllowedMentions,
    Mentions,
    allow,
    read_allowed,
    scan_mentions,
)
from twin.api import Api

# --- Allowed mentions ---

PLAIN = TwinOptions()
CODE = TwinOptions(code_mention_pings=True)
UNESCAPED = TwinOptions(escaped_mention_pings=False)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<@1> <@!2> <@1>", Mentions(users=(1, 2))),
        ("<@&7>", Mentions(roles=(7,))),
        ("@everyone and @here", Mentions(everyone=True, here=True)),
        ("mail@everyone.example", Mentions(everyone=True)),
        ("<@x> <@ 1> @every one @every\u200bone", Mentions()),
        ("`<@1>` <@2> ``a ` <@3>`` <@4>", Mentions(users=(2, 4))),
        ("```\n<@1>\n``` <@2> ```py\n<@3>```<@4>", Mentions(users=(2, 4))),
        ("```\nnever closed <@1>", Mentions(users=(1,))),
        ("` never closed <@1>", Mentions(users=(1,))),
        ("````\n<@1>\n```<@2>", Mentions(users=(2,))),
        ("\\<@1>", Mentions(users=(1,))),
    ],
)
def test_mentions_are_found_outside_code(text: str, found: Mentions) -> None:
    assert scan_mentions(text, PLAIN) == found


def test_switches_decide_about_code_and_escapes() -> None:
    assert scan_mentions("`<@1>`", CODE).users == (1,)
    assert scan_mentions(r"\<@1> \\<@2>", UNESCAPED).users == (2,)


@pytest.mark.parametrize("piece", ["`", "``x`", "<@", "@every", "```\n", "\\", "`" * 7 + "x"])
def test_scanning_is_linear(piece: str) -> None:
    def cost(count: int) -> float:
        text = "".join(piece + "`" * (number % 50) for number in range(count))
        start = time.process_time()
        scan_mentions(text, PLAIN)
        return time.process_time() - start

    cost(2_000)
    assert min(cost(20_000) for _ in range(3)) < 20 * min(cost(5_000) for _ in range(3)) + 0.05


def test_an_absent_object_depends_on_who_writes() -> None:
    assert read_allowed(None, "message", PLAIN).parse == {"users", "roles", "everyone"}
    assert read_allowed(None, "webhook", PLAIN).parse == {"users"}
    assert read_allowed(None, "interaction", PLAIN).parse == {"users"}


@pytest.mark.parametrize(
    "value",
    [
        "none",
        {"parse": ["here"]},
        {"parse": ["users"], "users": ["1"]},
        {"parse": ["roles"], "roles": [1]},
        {"users": ["1", "1"]},
        {"users": ["x"]},
        {"roles": [str(number) for number in range(101)]},
    ],
)
def test_a_wrong_object_is_refused(value: object) -> None:
    with pytest.raises(ApiError) as refused:
        read_allowed(value, "message", PLAIN)

    assert refused.value.code == 50035


def test_only_what_is_allowed_is_left() -> None:
    said = Mentions(users=(1, 2), roles=(7, 8), everyone=True, here=True)

    assert allow(said, AllowedMentions(frozenset())) == Mentions()
    assert allow(said, AllowedMentions(frozenset(), frozenset({2}), frozenset({7}))) == Mentions((2,), (7,))
    assert allow(said, AllowedMentions(frozenset({"everyone"}))) == Mentions(everyone=True, here=True)
    assert allow(said, AllowedMentions(frozenset({"users", "roles"}))) == Mentions((1, 2), (7, 8))


# --- Pings ---


async def test_a_user_who_cannot_see_a_channel_is_not_notified(twin: Twin, api: Api) -> None:
    bob = twin.fake_user("bob")
    twin.state.overwrite(twin.channel, bob.user, deny=Permission.VIEW_CHANNEL)
    await api.send(f"hello {bob.mention}")

    assert (bob.pushes, bob.unread, twin.log.pinged) == ([], 0, set())


async def test_an_answer_that_thinks_first_rings_no_phone(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "ask", "description": "d"})
    asked = twin.slash("ask")
    await api.post(f"/interactions/{asked.id}/{asked.token}/callback", {"type": 5})
    await api.patch(f"/webhooks/{twin.bot.id}/{asked.token}/messages/@original", {"content": "done"})

    assert twin.fake_user().pushes == []


async def test_direct_messages_ring_always(twin: Twin, api: Api) -> None:
    twin.configure(push_for="mentions")
    await api.send("psst", twin.dm())

    assert [one.text for one in twin.fake_user().pushes] == ["psst"]
