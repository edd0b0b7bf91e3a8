"""A program in any language acts as a user of a real bot."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator

import pytest

from discord_twin.discord_py import running
from twin.control.client import Control
from twin.web_ui.page_bot import PageBot


@pytest.fixture
async def bot(control: Control) -> AsyncIterator[PageBot]:
    async with running(control.twin, PageBot()) as bot:
        yield bot


async def test_messages_replies_files_reactions_pins_and_threads(control: Control) -> None:
    data = base64.b64encode(b"text").decode()
    said = await control.post("say", text="one", files=[{"name": "a.txt", "data": data}])
    assert said["attachments"][0]["filename"] == "a.txt"
    reply = await control.post("say", text="two", reply_to=said["id"])
    assert reply["referenced_message"]["id"] == said["id"]
    assert (await control.post("edit", message=said["id"], text="three"))["content"] == "three"
    assert (await control.post("react", message=said["id"], emoji="👍"))["reacted"] == {
        "👍": [str(control.twin.user.id)]
    }
    assert (await control.post("pin", message=said["id"]))["pinned"]
    thread = await control.post("threads", name="talk", message=said["id"], text="inside")
    listed = await control.get("messages", channel=thread["id"])
    assert [one["content"] for one in listed["messages"]][-1] == "inside"
    await control.post("delete", message=reply["id"])
    assert (await control.refused("delete", message=reply["id"]))[0] == 404
    direct = await control.post("direct")
    assert (await control.post("say", channel=direct["id"], text="secret"))["channel_id"] == direct["id"]


async def test_commands_suggestions_buttons_menus_and_forms(control: Control, bot: PageBot) -> None:
    assert bot.user
    assert (await control.post("wait", **{"for": "ready"}))["bots"] == [bot.user.name]
    suggested = await control.post("complete", name="eat", typing="fruit", options={"fruit": "ap"})
    assert [one["value"] for one in suggested["answer"]["data"]["choices"]] == ["apple", "apricot"]
    eaten = await control.post("slash", name="eat", options={"fruit": "pear", "count": 2})
    assert eaten["message"]["content"] == "ate 2 pear"
    await control.post("users", name="bob")
    noted = await control.post("slash", name="note add", options={"who": "bob", "text": "hm"})
    assert noted["message"]["ephemeral"]

    panel = (await control.post("slash", name="panel"))["message"]
    await control.post("press", message=panel["id"], id="count")
    counted = await control.post("wait", **{"for": "message", "contains": "counted 1"})
    assert counted["id"] == panel["id"]
    picked = await control.post("press", message=panel["id"], id="people", values=["@bob"])
    assert picked["message"]["content"] == "people: bob"
    assert await control.refused("press", message=panel["id"], id="closed") == (
        409,
        "the component 'closed' is disabled",
    )

    form = await control.post("slash", name="order")
    fields = [
        one["custom_id"] for row in form["answer"]["data"]["components"] for one in row.get("components", ())
    ]
    size = next(
        row["component"]["custom_id"] for row in form["answer"]["data"]["components"] if "component" in row
    )
    sent = await control.post("submit", interaction=form["id"], values={fields[0]: "cake", size: ["small"]})
    answer = await control.post("wait", **{"for": "answer", "interaction": sent["id"]})
    assert answer["message"]["content"] == "ordered cake (small): no reason"

    repeated = await control.post("menu", name="Repeat this", message=eaten["message"]["id"])
    assert repeated["message"]["content"] == "again: ate 2 pear"
    shown = await control.post("menu", name="Who is it?", target="bob")
    assert shown["message"]["content"] == "that is bob"


async def test_a_bot_that_does_not_answer_is_no_error(control: Control) -> None:
    control.twin.bot.commands[1] = {"id": "1", "name": "help", "type": 1, "description": "Help"}
    used = await control.post("slash", name="help", wait=0.05)
    assert (used["responded"], used["answer"]) == (False, None)
    assert (await control.refused("wait", **{"for": "answer", "interaction": used["id"], "timeout": 0.05}))[
        0
    ] == 504


@pytest.mark.parametrize(
    ("path", "body", "status", "why"),
    [
        ("say", {}, 400, "a message has a text or files"),
        ("say", {"text": "x", "user": "streamcord"}, 409, "is a bot"),
        ("say", {"text": "x", "channel": "nowhere"}, 404, "there is no channel 'nowhere'"),
        ("say", {"text": "x", "files": [{"name": "a", "data": "%"}]}, 400, "base64"),
        ("edit", {"message": "1", "text": "x"}, 404, "there is no message '1'"),
        ("press", {"message": "9" * 20, "id": "x"}, 404, "no message"),
        ("slash", {"name": "nothing"}, 409, "nothing"),
        ("menu", {"name": "x"}, 400, "either a message or a target"),
        ("submit", {"interaction": "1"}, 404, "there is no interaction '1'"),
        ("vote", {"message": "1", "answer": 0}, 400, "body.answer: not between 1 and 10"),
    ],
)
async def test_what_a_user_cannot_do_is_refused_with_a_reason(
    control: Control, path: str, body: dict[str, object], status: int, why: str
) -> None:
    got, said = await control.refused(path, **body)
    assert got == status
    assert why in said
