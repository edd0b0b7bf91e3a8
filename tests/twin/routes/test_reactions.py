from __future__ import annotations

from urllib.parse import quote

import pytest

from discord_twin import ChannelType, DrivenClock, Permission, Twin
from twin.api import Api
from twin.wire import open_wire


def path(twin: Twin, message_id: str, emoji: str = "", who: str = "") -> str:
    end = f"/{quote(emoji)}" if emoji else ""
    return f"/channels/{twin.channel.id}/messages/{message_id}/reactions{end}" + (f"/{who}" if who else "")


async def test_an_own_reaction_is_marked_as_own(twin: Twin, api: Api) -> None:
    made = (await api.send()).json["id"]
    await api.put(path(twin, made, "👍", "@me"))
    twin.fake_user().react(twin.channel.messages[int(made)], "👍")
    (shape,) = (await api.get(f"/channels/{twin.channel.id}/messages/{made}")).json["reactions"]

    assert (shape["count"], shape["me"], shape["emoji"]) == (2, True, {"id": None, "name": "👍"})


async def test_a_custom_emoji_has_its_id(twin: Twin, api: Api) -> None:
    emoji, made = twin.state.add_emoji(twin.guild, "cat"), (await api.send()).json["id"]
    async with open_wire(api) as wire:
        await wire.identify()
        assert (await api.put(path(twin, made, f"cat:{emoji.id}", "@me"))).status == 204
        events = await wire.event("MESSAGE_REACTION_ADD")
    (shape,) = (await api.get(f"/channels/{twin.channel.id}/messages/{made}")).json["reactions"]

    assert events["emoji"] == shape["emoji"] == {"id": str(emoji.id), "name": "cat"}


@pytest.mark.parametrize("emoji", ["hello", "a", "1", "😀 and more", "cat:1", "👍" * 17, "é"])
async def test_not_every_text_is_an_emoji(twin: Twin, api: Api, emoji: str) -> None:
    made = (await api.send()).json["id"]

    assert (await api.put(path(twin, made, emoji, "@me"))).outcome == (400, 10014)


async def test_who_reacted_is_listed_in_pages(twin: Twin, api: Api) -> None:
    made = (await api.send()).json["id"]
    people = [twin.fake_user(f"p{number}") for number in range(3)]
    for one in people:
        one.react(twin.channel.messages[int(made)], "🎉")
    first = (await api.get(path(twin, made, "🎉") + "?limit=2")).json
    rest = (await api.get(path(twin, made, "🎉") + f"?after={first[-1]['id']}")).json

    assert [one["username"] for one in first + rest] == ["p0", "p1", "p2"]
    assert (await api.get(path(twin, made, "🎉") + "?limit=101")).outcome == (400, 50035)


async def test_a_moderator_clears(twin: Twin, api: Api) -> None:
    made = (await api.send()).json["id"]
    message, person = twin.channel.messages[int(made)], twin.fake_user()
    async with open_wire(api) as wire:
        await wire.identify()
        for emoji in "🎉👍":
            person.react(message, emoji)
        await api.delete(path(twin, made, "🎉", str(person.user.id)))
        assert (await wire.event("MESSAGE_REACTION_REMOVE"))["user_id"] == str(person.user.id)
        assert set(message.reactions) == {"👍"}
        await api.delete(path(twin, made, "👍"))
        await wire.event("MESSAGE_REACTION_REMOVE_EMOJI")
        person.react(message, "👍")
        await api.delete(path(twin, made))
        await wire.event("MESSAGE_REACTION_REMOVE_ALL")
    assert message.reactions == {}
    assert (await api.delete(path(twin, made, "👍", "123"))).outcome == (404, 10013)


async def test_a_new_emoji_needs_a_permission_and_twenty_is_the_limit(twin: Twin, api: Api) -> None:
    made = (await api.send()).json["id"]
    message = twin.channel.messages[int(made)]
    twin.fake_user().react(message, "👍")
    twin.state.overwrite(twin.channel, twin.bot.user, deny=Permission.ADD_REACTIONS)
    assert (await api.put(path(twin, made, "👍", "@me"))).status == 204
    assert (await api.put(path(twin, made, "🎉", "@me"))).outcome == (403, 50013)
    twin.state.overwrite(twin.channel, twin.bot.user)
    message.reactions.update({chr(0x1F600 + number): [1] for number in range(19)})
    assert (await api.put(path(twin, made, "🎉", "@me"))).outcome == (400, 30010)


POLL = {"question": {"text": "tea?"}, "answers": [{"poll_media": {"text": one}} for one in ("yes", "no")]}


async def test_a_poll_is_voted_on_and_ends(twin: Twin, api: Api) -> None:
    made = (await api.send(None, poll=POLL)).json
    base, message = f"/channels/{twin.channel.id}/polls/{made['id']}", twin.channel.messages[int(made["id"])]
    assert [one["answer_id"] for one in made["poll"]["answers"]] == [1, 2]
    person = twin.fake_user()
    person.vote(message, 1)
    person.vote(message, 2)
    assert (await api.get(base + "/answers/1")).json == {"users": []}
    assert [one["id"] for one in (await api.get(base + "/answers/2")).json["users"]] == [str(person.user.id)]
    ended = (await api.post(base + "/expire")).json["poll"]["results"]
    assert ended == {
        "is_finalized": True,
        "answer_counts": [{"id": 1, "count": 0, "me_voted": False}, {"id": 2, "count": 1, "me_voted": False}],
    }
    assert (await api.post(base + "/expire")).outcome == (400, 520001)
    assert (await api.edit(made["id"], content="x")).outcome == (400, 520003)


async def test_what_is_no_poll_of_ones_own_does_not_end(twin: Twin, api: Api) -> None:
    plain = (await api.send()).json["id"]
    asked = twin.fake_user().ask("tea?", ["yes"])

    assert (await api.post(f"/channels/{twin.channel.id}/polls/{plain}/expire")).outcome == (400, 520006)
    assert (await api.get(f"/channels/{twin.channel.id}/polls/{plain}/answers/1")).outcome == (400, 520006)
    assert (await api.post(f"/channels/{twin.channel.id}/polls/{asked.id}/expire")).outcome == (403, 50005)


@pytest.mark.parametrize(
    "wrong",
    [
        {"question": {"text": ""}},
        {"question": {"text": "x" * 301}},
        {"answers": []},
        {"answers": [{"poll_media": {"text": "x" * 56}}]},
        {"answers": [{"poll_media": {"text": "x"}}] * 11},
        {"duration": 769},
    ],
)
async def test_a_wrong_poll_is_refused(api: Api, wrong: dict[str, object]) -> None:
    assert (await api.send(None, poll={**POLL, **wrong})).outcome == (400, 50035)


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
    twin.fake_user().pin(twin.say(twin.channel, twin.user, "x"))
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
