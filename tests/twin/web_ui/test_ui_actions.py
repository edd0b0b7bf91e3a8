from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest

from discord_twin import (
    ActionUnavailable,
    ChannelType,
    DrivenClock,
    Permission,
    RealClock,
    Twin,
    TwinOptions,
    User,
)
from discord_twin.discord_py import running
from discord_twin.web_ui.ui_actions import InvalidAction, UIActions
from twin.web_ui.page_bot import PageBot


class Acting:
    """One person who acts on the page, without a page."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.acts = UIActions(twin)

    async def __call__(self, act: str, user: User | None = None, /, **asked: Any) -> Any:
        asked.setdefault("channel", str(self.twin.channel.id))
        return await self.acts.apply(act, user or self.twin.user, asked)


@pytest.fixture
def acting() -> Acting:
    return Acting(Twin(TwinOptions.without_limits(), clock=DrivenClock()))


def packed(name: str, content: bytes) -> dict[str, str]:
    return {"name": name, "data": base64.b64encode(content).decode()}


async def test_a_message_is_written_with_files_and_answers_another(acting: Acting) -> None:
    first = acting.twin.say(acting.twin.channel, acting.twin.user, "first")
    files = [packed("a.txt", b"1"), packed("a.txt", b"2")]
    await acting("say", text=" hi ", reply=str(first.id), files=files)
    message = [*acting.twin.channel.messages.values()][-1]

    assert (message.content, message.draft.reply_to) == ("hi", first)
    assert sorted(one.content for one in message.attachments) == [b"1", b"2"]


async def test_what_makes_no_sense_is_refused(acting: Acting) -> None:
    acting.twin.configure(file_limit=10)
    bad: list[dict[str, Any]] = [
        {"text": " "},
        {"text": "x" * 4001},
        {"files": [{"name": "a", "data": "no base64!"}]},
        {"files": [{"name": "a"}]},
        {"files": 3},
        {"text": "x", "channel": "x"},
        {"text": "x", "channel": None},
    ]
    for asked in bad:
        with pytest.raises(InvalidAction):
            await acting("say", **asked)
    for asked in ({"files": [packed("a", b"x" * 11)]}, {"files": [packed("a", b"x")] * 11}):
        with pytest.raises(ActionUnavailable):
            await acting("say", **asked)
    with pytest.raises(ActionUnavailable):
        await acting("say", text="x", reply="1")
    assert acting.twin.channel.texts == []


async def test_people_change_and_delete_what_is_theirs(acting: Acting) -> None:
    twin = acting.twin
    bob = twin.add_user("bob")
    message = twin.say(twin.channel, bob, "x")
    await acting("edit", bob, message=str(message.id), text="y")
    assert message.content == "y"
    with pytest.raises(ActionUnavailable):
        await acting("edit", message=str(message.id), text="z")
    with pytest.raises(InvalidAction):
        await acting("edit", bob, message=str(message.id), text=" ")
    own = twin.say(twin.channel, twin.user, "of the owner")
    with pytest.raises(ActionUnavailable):
        await acting("delete", bob, message=str(own.id))
    await acting("delete", message=str(message.id))  # the owner of a server may
    await acting("delete", message=str(own.id))
    assert twin.channel.texts == []


async def test_what_hangs_on_messages_is_changed(acting: Acting) -> None:
    twin = acting.twin
    message = twin.say(twin.channel, twin.user, "x")
    poll = twin.fake_user().ask("which?", ["a", "b"])
    about = {"message": str(message.id)}
    await acting("react", **about, emoji="🎉")
    assert message.reactions == {"🎉": [twin.user.id]}
    await acting("react", **about, emoji="🎉", on=False)
    assert not message.reactions
    with pytest.raises(ActionUnavailable):
        await acting("react", **about, emoji="nonsense")
    await acting("vote", message=str(poll.id), answer=1)
    assert poll.votes == {1: [twin.user.id]}
    await acting("pin", **about)
    assert message.pinned_at is not None


async def test_threads_posts_and_direct_messages_are_begun(acting: Acting) -> None:
    twin = acting.twin
    message = twin.say(twin.channel, twin.user, "x")
    answer = await acting("thread", message=str(message.id), name="a thread")
    assert answer == {"channel": str(message.id)}
    forum = twin.add_channel("ideas", ChannelType.FORUM)
    answer = await acting("thread", channel=str(forum.id), name="a post", text="words")
    assert twin.state.channels[int(answer["channel"])].texts == ["words"]
    with pytest.raises(InvalidAction):
        await acting("thread", name=" ")
    assert await acting("dm", user=str(twin.bot.id)) == {"channel": str(twin.dm().id)}
    with pytest.raises(ActionUnavailable):
        await acting("dm", user=str(twin.user.id))


async def test_a_user_joins_types_and_reads(acting: Acting) -> None:
    twin = acting.twin
    joined = await acting("join", name=" carol \n king ")
    carol = twin.state.users[int(joined["user"])]
    assert carol.name == "carol king"
    assert await acting("join", name="carol king") == joined
    for name in ("", "x" * 33):
        with pytest.raises(InvalidAction):
            await acting("join", name=name)
    await acting("typing", carol)
    assert twin.log.typing[-1].user_id == carol.id
    twin.say(twin.channel, twin.user, "x")
    await acting("read", carol)
    assert twin.log.unread[carol.id, twin.channel.id] == 0


async def test_a_closed_channel_is_closed_to_every_act(acting: Acting) -> None:
    twin = acting.twin
    bob = twin.add_user("bob")
    message = twin.say(twin.channel, twin.user, "secret")
    twin.state.overwrite(twin.channel, bob, deny=Permission.VIEW_CHANNEL)
    about = {
        "message": str(message.id),
        "id": "a",
        "name": "x",
        "emoji": "🎉",
        "answer": 1,
        "text": "x",
        "typing": "x",
    }
    for name in (
        "say",
        "edit",
        "delete",
        "react",
        "vote",
        "pin",
        "thread",
        "typing",
        "press",
        "slash",
        "complete",
        "menu",
    ):
        with pytest.raises(ActionUnavailable):
            await acting(name, bob, **about)


async def test_without_a_bot_an_interaction_fails_at_once(acting: Acting) -> None:
    acting.twin.bot.commands[1] = {"id": "1", "name": "x", "type": 1, "description": "x"}
    with pytest.raises(ActionUnavailable, match="No bot is connected"):
        await acting("slash", name="x")


# With a bot


@pytest.fixture
async def answered() -> AsyncIterator[Acting]:
    async with Twin(TwinOptions.without_limits(), clock=RealClock()) as twin, running(twin, PageBot()):
        yield Acting(twin)


async def test_commands_take_options_of_every_kind_and_suggest_values(answered: Acting) -> None:
    twin = answered.twin
    assert await answered("slash", name="eat", options={"fruit": "date", "count": "2"}) is None
    assert (await twin.next_message()).content == "ate 2 date"
    half = await answered("complete", name="eat", typing="fruit", options={"fruit": "ap"})
    assert half == {"choices": [{"label": one, "value": one} for one in ("apple", "apricot")]}
    await answered("slash", name="note add", options={"who": str(twin.user.id), "text": "kind"})
    assert (await twin.next_message()).content == f"noted for <@{twin.user.id}>: kind"
    for options in ({"fruit": "date", "count": "many"}, {"who": "1"}):
        with pytest.raises((InvalidAction, ActionUnavailable)):
            await answered("slash", name="eat", options=options)


async def test_a_form_is_submitted_once_by_the_user_it_was_shown_to(answered: Acting) -> None:
    twin = answered.twin
    modal = (await answered("slash", name="order"))["modal"]
    what, why, size = (row["id"] for row in modal["rows"])
    values = {what: "cake", why: "", size: ["small"]}
    with pytest.raises(ActionUnavailable):
        await answered("submit", twin.add_user("bob"), modal=modal["id"], values=values)
    with pytest.raises(ActionUnavailable):
        await answered("submit", modal="1", values=values)
    assert await answered("submit", modal=modal["id"], values=values) is None
    assert (await twin.next_message()).content == "ordered cake (small): no reason"


async def test_buttons_menus_and_context_menus_reach_the_bot(answered: Acting) -> None:
    twin = answered.twin
    await answered("slash", name="panel")
    panel = await twin.next_message()
    about = {"message": str(panel.id)}
    assert await answered("press", **about, id="count") is None
    assert panel.content == "counted 1"
    await answered("press", **about, id="people", values=[str(twin.user.id)])
    assert (await twin.next_message()).content == "people: alice"
    with pytest.raises(ActionUnavailable):
        await answered("press", **about, id="closed")
    await answered("menu", **about, name="Repeat this")
    assert (await twin.next_message()).content == "again: counted 1"
    await answered("menu", user=str(twin.user.id), name="Who is it?")
    assert (await twin.next_message()).content == "that is alice"


async def test_a_bot_that_does_not_answer_is_not_waited_for_longer_than_discord_waits(
    answered: Acting,
) -> None:
    answered.twin.configure(interaction_deadline_s=0.05)
    with pytest.raises(ActionUnavailable, match="did not respond"):
        await answered("slash", name="sleep")
