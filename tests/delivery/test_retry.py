"""One message, many tries: with a transport that says what it is told to say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest

from streamcord import (
    Attachment,
    ChannelGone,
    DeliveryError,
    DeliveryUnavailable,
    DeliveryUncertain,
    Message,
    MessageRefused,
    NotAllowed,
    Person,
    Receipt,
    Settings,
)
from streamcord._delivery.clock import DeliveryClock
from streamcord._delivery.outgoing import AllowedMentions, OutgoingMessage
from streamcord._delivery.retry import Outcome, RetryingSender, Undelivered, allowed_mentions_for, call_async
from streamcord._delivery.transport import ReliableTransport
from virtual_time import Channel, now, timeless

HELLO = Message("Hello, world. " * 10, reply=True)


class Script(Channel):
    """A transport that fails as it is told, then takes everything."""

    def __init__(self, *cues: DeliveryError | float, found: Receipt | DeliveryError | None = None) -> None:
        super().__init__()
        self.cues = list(cues)
        self.found = found
        self.parcels: list[OutgoingMessage] = []
        self.looks = 0

    async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
        self.parcels.append(outgoing)
        self.began.append(now())
        cue = self.cues.pop(0) if self.cues else 0.0
        if isinstance(cue, DeliveryError):
            raise cue
        await asyncio.sleep(cue)
        return Receipt(outgoing.message, len(self.parcels))

    async def find(self, outgoing: OutgoingMessage) -> Receipt | None:
        self.looks += 1
        if isinstance(self.found, DeliveryError):
            raise self.found
        return self.found

    def pause(self, message: Message) -> float:
        return 0.0

    @asynccontextmanager
    async def lock(self) -> AsyncIterator[None]:
        yield


def halves(message: Message, limit: int) -> list[Message]:
    """Pieces of a text, for those who do not ask how."""
    text = message.content
    return [Message(text[at : at + limit]) for at in range(0, len(text), limit)]


def sender(script: Channel, pace: DeliveryClock | None = None, **settings: Any) -> RetryingSender:
    return RetryingSender(script, pace or DeliveryClock(), Settings(**settings), halves)


async def post(script: Script, message: Message = HELLO, **settings: Any) -> Outcome:
    return await sender(script, **settings).send(message)


LOST = DeliveryUncertain("lost", retryable=True)
BUSY = DeliveryUnavailable("busy")


def test_scripted_transport_is_reliable() -> None:
    assert isinstance(Script(), ReliableTransport)


@timeless
async def test_the_same_key_at_every_try_and_pauses_that_grow() -> None:
    script = Script(LOST, BUSY, LOST, BUSY)
    outcome = await post(script)
    pauses = [later - before for before, later in pairwise(script.began)]

    assert isinstance(outcome, Receipt)
    assert len({outgoing.key for outgoing in script.parcels}) == 1
    assert len(pauses) == 4
    assert pauses == sorted(pauses)
    assert all(0.75 * 0.5 * 2**n <= pause <= 0.5 * 2**n for n, pause in enumerate(pauses))


@timeless
async def test_two_messages_with_equal_words_have_two_keys() -> None:
    script = Script()
    both = sender(script)
    await both.send(HELLO)
    await both.send(HELLO)

    assert len({outgoing.key for outgoing in script.parcels}) == 2


@timeless
async def test_a_pause_that_discord_names_is_kept() -> None:
    script = Script(DeliveryUnavailable("busy", retry_after=7.5))
    await post(script)

    assert script.began == [0.0, 7.5]


@timeless
async def test_what_was_never_sent_is_given_up_in_time() -> None:
    script = Script(*[BUSY] * 100)
    with pytest.raises(DeliveryUnavailable):
        await post(script, delivery_timeout=60)

    assert 30 <= now() <= 60
    assert script.looks == 0


@timeless
async def test_before_a_doubtful_message_is_sent_again_it_is_looked_for() -> None:
    found = Receipt(HELLO, 99)
    script = Script(LOST, found=found)
    outcome = await post(script)

    assert outcome == found
    assert len(script.parcels) == 1


@timeless
async def test_where_nobody_can_look_the_key_must_do_for_a_minute_and_no_longer() -> None:
    script = Script(*[LOST] * 100, found=DeliveryUncertain("no history"))
    outcome = await post(script, delivery_timeout=1000)

    assert isinstance(outcome, Undelivered)
    assert outcome.reason == "uncertain"
    assert script.began[-1] <= 60
    assert now() < 120


@timeless
async def test_what_is_certainly_not_there_at_the_end_is_undelivered() -> None:
    script = Script(*[LOST] * 100)
    outcome = await post(script, delivery_timeout=10)

    assert isinstance(outcome, Undelivered)
    assert (outcome.reason, type(outcome.error)) == ("undelivered", DeliveryUncertain)


@timeless
async def test_what_cannot_be_asked_twice_is_reported_and_not_repeated() -> None:
    script = Script(DeliveryUncertain("a webhook"))
    outcome = await post(script)

    assert outcome == Undelivered("uncertain")
    assert len(script.parcels) == 1


@timeless
async def test_who_stops_the_turn_waits_for_no_second_try() -> None:
    pace = DeliveryClock()
    script = Script(BUSY, BUSY)
    pace.expedite(5.0)
    with pytest.raises(DeliveryUnavailable):
        await sender(script, pace).send(HELLO)

    assert (now(), len(script.parcels)) == (0.0, 1)


@timeless
async def test_at_a_shutdown_it_is_still_tried_again() -> None:
    pace = DeliveryClock()
    pace.expedite()

    assert isinstance(await sender(Script(BUSY, BUSY), pace).send(HELLO), Receipt)


@timeless
async def test_message_in_flight_is_given_up_after_the_timeout() -> None:
    pace = DeliveryClock()
    script = Script(3600.0, found=DeliveryUncertain("no history"))
    asyncio.get_running_loop().call_later(1.0, pace.expedite, 5.0)
    outcome = await sender(script, pace).send(HELLO)

    assert isinstance(outcome, Undelivered)
    assert outcome.reason == "uncertain"
    assert now() == 6.0


@timeless
async def test_too_long_is_cut_as_short_as_discord_said_and_later_ones_at_once() -> None:
    script = Script(MessageRefused("long", code=50035, fields=("content",), limit=100))
    one = sender(script)
    first = await one.send(HELLO)
    second = await one.send(HELLO)

    assert isinstance(first, list)
    assert [len(piece.content) for piece in first] == [100, 40]
    assert second == first
    assert len(script.parcels) == 1


@timeless
async def test_too_long_without_a_word_how_long_is_cut_by_a_quarter() -> None:
    outcome = await post(Script(MessageRefused("long", code=50035, fields=("content",))))

    assert isinstance(outcome, list)
    assert [len(piece.content) for piece in outcome] == [105, 35]


@timeless
async def test_what_is_too_long_at_any_length_is_given_up() -> None:
    with pytest.raises(MessageRefused):
        await post(Script(MessageRefused("long", code=50035, fields=("content",))), Message("short"))


@timeless
async def test_a_reply_that_is_refused_is_none_for_the_rest_of_the_turn() -> None:
    script = Script(MessageRefused("no history", code=160002))
    one = sender(script)
    first, second = await one.send(HELLO), await one.send(HELLO)

    assert isinstance(first, Receipt)
    assert isinstance(second, Receipt)
    assert (first.changes, second.changes) == (("no_reply",), ("no_reply",))
    assert [outgoing.message.reply for outgoing in script.parcels] == [True, False, False]


FILES = (Attachment("a.png", b"a"), Attachment("b.png", b"b"))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (Message("", files=FILES, fallback="a table"), "a table"),
        (Message("some words", files=FILES), "some words"),
        (Message("", files=FILES), "-# a.png, b.png"),
    ],
)
@pytest.mark.parametrize("code", [40005, 12345])
def test_files_that_are_refused_are_said_in_words(message: Message, words: str, code: int) -> None:
    @timeless
    async def scenario() -> None:
        outcome = await post(Script(MessageRefused("large", code=code)), message)

        assert outcome == [Message(words)]

    scenario()


@timeless
async def test_an_unknown_refusal_takes_the_reply_and_then_the_turn() -> None:
    script = Script(MessageRefused("what", code=12345), MessageRefused("what", code=12345))
    with pytest.raises(MessageRefused):
        await post(script)

    assert [outgoing.message.reply for outgoing in script.parcels] == [True, False]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (MessageRefused("empty", code=50006), Undelivered("empty")),
        (MessageRefused("gone", code=10008), Receipt(HELLO, 0, changes=("deleted",))),
    ],
)
def test_some_refusals_are_the_end_of_one_message_only(error: MessageRefused, outcome: Outcome) -> None:
    @timeless
    async def scenario() -> None:
        assert await post(Script(error)) == outcome

    scenario()


@timeless
async def test_blocked_message_ends_the_turn_unless_configured_otherwise() -> None:
    error = MessageRefused("blocked", code=200000)

    assert await post(Script(error)) == Undelivered("blocked", error)
    assert await post(Script(error), on_filtered="continue") == Undelivered("blocked")


@pytest.mark.parametrize("error", [ChannelGone("gone"), NotAllowed("no"), MessageRefused("bug", code=50109)])
def test_others_end_the_turn(error: DeliveryError) -> None:
    @timeless
    async def scenario() -> None:
        with pytest.raises(type(error)):
            await post(Script(error))

    scenario()


@timeless
async def test_a_plain_transport_is_asked_once() -> None:
    channel = Channel()

    assert isinstance(await sender(channel).send(HELLO), Receipt)
    assert channel.messages == [HELLO]


class Mute(Script):
    async def deliver(self, outgoing: OutgoingMessage) -> Any:
        await super().deliver(outgoing)


@timeless
async def test_a_receipt_is_asked_for_also_where_a_message_may_be_repeated() -> None:
    channel = Mute()

    with pytest.raises(TypeError, match=r"Mute\.deliver returned NoneType: return a Receipt"):
        await post(channel)
    assert len(channel.parcels) == 1


async def test_method_that_is_not_async_raises_a_helpful_error() -> None:
    def typing() -> Any:
        return None

    with pytest.raises(TypeError, match=r"^typing is not async: write `async def typing`$"):
        await call_async(typing)


@pytest.mark.parametrize(
    ("mentions", "pings"),
    [
        ("resolved", AllowedMentions((7, 8))),
        ("nobody", AllowedMentions()),
        ("users", AllowedMentions(users=True)),
        ("users_and_roles", AllowedMentions(users=True, roles=True)),
    ],
)
def test_settings_decide_which_mentions_are_allowed(mentions: Any, pings: AllowedMentions) -> None:
    people = (Person(7), Person(8), Person(9))
    message = Message("<@7> <@!8> <@7> <@1234> @everyone <@&9>")

    assert allowed_mentions_for(message, Settings(mentions=mentions), people) == pings


def test_the_author_replied_to_is_pinged_if_the_settings_say_so() -> None:
    assert allowed_mentions_for(HELLO, Settings(reply_ping=True)).replied_user
    assert not allowed_mentions_for(HELLO, Settings()).replied_user
