from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discord_twin import DrivenClock, Message, MessageFlag, Twin
from discord_twin.state.enums import MessageType
from discord_twin.state.models import Attachment, Draft
from discord_twin.web_ui.message_view import is_seen, message_view


@pytest.fixture
def twin() -> Twin:
    return Twin(clock=DrivenClock())


def post(twin: Twin, **fields: Any) -> Message:
    return twin.state.post(twin.channel, twin.bot.user, Draft(**fields))


def view(twin: Twin, message: Message) -> dict[str, Any]:
    """As the page gets it."""
    seen: dict[str, Any] = json.loads(json.dumps(message_view(twin.state, message, twin.user)))
    return seen


def test_a_message_says_who_wrote_it_and_what(twin: Twin) -> None:
    seen = view(twin, post(twin, content="x"))

    assert (seen["author"]["name"], seen["author"]["machine"], seen["mine"]) == ("streamcord", True, False)
    assert (seen["raw"], seen["edited"], seen["plain"], seen["only_you"]) == ("x", False, True, False)
    assert (seen["can_edit"], seen["can_delete"], seen["can_thread"]) == (False, True, True)


def test_message_is_marked_as_edited_if_more_than_its_buttons_changed(twin: Twin) -> None:
    message = post(twin, content="x")
    row: Any = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Again", "custom_id": "a"}]}
    marked = []
    for draft in (
        replace(message.draft, components=(row,)),
        replace(message.draft, content="y"),
        message.draft,
    ):
        twin.state.edit(twin.channel, message, draft)
        marked.append(view(twin, message)["edited"])
    waiting = post(twin, flags=MessageFlag.LOADING)
    twin.state.edit(twin.channel, waiting, Draft(content="the reply to a command"))

    assert marked == [False, True, True]
    assert view(twin, waiting)["edited"] is False


def test_replies_embeds_files_and_buttons_are_shown(twin: Twin) -> None:
    said = twin.say(twin.channel, twin.user, "**what** is it?\nmore")
    message = post(
        twin,
        content="this",
        reply_to=said,
        reply_ids=(twin.channel.id, said.id),
        embeds=(
            {
                "author": {"name": "An author"},
                "title": "A title",
                "description": "**why**",
                "fields": [{"name": "Field", "value": "value", "inline": True}],
                "footer": {"text": "foot"},
                "image": {"url": "attachment://drawn.png"},
                "color": 5,
            },
            {},
        ),
        attachments=(
            Attachment(1, "notes.txt", b"12345", "text/plain"),
            Attachment(2, "table.png", b"", "image/png", "a | b", 4, 4),
            Attachment(3, "drawn.png", b"", "image/png", None, 4, 4),
        ),
        components=({"type": 1, "components": [{"type": 2, "label": "Stop", "style": 4, "custom_id": "a"}]},),
    )
    seen = view(twin, message)

    assert (seen["reply"]["name"], seen["reply"]["text"]) == ("alice", "what is it?")
    embed, empty = seen["embeds"]
    assert (embed["author"], embed["title"], embed["footer"], embed["colour"]) == (
        "An author",
        "A title",
        "foot",
        5,
    )
    assert (embed["fields"][0]["name"], embed["fields"][0]["inline"]) == ("Field", True)
    assert embed["picture"]["name"] == "drawn.png"
    assert (empty["title"], empty["text"], empty["fields"]) == ("", [], [])
    assert [(one["name"], one["size"], one["picture"]) for one in seen["files"]] == [
        ("notes.txt", 5, False),
        ("table.png", 0, True),
    ]
    assert (seen["files"][1]["at"], seen["files"][1]["about"]) == (
        f"/cdn/attachments/{twin.channel.id}/2/table.png",
        "a | b",
    )
    assert seen["parts"][0]["row"][0]["button"]["label"] == "Stop"


def test_a_reply_to_a_message_that_is_gone_says_so(twin: Twin) -> None:
    assert view(twin, post(twin, content="x", reply_ids=(1, 2)))["reply"] == {"gone": True}


def test_the_first_words_of_code_and_quotes_are_quoted_too(twin: Twin) -> None:
    for text, words in (("```py\nx = 1\ny```", "x = 1"), ("> a\nb", "a"), ("\n", "(no text)")):
        said = post(twin, content=text)
        reply = post(twin, content="r", reply_to=said, reply_ids=(twin.channel.id, said.id))
        assert view(twin, reply)["reply"]["text"] == words


