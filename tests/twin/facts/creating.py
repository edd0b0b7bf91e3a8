"""Facts about creating once (§1.3), replies (§1.8), reading back and editing."""

from __future__ import annotations

from discord_twin import DrivenClock, Permission
from discord_twin.state.enums import MessageType
from discord_twin.state.models import Draft
from twin.api import Api
from twin.facts.table import fact


def jump(api: Api, seconds: float) -> None:
    assert isinstance(api.twin.clock, DrivenClock)
    api.twin.clock.jump(seconds)


@fact(
    "N-01",
    "the same nonce with enforce_nonce gives the same message",
    "DD:resources/message.mdx:1092",
    switch="nonce_enforce",
)
async def same_nonce(api: Api) -> None:
    first = await api.send("a", nonce="n1", enforce_nonce=True)
    again = await api.send("a", nonce="n1", enforce_nonce=True)
    assert first.json["id"] == again.json["id"]
    assert api.twin.channel.texts == ["a"]
    api.twin.configure(nonce_enforce=False)
    await api.send("a", nonce="n1", enforce_nonce=True)
    assert api.twin.channel.texts == ["a", "a"]


@fact("N-02", "without enforce_nonce a nonce is only echoed", "DD:resources/message.mdx:1092")
async def not_enforced(api: Api) -> None:
    first, second = await api.send("a", nonce="n1"), await api.send("a", nonce="n1")
    assert first.json["id"] != second.json["id"]
    assert first.json["nonce"] == "n1"


@fact("N-03", "one nonce is one body: a second text is swallowed", "elizaOS/eliza#17942")
async def one_body(api: Api) -> None:
    await api.send("notice", nonce="n1", enforce_nonce=True)
    answer = await api.send("the answer", nonce="n1", enforce_nonce=True)
    assert (answer.status, answer.json["content"]) == (200, "notice")


@fact(
    "N-04",
    "after a delete, the nonce answers 404/10008",
    "discord/discord-api-docs#6647",
    switch="nonce_deleted_404",
)
async def after_delete(api: Api) -> None:
    made = await api.send("a", nonce="n1", enforce_nonce=True)
    api.twin.delete(api.twin.channel.messages[int(made.json["id"])])
    assert (await api.send("a", nonce="n1", enforce_nonce=True)).outcome == (404, 10008)
    api.twin.configure(nonce_deleted_404=False)
    assert (await api.send("a", nonce="n1", enforce_nonce=True)).json["id"] == made.json["id"]


@fact(
    "N-05",
    "nonces are forgotten after some minutes",
    "DD:resources/message.mdx:1092",
    switch="nonce_window_s",
)
async def window(api: Api) -> None:
    for seconds in (180.0, 60.0):
        api.twin.configure(nonce_window_s=seconds)
        nonce = f"n{seconds}"
        first = (await api.send("a", nonce=nonce, enforce_nonce=True)).json["id"]
        jump(api, seconds - 1)
        assert (await api.send("a", nonce=nonce, enforce_nonce=True)).json["id"] == first
        jump(api, 1)
        assert (await api.send("a", nonce=nonce, enforce_nonce=True)).json["id"] != first


@fact("N-06", "a nonce is a number or at most 25 characters", "DS MessageCreateRequest.nonce")
async def nonce_shape(api: Api) -> None:
    assert (await api.send(nonce="x" * 25)).status == 200
    assert (await api.send(nonce=2**62)).json["nonce"] == 2**62
    assert (await api.send(nonce="x" * 26)).outcome == (400, 50035)


@fact("N-07", "nonces work for multipart too: two creates, one attachment", "twilight-rs/twilight#2570")
async def multipart_nonce(api: Api) -> None:
    first = await api.upload({"a.txt": b"x"}, nonce="n1", enforce_nonce=True)
    again = await api.upload({"a.txt": b"x"}, nonce="n1", enforce_nonce=True)
    assert first.json["attachments"] == again.json["attachments"]


@fact("N-08", "webhooks ignore nonces", "DS IncomingWebhookRequestPartial; discord/discord-api-docs#6647")
async def webhook_nonce(api: Api) -> None:
    hook = await api.hook()
    for _ in range(2):
        await api.post(hook, {"content": "a", "nonce": "n1", "enforce_nonce": True})
    assert api.twin.channel.texts == ["a", "a"]


@fact("N-09", "nonces belong to an author", "DD:resources/message.mdx:1092")
async def per_author(api: Api) -> None:
    await api.send("a", nonce="n1", enforce_nonce=True)
    other = api.twin.state.add_application("other", api.twin.user)
    api.twin.state.add_member(api.twin.guild, other.user)
    api.token = other.token
    await api.send("b", nonce="n1", enforce_nonce=True)
    assert api.twin.channel.texts == ["a", "b"]


