"""Scenarios W: webhooks and personas, with a real discord.py on the twin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from delivery.stage import FREE, Stage, on_stage
from delivery.webhook_helpers import LUNA, insist, shown, words
from discord_twin import ChannelType, FaultKind, Permission, TwinOptions
from streamcord import (
    AnswerContext,
    Degree,
    DeliveryUncertain,
    Message,
    NotAllowed,
    Persona,
    Settings,
    Speaker,
    Sprite,
    say,
)
from streamcord._delivery.outgoing import build_outgoing
from streamcord._discord.webhooks.impersonation import ImpersonationPolicy
from streamcord._discord.webhooks.sender import Webhooks
from streamcord.discord import DiscordChannel
from virtual_time import now, timeless

EXECUTE = "webhooks.execute"


async def hide_history(stage: Stage) -> None:
    """No one reads back from now on, and the client knows it."""
    stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user, deny=Permission.READ_MESSAGE_HISTORY)
    await news(stage)


async def news(stage: Stage) -> None:
    """Wait until the client has heard all that the twin told so far."""
    await stage.hear("ping")


@pytest.fixture(params=[True, False], ids=["with the gateway", "alone"])
def attached(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def make(stage: Stage, attached: bool) -> Webhooks:
    return Webhooks(stage.client if attached else None)


def test_w_01_what_arrived_although_its_answer_was_lost_is_found(attached: bool) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            webhooks = make(stage, attached)
            stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK)
            receipt = await insist(webhooks, stage.find(), words("once"))

            assert shown(stage) == [("Luna", "once")]
            assert receipt.id == stage.sent[0].id
            assert stage.twin.log.count(EXECUTE) == 1

    run()


@pytest.mark.parametrize("status", [500, 502, 503, 504, 524])
def test_w_02_what_arrived_before_a_server_error_is_found(status: int, attached: bool) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            stage.twin.inject_fault(FaultKind.COMMIT_THEN_STATUS, status=status)
            receipt = await insist(make(stage, attached), stage.find(), words("once"))

            assert shown(stage) == [("Luna", "once")]
            assert receipt.id == stage.sent[0].id

    run()


@pytest.mark.parametrize("loss", [FaultKind.ACK_TRUNCATE, FaultKind.ACK_GARBLED])
def test_w_02_what_arrived_and_was_answered_with_nonsense_is_found(loss: FaultKind) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            stage.twin.inject_fault(loss)
            await insist(Webhooks(), stage.find(), words("once"))

            assert shown(stage) == [("Luna", "once")]

    run()


@timeless
async def test_w_02_an_answer_that_never_comes_is_not_waited_for() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ACK_DELAY, seconds=100.0)
        await insist(Webhooks(), stage.find(), words("once"))

        assert shown(stage) == [("Luna", "once")]
        assert now() < 40
        await asyncio.sleep(100)  # the twin, too, must come to its end


@pytest.mark.parametrize("fault", [FaultKind.STATUS, FaultKind.HTML_STATUS, FaultKind.CLOSE_BEFORE_COMMIT])
def test_w_03_what_is_proven_absent_is_sent_again_once(fault: FaultKind, attached: bool) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            stage.twin.inject_fault(fault)
            await insist(make(stage, attached), stage.find(), words("once"))

            assert shown(stage) == [("Luna", "once")]
            assert stage.twin.log.count(EXECUTE) == 2

    run()


@timeless
async def test_w_03_what_arrives_late_after_all_is_found_before_it_is_sent_again() -> None:
    async with on_stage() as stage:
        webhooks, outgoing = Webhooks(), words("once")
        await webhooks.deliver(stage.find(), words("before", part=9))
        stage.twin.inject_fault(FaultKind.STATUS)
        with pytest.raises(Exception, match="did not arrive"):
            await webhooks.deliver(stage.find(), outgoing)
        (hook,) = stage.twin.state.webhooks.values()
        await stage.client.fetch_webhook(hook.id)
        late = await (await stage.client.fetch_webhook(hook.id)).send("once", username="Luna", wait=True)
        receipt = await webhooks.deliver(stage.find(), outgoing)

        assert receipt.id == late.id
        assert [text for _, text in shown(stage)] == ["before", "once"]


@pytest.mark.parametrize("fault", [FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.STATUS])
def test_w_04_where_nobody_may_read_a_part_is_uncertain_and_the_tail_goes_on(fault: FaultKind) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            await hide_history(stage)
            webhooks = Webhooks()
            stage.twin.inject_fault(fault)
            for _ in range(3):
                with pytest.raises(DeliveryUncertain):
                    await insist(webhooks, stage.find(), words("one", 1))
            await insist(webhooks, stage.find(), words("two", 2))

            arrived = ["one"] if fault is FaultKind.COMMIT_THEN_DROP_ACK else []
            assert stage.texts == [*arrived, "two"]
            assert stage.twin.log.count(EXECUTE) == 2

    run()


@timeless
async def test_w_04_what_the_gateway_shows_needs_no_history() -> None:
    async with on_stage() as stage:
        await hide_history(stage)
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK)
        receipt = await insist(Webhooks(stage.client), stage.find(), words("one"))

        assert (receipt.id, stage.texts) == (stage.sent[0].id, ["one"])


@timeless
async def test_w_04_an_uncertain_part_is_not_taken_for_the_next_one_that_reads_the_same() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks()
        await hide_history(stage)
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK)
        with pytest.raises(DeliveryUncertain):
            await insist(webhooks, stage.find(), words("ha", 1))
        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user)
        await news(stage)
        stage.twin.inject_fault(FaultKind.STATUS)
        await insist(webhooks, stage.find(), words("ha", 2))

        assert stage.texts == ["ha", "ha"]


def test_w_05_an_earlier_message_with_the_same_text_is_not_mistaken_for_it(attached: bool) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            webhooks = make(stage, attached)
            await insist(webhooks, stage.find(), words("ha", 1))
            stage.twin.inject_fault(FaultKind.STATUS)
            await insist(webhooks, stage.find(), words("ha", 2))
            # A new process knows nothing of them but what the gateway told.
            await news(stage)
            stage.twin.inject_fault(FaultKind.CLOSE_BEFORE_COMMIT)
            await insist(make(stage, attached), stage.find(), words("ha", 3))

            assert stage.texts == ["ha", "ha", "ha"]

    run()


@pytest.mark.parametrize("after", [0, 1])
def test_w_06_a_deleted_webhook_is_made_anew_and_never_asked_again(after: int, attached: bool) -> None:
    @timeless
    async def run() -> None:
        async with on_stage(FREE) as stage:
            webhooks = make(stage, attached)
            stage.twin.inject_fault(FaultKind.WEBHOOK_DELETE, EXECUTE, after=after)
            stage.twin.configure(webhook_404_penalty=2)
            for part in range(4):
                await insist(webhooks, stage.find(), words(str(part), part))

            assert stage.texts == ["0", "1", "2", "3"]
            assert len(stage.twin.state.webhooks) == 1
            assert max(stage.twin.state.dead_webhooks.values(), default=0) <= 1

    run()


@pytest.mark.parametrize("after", [0, 1])
def test_w_07_a_token_that_became_invalid_is_read_anew_and_says_nothing_about_the_bot(
    after: int, attached: bool
) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            webhooks = make(stage, attached)
            stage.twin.inject_fault(FaultKind.WEBHOOK_RETOKEN, EXECUTE, after=after)
            for part in range(3):
                await insist(webhooks, stage.find(), words(str(part), part))

            assert stage.texts == ["0", "1", "2"]
            assert len(stage.twin.state.webhooks) == 1
            assert not stage.client.is_closed()

    run()


@timeless
async def test_w_08_thirty_first_uses_make_one_webhook() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks()
        await asyncio.gather(*(insist(webhooks, stage.find(), words(str(n), n)) for n in range(30)))

        assert stage.twin.log.count("webhooks.create") == 1
        assert len(stage.texts) == 30


@timeless
async def test_w_09_where_all_places_are_taken_the_bot_says_who_speaks() -> None:
    async with on_stage() as stage:
        for number in range(15):
            stage.twin.state.add_webhook(stage.twin.channel, f"foreign {number}", stage.twin.user)
        channel = stage.channel(webhooks=Webhooks())
        for text in ("one", "two"):
            await channel.send(Message(text, speaker=LUNA))

        assert stage.texts == ["**Luna:** one", "two"]
        assert len(stage.twin.state.webhooks) == 15
        assert stage.twin.log.count("webhooks.create") == 1


@timeless
async def test_w_09_without_the_permission_nothing_is_asked() -> None:
    async with on_stage() as stage:
        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user, deny=Permission.MANAGE_WEBHOOKS)
        await news(stage)
        receipt = await stage.channel(webhooks=Webhooks()).send(Message("one", speaker=LUNA))

        assert (stage.texts, receipt.changes) == (["**Luna:** one"], ("no_webhook",))
        assert stage.twin.log.invalid == []


@timeless
async def test_w_10_a_foreign_webhook_of_our_name_is_ignored() -> None:
    async with on_stage() as stage:
        foreign = stage.twin.state.add_webhook(stage.twin.channel, "streamcord", stage.twin.user)
        await insist(Webhooks(), stage.find(), words("mine"))
        (message,) = stage.sent

        assert message.webhook is not None
        assert message.webhook.id != foreign.id
        assert message.webhook.application_id == stage.twin.bot.id


@timeless
async def test_w_10_our_own_is_found_again_after_a_restart() -> None:
    async with on_stage() as stage:
        await insist(Webhooks(), stage.find(), words("one", 1))
        await insist(Webhooks(), stage.find(), words("two", 2))

        assert stage.twin.log.count("webhooks.create") == 1


def test_w_11_a_webhook_that_was_moved_is_noticed_before_it_is_used(attached: bool) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            webhooks, elsewhere = make(stage, attached), stage.twin.add_channel("elsewhere")
            await insist(webhooks, stage.find(), words("one", 1))
            (hook,) = stage.twin.state.webhooks.values()
            stage.twin.state.move_webhook(hook, elsewhere)
            await (news(stage) if attached else asyncio.sleep(61))
            await insist(webhooks, stage.find(), words("two", 2))

            assert stage.texts == ["one", "two"]
            assert elsewhere.last_message_id is None

    run()


@timeless
async def test_w_11_what_a_webhook_that_was_moved_under_our_hands_said_is_taken_back() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks(stage.client)
        stage.twin.inject_fault(FaultKind.WEBHOOK_MOVE, EXECUTE)
        await insist(webhooks, stage.find(), words("secret"))

        assert stage.texts == ["secret"]
        others = [one for one in stage.twin.state.channels.values() if one is not stage.twin.channel]
        assert [one.texts for one in others if one.name == "elsewhere"] == [[]]


@timeless
async def test_w_11_in_a_thread_a_moved_webhook_says_nothing_at_all() -> None:
    async with on_stage() as stage:
        thread = stage.twin.add_thread("talk")
        await news(stage)
        stage.twin.inject_fault(FaultKind.WEBHOOK_MOVE, EXECUTE)
        await insist(Webhooks(), stage.find(thread), words("inside"))

        assert thread.texts == ["inside"]
        assert stage.texts == []


@timeless
async def test_w_12_a_webhook_that_an_admin_deletes_between_two_parts_is_replaced_in_order() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks(stage.client)
        for part in range(3):
            await insist(webhooks, stage.find(), words(str(part), part))
            (hook,) = stage.twin.state.webhooks.values()
            stage.twin.state.delete_webhook(hook)
            await news(stage)

        assert stage.texts == ["0", "1", "2"]
        assert stage.twin.log.count(EXECUTE, status=404) == 0


@pytest.mark.parametrize(
    "name",
    [
        "Clyde",
        "dIsCoRd bot",
        "everyone",
        "Here",
        "```",
        "a",
        "x" * 200,
        "\u200b\u200b",
        "\u202etxt",
        "🦊",
        " ",
    ],
)
def test_w_13_every_name_is_made_one_that_discord_takes(name: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            await insist(Webhooks(), stage.find(), words("said", speaker=Speaker(name)))

            assert stage.texts == ["said"]
            assert [one.status for one in stage.twin.log.of(EXECUTE)] == [200]

    run()


@timeless
async def test_w_14_a_name_that_is_refused_all_the_same_is_replaced_once() -> None:
    async with on_stage() as stage:
        stage.twin.configure(forbidden_names=("luna",))
        receipt = await insist(Webhooks(), stage.find(), words("said"))

        assert shown(stage) == [("Persona", "said")]
        assert receipt.changes == ("identity",)


@timeless
async def test_w_14_an_avatar_that_is_refused_is_left_out() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, EXECUTE, code=50035, field="avatar_url")
        await insist(Webhooks(), stage.find(), words("said"))

        assert shown(stage) == [("Luna", "said")]
        assert stage.sent[0].draft.avatar_url is None


@timeless
async def test_w_15_the_hidden_limit_is_met_once_and_then_kept() -> None:
    async with on_stage(TwinOptions()) as stage:
        webhooks = Webhooks(stage.client)
        for part in range(100):
            await insist(webhooks, stage.find(), words(str(part), part))

        assert stage.texts == [str(part) for part in range(100)]
        assert stage.twin.log.count(EXECUTE, status=429) == 1


@timeless
async def test_w_16_threads_and_forums_use_the_webhook_of_their_parent() -> None:
    async with on_stage() as stage:
        forum = stage.twin.add_channel("forum", ChannelType.FORUM)
        threads = [stage.twin.add_thread("talk"), stage.twin.add_thread("post", forum)]
        await news(stage)
        webhooks = Webhooks()
        for thread in threads:
            receipt = await insist(webhooks, stage.find(thread), words("inside"))
            assert receipt.url.endswith(f"/{thread.id}/{receipt.id}")

        assert [thread.texts for thread in threads] == [["inside"], ["inside"]]
        assert (stage.texts, forum.texts) == ([], [])


@timeless
async def test_w_16_an_archived_thread_opens_and_a_locked_one_stays_shut() -> None:
    async with on_stage() as stage:
        thread = stage.twin.add_thread("talk")
        await news(stage)
        channel, webhooks = stage.find(thread), Webhooks()
        stage.twin.state.set_thread(thread, archived=True)
        await insist(webhooks, channel, words("one", 1))
        stage.twin.state.set_thread(thread, archived=True, locked=True)
        with pytest.raises(NotAllowed):
            await insist(webhooks, channel, words("two", 2))

        assert thread.texts == ["one"]
        assert stage.texts == []


@timeless
async def test_w_17_forty_lines_in_changing_looks_stay_in_order_each_under_its_own() -> None:
    sprites = (Sprite("mad", "https://example.com/mad.png"), Sprite("sad", "https://example.com/sad.png"))
    luna = Persona("Luna", sprites=sprites, avatar="https://example.com/luna.png", alter=True)
    looks = [("mad", "mad.png"), ("sad", "sad.png"), ("", "luna.png")]

    async def model() -> AsyncIterator[str]:
        for number in range(40):
            look = looks[number % 3][0]
            yield f"Luna{f' ({look})' if look else ''}: line {number}\n"

    async with on_stage(TwinOptions()) as stage:
        channel = DiscordChannel(stage.find(), webhooks=Webhooks(stage.client))
        settings = Settings(degree=Degree.LIGHT, message_cap=0)
        context = AnswerContext(persona=luna)
        await say(channel, model(), settings=settings, context=context)

        assert stage.texts == [f"line {number}" for number in range(40)]
        avatars = [str(one.draft.avatar_url).rpartition("/")[2] for one in stage.sent]
        assert avatars == [looks[number % 3][1] for number in range(40)]
        # A reader sees every change: no two looks share a heading.
        for group in stage.twin.groups():
            assert len({one.draft.avatar_url for one in group}) == 1


@timeless
async def test_w_18_after_an_uncertain_webhook_the_bot_does_not_say_it_too() -> None:
    async with on_stage() as stage:
        await hide_history(stage)
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK)
        stage.twin.inject_fault(FaultKind.WEBHOOK_DELETE, EXECUTE, after=1)
        channel = stage.channel(webhooks=Webhooks())
        outgoing = build_outgoing("turn", 0, Message("once", speaker=LUNA))
        for _ in range(3):
            with pytest.raises(DeliveryUncertain):
                await channel.deliver(outgoing)

        assert shown(stage) == [("Luna", "once")]


@timeless
async def test_w_18_once_it_is_known_not_to_have_arrived_the_bot_may_say_it() -> None:
    async with on_stage() as stage:
        channel, webhooks = stage.find(), Webhooks()
        stage.twin.inject_fault(FaultKind.STATUS)
        with pytest.raises(Exception, match="did not arrive"):
            await webhooks.deliver(channel, words("once"))
        stage.twin.state.webhooks.clear()
        stage.twin.configure(max_webhooks=0)
        webhooks.forget(channel.id)
        await stage.channel(webhooks=webhooks).deliver(words("once"))

        assert shown(stage) == [("streamcord", "**Luna:** once")]


@timeless
async def test_w_19_the_reply_notice_comes_and_fails_with_its_message() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("hello?")
        webhooks = Webhooks()
        stage.twin.configure(automod=("badword",))
        with pytest.raises(Exception, match="200000"):
            await insist(webhooks, asked.channel, words("a badword", 1), reply_to=asked)
        assert stage.sent == []
        await insist(webhooks, asked.channel, words("a good word", 2), reply_to=asked)
        (message,) = stage.sent

        assert message.content == "a good word"
        assert message.draft.embeds[0]["author"]["url"] == asked.jump_url


@pytest.mark.parametrize("name", ["Alice", "ALICE", "Аliсе", "a l i c e", "A1ice"])
@pytest.mark.parametrize(("policy", "shown_as"), [("mark", " (persona)"), ("allow", "")])
def test_w_20_a_persona_cannot_pass_for_a_moderator(
    name: str, policy: ImpersonationPolicy, shown_as: str
) -> None:
    @timeless
    async def run() -> None:
        async with on_stage(members=True) as stage:
            webhooks = Webhooks(impersonation=policy)
            await insist(webhooks, stage.find(), words("hello", 1, Speaker(name)))
            await insist(webhooks, stage.find(), words("hello", 2))

            assert [who for who, _ in shown(stage)] == [name + shown_as, "Luna"]

    run()


@timeless
async def test_w_20_a_name_that_is_refused_is_said_by_the_bot() -> None:
    async with on_stage(members=True) as stage:
        channel = stage.channel(webhooks=Webhooks(impersonation="refuse"))
        await channel.send(Message("hello", speaker=Speaker("Alice")))

        assert shown(stage) == [("streamcord", "**Alice:** hello")]


@timeless
async def test_w_21_a_connection_that_closes_while_we_write_is_looked_up_not_repeated() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks()
        await insist(webhooks, stage.find(), words("one", 1))
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK)
        await insist(webhooks, stage.find(), words("two", 2))
        stage.twin.inject_fault(FaultKind.CLOSE_BEFORE_COMMIT)
        await insist(webhooks, stage.find(), words("three", 3))

        assert stage.texts == ["one", "two", "three"]
        assert stage.twin.log.count(EXECUTE) == 4


def test_w_21_an_idle_connection_is_not_trusted_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    @timeless
    async def run() -> None:
        # aiohttp asks the system how old a connection is; here time is the loop's.
        monkeypatch.setattr("aiohttp.connector.monotonic", now)
        async with on_stage() as stage:
            webhooks = Webhooks(stage.client)
            for part, wait in enumerate((0, 1, 20)):
                await asyncio.sleep(wait)
                await webhooks.deliver(stage.find(), words("said", part))
            first, second, third = [one.connection for one in stage.twin.log.of(EXECUTE)]

            assert first == second != third

    run()