def test_a_mentioned_user_sees_the_message_highlighted(twin: Twin) -> None:
    bob = twin.add_user("bob")
    role = twin.state.add_role(twin.guild, "helpers", mentionable=True)
    twin.guild.members[twin.user.id].role_ids.append(role.id)

    assert view(twin, twin.say(twin.channel, bob, f"<@{twin.user.id}>"))["to_me"] is True
    assert view(twin, twin.say(twin.channel, bob, f"<@&{role.id}>"))["to_me"] is True
    assert view(twin, twin.say(twin.channel, bob, "nobody"))["to_me"] is False
    own = view(twin, twin.say(twin.channel, twin.user, f"<@{twin.user.id}>"))
    assert (own["to_me"], own["mine"], own["can_edit"]) == (False, True, True)


def test_reactions_polls_threads_and_forwards_are_shown(twin: Twin) -> None:
    person = twin.fake_user()
    poll = person.ask("which?", ["this", "that"])
    person.vote(poll, 2)
    seen = view(twin, poll)["poll"]
    assert (seen["question"], [(one["text"], one["count"], one["me"]) for one in seen["answers"]]) == (
        "which?",
        [("this", 0, False), ("that", 1, True)],
    )

    message = person.say("to talk about")
    person.react(message, "🎉")
    person.react(message, "star:5")
    twin.state.pictures["5"] = b"png"
    person.start_thread("a thread", message)
    seen = view(twin, message)
    assert [(one["text"], one["count"], one["me"]) for one in seen["reactions"]] == [
        ("🎉", 1, True),
        (":star:", 1, True),
    ]
    assert (seen["thread"]["name"], seen["can_thread"]) == ("a thread", False)

    other = twin.add_channel("other")
    forwarded = view(twin, person.forward(message, other))
    assert forwarded["forwarded"][0]["runs"][0]["text"] == "to talk about"
    assert "reply" not in forwarded


def test_what_discord_says_by_itself_is_a_line(twin: Twin) -> None:
    kinds = (MessageType.PINNED_MESSAGE, MessageType.USER_JOIN, MessageType.THREAD_CREATED)
    for kind in kinds:
        message = twin.state.post(twin.channel, twin.user, Draft(content="name"), type_=kind)
        assert view(twin, message)["system"]
    assert view(twin, twin.say(twin.channel, twin.user, "x"))["system"] == ""


def test_an_answer_for_one_person_is_seen_by_them_alone(twin: Twin) -> None:
    command = {"id": "1", "name": "ask", "type": 1, "description": "x"}
    twin.bot.commands[1] = command
    bob = twin.add_user("bob")
    asked = twin.slash("ask", twin.channel, bob)
    message = twin.state.post(
        twin.channel,
        twin.bot.user,
        Draft(content="psst", flags=MessageFlag.EPHEMERAL | MessageFlag.LOADING),
        type_=MessageType.CHAT_INPUT_COMMAND,
        interaction=asked,
    )
    seen = message_view(twin.state, message, bob)

    assert is_seen(message, bob)
    assert not is_seen(message, twin.user)
    assert (seen["only_you"], seen["loading"], seen["can_delete"]) == (True, True, False)
    assert (seen["used"]["name"], seen["used"]["command"]) == ("bob", "/ask")


@settings(max_examples=100)
@given(
    st.text(max_size=80)
    | st.sampled_from(["<script>x</script>", '"><img src=x onerror=x>', "&lt;", "\u202e"])
)
def test_every_address_is_the_twins_own(text: str) -> None:
    twin = Twin(clock=DrivenClock())
    embed = {
        "title": text,
        "description": text,
        "fields": [{"name": text, "value": text}],
        "image": {"url": text},
    }
    file = Attachment(1, text or "x", b"", "text/plain", text)
    picture = Attachment(1, text or "x", b"", "image/png", text, 1, 1)
    message = post(
        twin, content=text, username=text, avatar_url=text, embeds=(embed,), attachments=(file, picture)
    )
    seen = view(twin, message)

    for one in seen["files"]:
        assert one["at"].startswith("/cdn/")
        assert "\u202e" not in one["name"]
    assert seen["author"]["avatar"]["picture"] is None


def test_reply_preview_keeps_a_spoiler_hidden(twin: Twin) -> None:
    said = post(twin, content="it ends so: ||she wins||.")
    reply = post(twin, content="no!", reply_to=said, reply_ids=(twin.channel.id, said.id))

    assert view(twin, reply)["reply"]["text"] == "it ends so: (spoiler)."
