from __future__ import annotations

from streamcord._twin.state import message_changes as changes
from streamcord.twin import ChannelType, Event, Twin


def told(twin: Twin) -> list[Event]:
    events: list[Event] = []
    twin.state.observe(events.append)
    return events


def test_a_reaction_is_told_once_and_the_last_takes_the_emoji_away() -> None:
    twin = Twin()
    message, events = twin.say(twin.channel, twin.user, "x"), told(twin)
    for _ in range(2):
        changes.add_reaction(twin.state, twin.channel, message, twin.user, "🔥")
    for _ in range(2):
        changes.remove_reaction(twin.state, twin.channel, message, twin.user, "🔥")

    assert [one.name for one in events] == ["MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"]
    assert message.reactions == {}


def test_a_pin_is_told_with_its_notice_and_taken_back_without() -> None:
    twin = Twin()
    message, events = twin.say(twin.channel, twin.user, "x"), told(twin)
    for _ in range(2):
        changes.pin(twin.state, twin.channel, message, twin.user)
    for _ in range(2):
        changes.unpin(twin.state, twin.channel, message)

    assert [one.name for one in events] == ["CHANNEL_PINS_UPDATE", "MESSAGE_CREATE", "CHANNEL_PINS_UPDATE"]
    assert events[-1].payload["last_pin_timestamp"] is None


def test_one_event_tells_of_many_deletions() -> None:
    twin = Twin()
    messages = [twin.say(twin.channel, twin.user, text) for text in "abc"]
    events = told(twin)
    changes.delete_many(twin.state, twin.channel, messages[:2])
    changes.delete_many(twin.state, twin.channel, messages[:2])

    assert [(one.name, len(one.payload["ids"])) for one in events] == [("MESSAGE_DELETE_BULK", 2)]
    assert twin.channel.texts == ["c"]


def test_one_vote_each_unless_more_are_allowed() -> None:
    twin = Twin()
    single = twin.people.ask(twin.channel, twin.user, "q", ["a", "b"])
    for answer in (1, 2):
        changes.vote(twin.state, twin.channel, single, twin.user, answer, on=True)
    assert single.votes == {1: [], 2: [twin.user.id]}
    assert single.draft.poll is not None
    single.draft.poll["allow_multiselect"] = True
    changes.vote(twin.state, twin.channel, single, twin.user, 1, on=True)
    changes.vote(twin.state, twin.channel, single, twin.user, 2, on=False)
    assert single.votes == {1: [twin.user.id], 2: []}
    changes.end_poll(twin.state, twin.channel, single)
    assert single.poll_ended


def test_a_private_thread_is_announced_to_nobody() -> None:
    twin = Twin()
    thread = twin.state.add_thread(twin.channel, "t", twin.user, type_=ChannelType.PRIVATE_THREAD)
    changes.announce_thread(twin.state, twin.channel, thread, twin.user, None)

    assert list(twin.channel.messages) == []
