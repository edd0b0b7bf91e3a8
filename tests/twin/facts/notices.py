"""Facts about limits of §2.7 and what a phone shows: renames, avatars, old edits, pushes."""

from __future__ import annotations

import base64

from discord_twin import DrivenClock, Limit
from discord_twin.cdn import plain_png
from twin.api import Api
from twin.facts.table import fact

V2 = 1 << 15


@fact(
    "K-00",
    "edits of messages older than an hour: 3 in 6 s for a channel, then 30046",
    "discord-userdoccers resources/message.mdx",
    switch="old_edit_limit",
)
async def old_edits(api: Api) -> None:
    made = [(await api.send()).json["id"] for _ in range(2)]
    assert isinstance(api.twin.clock, DrivenClock)
    api.twin.clock.jump(3601)
    for number in range(5):
        assert (await api.edit(made[0], content=str(number))).status == 200
    api.twin.configure(old_edit_limit=Limit(3, 6.0))
    for number in range(3):
        assert (await api.edit(made[number % 2], content=f"again {number}")).status == 200
    assert (await api.edit(made[1], content="too much")).outcome == (400, 30046)
    assert (await api.edit((await api.send()).json["id"], content="young")).status == 200
    api.twin.clock.jump(6)
    assert (await api.edit(made[1], content="later")).status == 200


@fact(
    "K-01",
    "creates and edits may count in one bucket",
    "discord/discord-api-docs#2761",
    switch="edits_share_create_bucket",
    limited=True,
)
async def shared_bucket(api: Api) -> None:
    made = await api.send()
    edited = await api.edit(made.json["id"], content="1")
    assert edited.headers["X-RateLimit-Bucket"] != made.headers["X-RateLimit-Bucket"]
    api.twin.configure(edits_share_create_bucket=True)
    edited = await api.edit(made.json["id"], content="2")
    assert edited.headers["X-RateLimit-Bucket"] == made.headers["X-RateLimit-Bucket"]
    assert edited.headers["X-RateLimit-Remaining"] == "3"


@fact("K-02", "a thread is renamed twice in ten minutes", "discordjs/discord.js#6651", switch="rename_limit")
async def renames(api: Api) -> None:
    thread = api.twin.state.add_thread(api.twin.channel, "t", api.twin.bot.user)
    for number in range(4):
        assert (await api.patch(f"/channels/{thread.id}", {"name": f"free {number}"})).status == 200
    api.twin.configure(rename_limit=Limit(2, 600.0))
    for number in range(2):
        assert (await api.patch(f"/channels/{thread.id}", {"name": f"n{number}"})).status == 200
    refused = await api.patch(f"/channels/{thread.id}", {"name": "third"})
    assert refused.status == 429
    assert refused.json["retry_after"] > 100
    assert (await api.patch(f"/channels/{thread.id}", {"archived": True})).status == 200


@fact(
    "K-03",
    "a avatar of one guild changes seldom: AVATAR_RATE_LIMIT",
    "discord/discord-api-docs#8560",
    switch="avatar_limit",
)
async def avatars(api: Api) -> None:
    path = f"/guilds/{api.twin.guild.id}/members/@me"

    def avatar(number: int) -> dict[str, str]:
        return {"avatar": "data:image/png;base64," + base64.b64encode(plain_png(number)).decode()}

    for number in range(4):
        assert (await api.patch(path, avatar(number))).json["avatar"]
    api.twin.configure(avatar_limit=Limit(1, 600.0))
    assert (await api.patch(path, avatar(5))).status == 200
    refused = await api.patch(path, avatar(6))
    assert refused.errors["avatar"]["_errors"][0]["code"] == "AVATAR_RATE_LIMIT"
    assert (await api.patch(path, {"nick": "Luna"})).json["nick"] == "Luna"


@fact("B-01", "a new message is a push and unread, an edit is neither", "discord/discord-api-docs#7854")
async def pushes(api: Api) -> None:
    person = api.twin.fake_user()
    made = (await api.send("hello")).json["id"]
    await api.edit(made, content=f"hello {person.mention}")
    assert [one.text for one in person.pushes] == ["hello"]
    assert person.unread == 1
    person.read()
    assert person.unread == 0


@fact("B-02", "the push of a V2 message has no words", "discord/discord-api-docs#7854")
async def empty_push(api: Api) -> None:
    await api.send(None, components=[{"type": 10, "content": "words"}], flags=V2)
    assert [one.text for one in api.twin.fake_user().pushes] == [""]


@fact("B-03", "a silent message rings no phone and is unread all the same", "discord/discord-api-docs#5910")
async def silent(api: Api) -> None:
    await api.send("psst", flags=1 << 12)
    (push,) = api.twin.fake_user().pushes
    assert (push.silent, api.twin.fake_user().unread) == (True, 1)


@fact("B-04", "in a server people may hear of mentions only", "unsure", switch="push_for")
async def mentions_only(api: Api) -> None:
    person = api.twin.fake_user()
    api.twin.configure(push_for="mentions")
    await api.send("to nobody")
    assert person.pushes == []
    await api.send(f"to {person.mention}")
    assert len(person.pushes) == 1
