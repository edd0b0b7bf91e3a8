from __future__ import annotations

from streamcord.twin import Permission, Twin
from twin.api import Api


async def test_who_cannot_see_a_channel_hears_nothing_of_it(twin: Twin, api: Api) -> None:
    bob = twin.person("bob")
    twin.state.overwrite(twin.channel, bob.user, deny=Permission.VIEW_CHANNEL)
    await api.send(f"hello {bob.mention}")

    assert (bob.pushes, bob.unread, twin.log.pinged) == ([], 0, set())


async def test_an_answer_that_thinks_first_rings_no_phone(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "ask", "description": "d"})
    asked = twin.slash("ask")
    await api.post(f"/interactions/{asked.id}/{asked.token}/callback", {"type": 5})
    await api.patch(f"/webhooks/{twin.bot.id}/{asked.token}/messages/@original", {"content": "done"})

    assert twin.person().pushes == []


async def test_direct_messages_ring_always(twin: Twin, api: Api) -> None:
    twin.turn(push_for="mentions")
    await api.send("psst", twin.dm())

    assert [one.text for one in twin.person().pushes] == ["psst"]
