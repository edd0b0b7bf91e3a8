from __future__ import annotations

from typing import Any

from discord_twin import ChannelType, DrivenClock, Permission, Twin
from discord_twin.web_ui.channel_views import (
    channels_view,
    command_views,
    list_channels,
    marks_since,
    unread_view,
)


def make_twin() -> Twin:
    return Twin(clock=DrivenClock())


def test_channels_stand_in_order_with_their_threads_and_direct_messages_last() -> None:
    twin = make_twin()
    twin.dm()
    forum = twin.add_channel("ideas", ChannelType.FORUM)
    twin.add_channel("voice", ChannelType.VOICE)
    person = twin.fake_user()
    person.channel = forum
    person.start_thread("a post", text="first words")
    twin.add_thread("a thread")
    listed = [one["name"] for one in channels_view(twin, twin.user)["channels"]]
    kinds = {one["name"]: one["kind"] for one in channels_view(twin, twin.user)["channels"]}

    assert listed == ["general", "a thread", "ideas", "a post", "streamcord"]
    assert kinds == {
        "general": "text", "a thread": "thread", "ideas": "forum", "a post": "thread", "streamcord": "direct",
    }  # fmt: skip
    post = next(one for one in channels_view(twin, twin.user)["channels"] if one["name"] == "a post")
    assert (post["first"], post["count"], post["can_write"]) == ("first words", 1, True)


def test_a_group_bears_the_names_of_the_others() -> None:
    twin = make_twin()
    bob, carol = twin.add_user("bob"), twin.add_user("carol")
    twin.group(twin.user, bob)
    group = channels_view(twin, twin.user)["channels"][-1]

    assert (group["kind"], group["name"], group["can_write"]) == ("direct", "bob", True)
    assert [one["name"] for one in channels_view(twin, carol)["channels"]] == ["general"]


def test_a_user_does_not_see_closed_channels() -> None:
    twin = make_twin()
    bob = twin.add_user("bob")
    twin.dm()
    twin.state.overwrite(twin.channel, bob, deny=Permission.VIEW_CHANNEL)
    other = twin.add_channel("read only")
    twin.state.overwrite(other, bob, deny=Permission.SEND_MESSAGES)

    assert list_channels(twin, bob) == [other]
    assert channels_view(twin, bob)["channels"][0]["can_write"] is False


def test_people_roles_and_emoji_are_named() -> None:
    twin = make_twin()
    twin.state.add_role(twin.guild, "helpers", mentionable=True)
    twin.state.add_role(twin.guild, "quiet")
    star, plain = twin.state.add_emoji(twin.guild, "star"), twin.state.add_emoji(twin.guild, "plain")
    twin.state.pictures[str(star.id)] = b"png"
    seen = channels_view(twin, twin.user)

    assert [(one["name"], one["bot"]) for one in seen["people"]] == [("alice", False), ("streamcord", True)]
    assert [one["name"] for one in seen["roles"]] == ["helpers"]
    assert [one["picture"] for one in seen["emoji"]] == [f"/cdn/emojis/{star.id}.png", None]
    assert plain.name == "plain"


def test_unread_messages_and_mentions_are_counted_until_read() -> None:
    twin = make_twin()
    bob = twin.fake_user("bob")
    twin.say(twin.channel, twin.user, "read before")
    bob.read()
    for text in ("one", f"two <@{bob.user.id}>", f"three <@{bob.user.id}>"):
        twin.say(twin.channel, twin.user, text)

    assert unread_view(twin, bob.user, twin.channel) == {"unread": 3, "mentions": 2}
    assert unread_view(twin, twin.user, twin.channel) == {"unread": 0, "mentions": 0}
    bob.read()
    assert unread_view(twin, bob.user, twin.channel) == {"unread": 0, "mentions": 0}


def test_a_phone_rings_or_stays_silent() -> None:
    twin = make_twin()
    bob = twin.add_user("bob")
    loud = twin.say(twin.channel, twin.user, "loud")
    quiet = twin.say(twin.channel, twin.user, "quiet", silent=True)

    assert marks_since(twin, bob, loud.id) == {loud.id: "push", quiet.id: "silent"}
    assert marks_since(twin, bob, quiet.id) == {quiet.id: "silent"}
    assert marks_since(twin, twin.user, loud.id) == {}


def test_commands_are_listed_with_their_options_where_they_are_offered() -> None:
    twin = make_twin()

    def add(name: str, **fields: Any) -> None:
        command = {
            "id": str(len(twin.bot.commands) + 1),
            "name": name,
            "type": 1,
            "description": "",
            **fields,
        }
        twin.bot.commands[int(command["id"])] = command

    add(
        "eat",
        description="Eat",
        options=[
            {"name": "fruit", "description": "which", "type": 3, "required": True, "autocomplete": True},
            {"name": "count", "description": "", "type": 4, "min_value": 1, "max_value": 9},
            {"name": "size", "description": "", "type": 3, "choices": [{"name": "Small", "value": "s"}]},
        ],
    )
    add("note", options=[{"name": "add", "type": 1, "description": "Add", "options": []}])
    add("Who?", type=2)
    add("Why?", type=3)
    add("hidden", default_member_permissions="8")
    bob = twin.add_user("bob")
    seen = {one["name"]: one for one in command_views(twin, bob, twin.channel)}

    assert {name: one["kind"] for name, one in seen.items()} == {
        "eat": "slash", "note add": "slash", "Who?": "user", "Why?": "message",
    }  # fmt: skip
    fruit, count, size = seen["eat"]["options"]
    assert (fruit["kind"], fruit["required"], fruit["completes"]) == ("text", True, True)
    assert (count["kind"], count["min"], count["max"]) == ("whole", 1, 9)
    assert size["choices"] == [{"label": "Small", "value": "s"}]
