from __future__ import annotations

import pytest

from streamcord.twin import ChannelType, DrivenClock, Permission, Twin
from twin.api import Api
from twin.wire import open_wire


@pytest.mark.parametrize("base", ["pins", "messages/pins"])
async def test_pins_come_and_go_by_both_paths(twin: Twin, api: Api, base: str) -> None:
    made = (await api.send("keep")).json["id"]
    path = f"/channels/{twin.channel.id}/{base}"
    async with open_wire(api) as wire:
        await wire.identify()
        assert (await api.put(f"{path}/{made}")).status == 204
        assert (await wire.event("CHANNEL_PINS_UPDATE"))["last_pin_timestamp"]
        assert (await wire.event("MESSAGE_CREATE"))["type"] == 6
    found = (await api.get(path)).json
    shown = found if base == "pins" else [one["message"] for one in found["items"]]
    assert [(one["id"], one["pinned"]) for one in shown] == [(made, True)]
    assert (await api.delete(f"{path}/{made}")).status == 204
    assert not twin.channel.messages[int(made)].pinned_at


async def test_pins_are_read_in_pages(twin: Twin, api: Api, clock: DrivenClock) -> None:
    path = f"/channels/{twin.channel.id}/messages/pins"
    for number in range(3):
        made = (await api.send(str(number))).json["id"]
        await api.put(f"{path}/{made}")
        clock.jump(1)
    first = (await api.get(path + "?limit=2")).json
    before = first["items"][-1]["pinned_at"].replace("+00:00", "Z")
    rest = (await api.get(f"{path}?before={before}")).json

    assert [one["message"]["content"] for one in first["items"] + rest["items"]] == ["2", "1", "0"]
    assert (first["has_more"], rest["has_more"]) == (True, False)


async def test_pinning_has_a_right_of_its_own(twin: Twin, api: Api) -> None:
    made = (await api.send()).json["id"]
    twin.state.overwrite(twin.channel, twin.bot.user, deny=Permission.PIN_MESSAGES)

    assert (await api.put(f"/channels/{twin.channel.id}/pins/{made}")).outcome == (403, 50013)


async def test_what_discord_wrote_is_not_pinned(twin: Twin, api: Api) -> None:
    twin.person().pin(twin.say(twin.channel, twin.user, "x"))
    notice = next(one for one in twin.channel.messages.values() if one.type == 6)

    assert (await api.put(f"/channels/{twin.channel.id}/pins/{notice.id}")).outcome == (403, 50021)


async def test_news_are_published_once(twin: Twin, api: Api) -> None:
    news = twin.add_channel("news", ChannelType.ANNOUNCEMENT)
    made = (await api.send("x", news)).json["id"]
    path = f"/channels/{news.id}/messages/{made}/crosspost"

    assert (await api.post(path)).json["flags"] == 1
    assert (await api.post(path)).outcome == (400, 40033)
    plain = (await api.send()).json["id"]
    assert (await api.post(f"/channels/{twin.channel.id}/messages/{plain}/crosspost")).outcome == (400, 50024)
