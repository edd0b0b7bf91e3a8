"""Facts about who is pinged (§1.4)."""

from __future__ import annotations

from discord_twin import Permission
from discord_twin.state.models import Role
from twin.api import Api
from twin.facts.table import fact


def kinds(api: Api) -> set[str]:
    """The kinds of pings since the last look."""
    found = {ping.kind for ping in api.twin.log.pings}
    api.twin.log.pings.clear()
    return found


def everything(api: Api) -> str:
    role = helpers(api)
    return f"@everyone @here <@{api.twin.user.id}> <@&{role.id}>"


def helpers(api: Api) -> Role:
    roles = api.twin.guild.roles.values()
    found = next((role for role in roles if role.name == "helpers"), None)
    if found is None:
        found = api.twin.state.add_role(api.twin.guild, "helpers", mentionable=True)
        api.twin.guild.members[api.twin.user.id].role_ids.append(found.id)
    return found


@fact(
    "M-01", "without the object a bot message pings users, roles and everyone", "DD:resources/message.mdx:732"
)
async def bot_default(api: Api) -> None:
    await api.send(everything(api))
    assert kinds(api) == {"user", "role", "everyone"}


@fact("M-02", "without the object a webhook pings users only", "DD:resources/message.mdx:758")
async def webhook_default(api: Api) -> None:
    await api.post(await api.hook(), {"content": everything(api)})
    assert kinds(api) == {"user"}


@fact(
    "M-03",
    "a present object turns off what it does not name, even {}",
    "discord/discord-api-docs#4270",
    switch="allowed_mentions_semantics",
)
async def explicit(api: Api) -> None:
    objects: list[dict[str, object]] = [{}, {"replied_user": False}, {"parse": []}]
    for value in objects:
        await api.send(everything(api), allowed_mentions=value)
        assert kinds(api) == set()
    api.twin.configure(allowed_mentions_semantics="lenient")
    await api.send(everything(api), allowed_mentions={"replied_user": False})
    assert kinds(api) == {"user", "role", "everyone"}


@fact("M-04", "named ids are pinged, others not", "DD:resources/message.mdx:809")
async def named(api: Api) -> None:
    bob = api.twin.add_user("bob")
    text = f"<@{api.twin.user.id}> <@!{bob.id}>"
    await api.send(text, allowed_mentions={"parse": [], "users": [str(bob.id)]})
    assert api.twin.log.pinged == {bob.id}


@fact("M-05", "parse users with ids of users is an error", "DD:resources/message.mdx:809")
async def exclusive(api: Api) -> None:
    both = {"parse": ["users"], "users": [str(api.twin.user.id)]}
    assert (await api.send(allowed_mentions=both)).outcome == (400, 50035)


@fact("M-06", "at most 100 ids", "DD:resources/message.mdx:750")
async def many_ids(api: Api) -> None:
    ids = [str(10**17 + number) for number in range(101)]
    assert (await api.send(allowed_mentions={"users": ids[:100]})).status == 200
    assert (await api.send(allowed_mentions={"users": ids})).outcome == (400, 50035)


@fact("M-07", "unknown words in parse are an error", "DD:resources/message.mdx:750")
async def unknown_parse(api: Api) -> None:
    assert (await api.send(allowed_mentions={"parse": ["here"]})).outcome == (400, 50035)


@fact("M-08", "everyone needs the permission", "DD:resources/message.mdx:714")
async def everyone_permission(api: Api) -> None:
    api.twin.state.overwrite(api.twin.channel, api.twin.bot.user, deny=Permission.MENTION_EVERYONE)
    made = await api.send("@everyone @here")
    assert (kinds(api), made.json["mention_everyone"]) == (set(), False)