@fact("R-01", "a reply is type 19 and carries what it replies to", "DD:resources/message.mdx:333")
async def reply(api: Api) -> None:
    said = api.twin.say(api.twin.channel, api.twin.user, "question")
    made = (await api.send("answer", message_reference={"message_id": str(said.id)})).json
    assert made["type"] == 19
    assert made["message_reference"]["channel_id"] == str(api.twin.channel.id)
    assert made["referenced_message"]["content"] == "question"


@fact(
    "R-02",
    "fail_if_not_exists defaults to true",
    "DD:resources/message.mdx:333",
    switch="reply_fail_if_not_exists",
)
async def reply_to_nothing(api: Api) -> None:
    gone = {"message_id": "123456789012345678"}
    refused = await api.send(message_reference=gone)
    assert refused.outcome == (400, 50035)
    assert "message_reference" in refused.errors
    api.twin.configure(reply_fail_if_not_exists=False)
    assert (await api.send(message_reference=gone)).status == 200


@fact(
    "R-03",
    "with fail_if_not_exists off a reply to nothing is a plain message",
    "DD:resources/message.mdx:333",
)
async def reply_off(api: Api) -> None:
    made = await api.send(message_reference={"message_id": "1", "fail_if_not_exists": False})
    assert (made.status, made.json["type"]) == (200, 0)


@fact("R-04", "a reply needs Read Message History: 160002", "DD:resources/message.mdx:1066")
async def reply_without_history(api: Api) -> None:
    said = api.twin.say(api.twin.channel, api.twin.user, "question")
    api.twin.state.overwrite(api.twin.channel, api.twin.bot.user, deny=Permission.READ_MESSAGE_HISTORY)
    assert (await api.send(message_reference={"message_id": str(said.id)})).outcome == (403, 160002)


@fact("R-05", "nobody can reply to a system message", "DD:resources/message.mdx:1071")
async def reply_to_system(api: Api) -> None:
    state, channel = api.twin.state, api.twin.channel
    joined = state.post(channel, api.twin.user, Draft(), type_=MessageType.USER_JOIN)
    refused = await api.send(message_reference={"message_id": str(joined.id)})
    assert (
        refused.errors["message_reference"]["_errors"][0]["code"] == "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE"
    )


@fact(
    "R-06",
    "without Read Message History reading back gives no messages, and no error",
    "DD:resources/message.mdx Get Channel Messages",
)
async def read_without_history(api: Api) -> None:
    api.twin.say(api.twin.channel, api.twin.user, "x")
    path = f"/channels/{api.twin.channel.id}/messages"
    assert len((await api.get(path)).json) == 1
    api.twin.state.overwrite(api.twin.channel, api.twin.bot.user, deny=Permission.READ_MESSAGE_HISTORY)
    assert (await api.get(path)).json == []


@fact(
    "R-07",
    "messages are read newest first, with before, after and around, 100 at most",
    "DD:resources/message.mdx Get Channel Messages",
)
async def reading(api: Api) -> None:
    said = [api.twin.say(api.twin.channel, api.twin.user, str(number)) for number in range(10)]
    path = f"/channels/{api.twin.channel.id}/messages"

    async def texts(query: str) -> str:
        return "".join(one["content"] for one in (await api.get(path + query)).json)

    assert await texts("?limit=3") == "987"
    assert await texts(f"?limit=3&before={said[5].id}") == "432"
    assert await texts(f"?limit=3&after={said[5].id}") == "876"
    assert await texts(f"?limit=3&around={said[5].id}") == "654"
    assert (await api.get(path + "?limit=101")).outcome == (400, 50035)


@fact("R-08", "only the author edits a message: 50005", "DD:topics/opcodes-and-status-codes.mdx")
async def foreign_edit(api: Api) -> None:
    said = api.twin.say(api.twin.channel, api.twin.user, "x")
    assert (await api.edit(str(said.id), content="y")).outcome == (403, 50005)


@fact(
    "R-09",
    "too many edits of a message older than an hour: 30046",
    "DD:topics/opcodes-and-status-codes.mdx",
    switch="old_edit_cap",
)
async def old_edits(api: Api) -> None:
    made = (await api.send()).json["id"]
    jump(api, 3601)
    assert (await api.edit(made, content="1")).status == 200
    api.twin.configure(old_edit_cap=1)
    assert (await api.edit(made, content="2")).status == 200
    assert (await api.edit(made, content="3")).outcome == (400, 30046)