@fact("M-09", "a role needs to be mentionable, or the permission", "DD:resources/message.mdx:715")
async def role_permission(api: Api) -> None:
    closed = api.twin.state.add_role(api.twin.guild, "closed")
    await api.send(f"<@&{closed.id}>")
    assert kinds(api) == {"role"}
    api.twin.state.overwrite(api.twin.channel, api.twin.bot.user, deny=Permission.MENTION_EVERYONE)
    await api.send(f"<@&{closed.id}> <@&{helpers(api).id}>")
    assert [ping.target_id for ping in api.twin.log.pings] == [helpers(api).id]


@fact("M-10", "an edit without the object parses with the defaults again", "DD:resources/message.mdx:1180")
async def edit_default(api: Api) -> None:
    made = (await api.send("nobody", allowed_mentions={"parse": []})).json["id"]
    await api.edit(made, content=everything(api))
    assert {(ping.kind, ping.by_edit) for ping in api.twin.log.pings} >= {("everyone", True), ("role", True)}


@fact("M-11", "an edit with the object obeys it", "DD:resources/message.mdx:1180")
async def edit_explicit(api: Api) -> None:
    made = (await api.send("nobody", allowed_mentions={"parse": []})).json["id"]
    await api.edit(made, content=everything(api), allowed_mentions={"parse": []})
    assert kinds(api) == set()


@fact("M-12", "a reply pings its author if the object is absent", "discord/discord-api-docs#2246")
async def reply_default(api: Api) -> None:
    said = api.twin.say(api.twin.channel, api.twin.user, "question")
    await api.send("answer", message_reference={"message_id": str(said.id)})
    assert kinds(api) == {"reply"}


@fact("M-13", "replied_user is false if the object is present", "discord/discord-api-docs#2246")
async def reply_explicit(api: Api) -> None:
    said = api.twin.say(api.twin.channel, api.twin.user, "question")
    reference = {"message_id": str(said.id)}
    await api.send("answer", message_reference=reference, allowed_mentions={"parse": []})
    assert kinds(api) == set()
    await api.send(
        "answer", message_reference=reference, allowed_mentions={"parse": [], "replied_user": True}
    )
    assert kinds(api) == {"reply"}


@fact(
    "M-14",
    "a backslash does not stop a mention",
    "wiki.raccoon.fun formatting page",
    switch="escaped_mention_pings",
)
async def escaped(api: Api) -> None:
    await api.send(f"\\<@{api.twin.user.id}>")
    assert kinds(api) == {"user"}
    api.twin.configure(escaped_mention_pings=False)
    await api.send(f"\\<@{api.twin.user.id}>")
    assert kinds(api) == set()


@fact("M-15", "a mention in code does not ping", "believed, not confirmed", switch="code_mention_pings")
async def in_code(api: Api) -> None:
    texts = [f"`<@{api.twin.user.id}>`", f"```\n<@{api.twin.user.id}> @everyone\n```"]
    for text in texts:
        await api.send(text)
    assert kinds(api) == set()
    api.twin.configure(code_mention_pings=True)
    await api.send(texts[1])
    assert kinds(api) == {"user", "everyone"}


@fact("M-16", "texts of components ping like content", "DD:resources/message.mdx:712")
async def in_components(api: Api) -> None:
    text = [{"type": 10, "content": f"<@{api.twin.user.id}>"}]
    await api.send(None, components=text, flags=1 << 15)
    assert kinds(api) == {"user"}
    await api.send(None, components=text, flags=1 << 15, allowed_mentions={"parse": []})
    assert kinds(api) == set()


@fact("M-17", "embeds never ping", "believed, not confirmed")
async def in_embeds(api: Api) -> None:
    await api.send(None, embeds=[{"description": everything(api)}])
    assert kinds(api) == set()


@fact("M-18", "an interaction pings users only if the object is absent", "DD:resources/message.mdx:758")
async def interaction_default(api: Api) -> None:
    await api.post(f"/applications/{api.twin.bot.id}/commands", {"name": "ask", "description": "d"})
    asked = api.twin.slash("ask")
    body = {"type": 4, "data": {"content": everything(api)}}
    await api.post(f"/interactions/{asked.id}/{asked.token}/callback", body)
    assert kinds(api) == {"user"}
