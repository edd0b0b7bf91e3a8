"""Personas through webhooks, on the twin."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from delivery.stage import on_stage
from delivery.webhook_helpers import LUNA, insist, shown, words
from discord_twin import FaultKind, Permission, TwinOptions
from streamcord import (
    AnswerContext,
    Attachment,
    ChannelGone,
    Degree,
    DeliveryUnavailable,
    DeliveryUncertain,
    Message,
    MessageRefused,
    Persona,
    Settings,
    Speaker,
    WebhookUnavailable,
    say,
)
from streamcord._delivery.outgoing import AllowedMentions, OutgoingMessage, build_outgoing, make_message_tag
from streamcord._discord.webhooks.sender import CONFIRM_DELAY_S, Webhooks
from virtual_time import covers, now, result_of, timeless

EXECUTE = "webhooks.execute"
LINES = Settings(degree=Degree.LIGHT)
ALTER = AnswerContext(persona=Persona("Luna", alter=True))


async def model(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


@timeless
async def test_a_persona_speaks_under_her_name_and_picture() -> None:
    async with on_stage() as stage:
        receipt = await insist(Webhooks(), stage.find(), words("Hello."))

        assert shown(stage) == [("Luna", "Hello.")]
        assert stage.sent[0].draft.avatar_url == LUNA.avatar
        assert receipt.id == stage.sent[0].id
        assert receipt.url.endswith(f"/{stage.twin.guild.id}/{stage.twin.channel.id}/{receipt.id}")


@timeless
async def test_a_turn_of_an_alter_goes_through_the_webhook_whole() -> None:
    async with on_stage(TwinOptions()) as stage:
        asked = await stage.hear("hello")
        channel = stage.channel(webhooks=Webhooks(stage.client), reply_to=asked)
        text = "".join(f"Line {number} of a long answer.\n" for number in range(12))
        result = await say(channel, model(text), settings=LINES, context=ALTER)

        assert "\n".join(stage.texts) == text.strip()
        assert {one.shown_name for one in stage.sent} == {"Luna"}
        assert covers(result, len(text))
        assert stage.twin.log.count(status=429) == 0


@timeless
async def test_what_is_uncertain_is_in_the_result_and_the_rest_arrives() -> None:
    async with on_stage() as stage:
        stage.twin.state.overwrite(
            stage.twin.channel, stage.twin.bot.user, deny=Permission.READ_MESSAGE_HISTORY
        )
        await stage.hear("ping")
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, EXECUTE, after=1)
        text = "One.\nTwo.\nThree."
        result = await say(stage.channel(webhooks=Webhooks()), model(text), settings=LINES, context=ALTER)

        assert stage.texts == ["One.", "Two.", "Three."]
        assert [(dropped.text.strip(), dropped.reason) for dropped in result.dropped] == [
            ("Two.", "uncertain")
        ]
        assert covers(result, len(text))


@timeless
async def test_model_text_pings_only_allowed_mentions() -> None:
    async with on_stage() as stage:
        bob = stage.twin.add_user("bob")
        text = f"@everyone @here <@{bob.id}> <@{stage.twin.user.id}>"
        await insist(Webhooks(), stage.find(), words(text, 1))
        assert stage.twin.log.pings == []
        outgoing = build_outgoing(
            "turn", 2, Message(text, speaker=LUNA), AllowedMentions(users=(bob.id,), replied_user=True)
        )
        await insist(Webhooks(), stage.find(), outgoing)

        assert stage.twin.log.pinged == {bob.id}
        for record in stage.twin.log.of(EXECUTE):
            assert record.json["allowed_mentions"]["parse"] == []
            assert "wait=true" in record.path


@timeless
async def test_files_carry_their_alt_text_and_safe_names() -> None:
    async with on_stage() as stage:
        files = (
            Attachment("../../etc/SPOILER_a.txt", b"abc", "three letters"),
            Attachment("b.txt", b"d", spoiler=True),
        )
        await insist(Webhooks(), stage.find(), words("Look.", files=files))
        first, second = stage.sent[0].attachments

        assert (first.filename, first.content, first.description) == (
            "a.txt",
            b"abc",
            "three letters",
        )
        assert (second.filename, second.content, second.description) == ("SPOILER_b.txt", b"d", None)


@timeless
async def test_a_picture_of_eleven_megabytes_is_refused_and_its_words_arrive() -> None:
    async with on_stage() as stage:
        picture = Attachment("big.png", b"\0" * (11 << 20))
        with pytest.raises(MessageRefused) as refused:
            await insist(Webhooks(), stage.find(), words("Look.", files=(picture,)))
        assert refused.value.code in {40005, 50045}

        async def source() -> AsyncIterator[str | Message]:
            yield Message("", files=(picture,), speaker=LUNA, fallback="a big picture")

        await say(stage.channel(webhooks=Webhooks()), source(), settings=LINES, context=ALTER)
        assert shown(stage) == [("Luna", "a big picture")]


@timeless
async def test_a_text_that_is_too_long_here_is_split_again() -> None:
    async with on_stage() as stage:
        stage.twin.configure(content_limit=500)
        text = "A sentence of some words. " * 60
        result = await say(stage.channel(webhooks=Webhooks()), model(text), settings=LINES, context=ALTER)

        assert "".join("".join(stage.texts).split()) == "".join(text.split())
        assert {one.shown_name for one in stage.sent} == {"Luna"}
        assert covers(result, len(text))


@timeless
async def test_in_direct_messages_nobody_else_can_speak() -> None:
    async with on_stage() as stage:
        direct = await stage.hear("psst", stage.twin.dm())
        with pytest.raises(WebhookUnavailable):
            await Webhooks().deliver(direct.channel, words("hi"))
        assert Webhooks().pause(direct.channel, Message("")) == 0


@timeless
async def test_a_channel_that_is_gone_ends_the_turn() -> None:
    async with on_stage() as stage:
        channel, webhooks = stage.find(), Webhooks()
        await insist(webhooks, channel, words("one", 1))
        stage.twin.state.delete_channel(stage.twin.channel)
        with pytest.raises(ChannelGone):
            await insist(webhooks, channel, words("two", 2))


@timeless
async def test_a_thread_that_is_gone_is_gone_and_its_parent_stays_silent() -> None:
    async with on_stage() as stage:
        thread = stage.twin.add_thread("talk")
        await stage.hear("ping")
        channel, webhooks = stage.find(thread), Webhooks()
        await insist(webhooks, channel, words("one", 1))
        stage.twin.state.delete_channel(thread)
        with pytest.raises(ChannelGone):
            await insist(webhooks, channel, words("two", 2))

        assert stage.texts == []


@timeless
async def test_a_webhook_that_is_deleted_again_and_again_is_given_up() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.WEBHOOK_DELETE, EXECUTE, times=10)
        await stage.channel(webhooks=Webhooks()).send(Message("said", speaker=LUNA))

        assert shown(stage) == [("streamcord", "**Luna:** said")]
        assert stage.twin.log.count(EXECUTE) == 2


@timeless
async def test_a_webhook_that_is_moved_again_and_again_is_given_up() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.WEBHOOK_MOVE, EXECUTE, times=10)
        await stage.channel(webhooks=Webhooks()).send(Message("said", speaker=LUNA))

        assert shown(stage) == [("streamcord", "**Luna:** said")]
        elsewhere = [one for one in stage.twin.state.channels.values() if one.name == "elsewhere"]
        assert [one.texts for one in elsewhere] == [[], []]


@timeless
async def test_what_arrived_in_another_channel_is_taken_back_even_if_its_answer_was_lost() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.WEBHOOK_MOVE, EXECUTE)
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, EXECUTE)
        await insist(Webhooks(), stage.find(), words("secret"))

        (elsewhere,) = [one for one in stage.twin.state.channels.values() if one.name == "elsewhere"]
        assert (stage.texts, elsewhere.texts) == (["secret"], [])


@timeless
async def test_what_may_have_arrived_where_nobody_can_look_is_not_said_again() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.WEBHOOK_MOVE, EXECUTE)
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, EXECUTE)
        stage.twin.inject_fault(FaultKind.ERROR_CODE, "messages.list", after=1, code=50001)
        with pytest.raises(DeliveryUncertain):
            await insist(Webhooks(), stage.find(), words("secret"))

        assert stage.twin.log.count(EXECUTE) == 1


@timeless
async def test_after_a_global_refusal_no_channel_asks() -> None:
    async with on_stage(channels=1) as stage:
        first, other = stage.find(), stage.find(stage.others[0])
        webhooks = Webhooks()
        await insist(webhooks, other, words("before", 1))
        stage.twin.inject_fault(FaultKind.RATE_GLOBAL, EXECUTE, seconds=5.0)
        with pytest.raises(DeliveryUnavailable):
            await webhooks.deliver(first, words("after", 2))
        with pytest.raises(DeliveryUnavailable) as refused:
            await webhooks.deliver(other, words("after", 3))
        assert stage.twin.log.count(EXECUTE) == 2
        await asyncio.sleep(refused.value.retry_after or 0)
        await insist(webhooks, other, words("after", 3))

        assert stage.others[0].texts == ["before", "after"]


@timeless
async def test_retry_after_of_discord_is_reported_and_respected() -> None:
    async with on_stage() as stage:
        webhooks, channel = Webhooks(), stage.find()
        stage.twin.inject_fault(FaultKind.RATE_USER, EXECUTE, seconds=12.5)
        with pytest.raises(DeliveryUnavailable) as refused:
            await webhooks.deliver(channel, words("said"))
        assert refused.value.retry_after == webhooks.pause(channel, Message("")) == 12.5
        with pytest.raises(DeliveryUnavailable):
            await webhooks.deliver(channel, words("said"))
        assert stage.twin.log.count(EXECUTE) == 1
        await insist(webhooks, channel, words("said"))

        assert stage.texts == ["said"]


@timeless
async def test_cloudflare_ban_allows_one_request_per_minute() -> None:
    async with on_stage() as stage:
        stage.twin.configure(cloudflare_429_html=False)
        webhooks = Webhooks()
        await insist(webhooks, stage.find(), words("before", 1))
        stage.twin.inject_fault(FaultKind.CLOUDFLARE_429, EXECUTE, times=3)
        began = now()
        await insist(webhooks, stage.find(), words("after", 2))

        assert now() - began >= 180
        assert stage.texts == ["before", "after"]


@timeless
async def test_threads_of_one_parent_share_its_limits() -> None:
    async with on_stage(TwinOptions()) as stage:
        threads = [stage.twin.add_thread(f"talk {number}") for number in range(6)]
        await stage.hear("ping")
        webhooks = Webhooks(stage.client)
        await asyncio.gather(
            *(
                insist(webhooks, stage.find(thread), words(str(part), part), tries=50)
                for thread in threads
                for part in range(4)
            )
        )

        assert all(len(thread.texts) == 4 for thread in threads)
        assert stage.twin.log.count(EXECUTE, status=429) == 0


@timeless
async def test_message_cancelled_in_flight_is_not_sent_twice() -> None:
    async with on_stage() as stage:
        webhooks, channel, outgoing = Webhooks(), stage.find(), words("once")
        await insist(webhooks, channel, words("before", 9))
        stage.twin.inject_fault(FaultKind.ACK_DELAY, EXECUTE, seconds=5.0)
        sending = asyncio.create_task(webhooks.deliver(channel, outgoing))
        await stage.twin.until(lambda: stage.texts[1:])
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        receipt = await insist(webhooks, channel, outgoing)

        assert (stage.texts, receipt.id) == (["before", "once"], stage.sent[1].id)
        await asyncio.sleep(5)


def test_no_token_is_ever_in_a_log_of_ours_or_an_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "streamcord")
    errors: list[BaseException] = []
    tokens: set[str] = set()

    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            webhooks: Any = Webhooks()
            for fault in (FaultKind.STATUS, FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.RATE_USER):
                stage.twin.inject_fault(fault, EXECUTE, seconds=1.0)
                try:
                    await webhooks.deliver(stage.find(), words(fault.name))
                except Exception as error:
                    errors.append(error)
            tokens.update(webhook.token for webhook in stage.twin.state.webhooks.values())

    run()
    assert len(errors) == 2
    said = caplog.text + "".join(f"{one!r} {one.__cause__!r} {one.__context__!r}" for one in errors)
    assert tokens
    assert not any(token in said for token in tokens)


@timeless
async def test_a_turn_that_the_filter_stops_says_so() -> None:
    async with on_stage() as stage:
        stage.twin.configure(automod=("badword",))
        with pytest.raises(MessageRefused) as refused:
            await say(
                stage.channel(webhooks=Webhooks()), model("A badword.\nMore."), settings=LINES, context=ALTER
            )

        assert result_of(refused.value).dropped[0].reason == "blocked"
        assert stage.twin.log.count(EXECUTE) == 1


@timeless
async def test_nobody_in_particular_is_a_persona_too() -> None:
    async with on_stage() as stage:
        await insist(Webhooks(), stage.find(), words("said", speaker=Speaker(" ")))

        assert shown(stage) == [("Persona", "said")]


@timeless
async def test_misplaced_message_is_deleted_with_retries() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.WEBHOOK_MOVE, EXECUTE)
        stage.twin.inject_fault(FaultKind.STATUS, "webhooks.message", times=3)
        stage.twin.inject_fault(FaultKind.RATE_USER, "webhooks.message")
        await insist(Webhooks(), stage.find(), words("secret"))

        (elsewhere,) = [one for one in stage.twin.state.channels.values() if one.name == "elsewhere"]
        assert (stage.texts, elsewhere.texts) == (["secret"], [])


@timeless
async def test_what_a_webhook_cannot_take_back_the_bot_deletes() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.WEBHOOK_MOVE, EXECUTE)
        stage.twin.inject_fault(FaultKind.STATUS, "webhooks.message", times=100)
        await insist(Webhooks(), stage.find(), words("secret"))

        (elsewhere,) = [one for one in stage.twin.state.channels.values() if one.name == "elsewhere"]
        assert (stage.texts, elsewhere.texts) == (["secret"], [])


def test_what_cannot_be_taken_back_is_said(caplog: pytest.LogCaptureFixture) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            stage.twin.inject_fault(FaultKind.WEBHOOK_MOVE, EXECUTE)
            stage.twin.inject_fault(FaultKind.STATUS, "webhooks.message", times=100)
            stage.twin.inject_fault(FaultKind.ERROR_CODE, "messages.delete", code=50013)
            await insist(Webhooks(), stage.find(), words("secret"))

            assert stage.texts == ["secret"]

    run()
    assert "could not be deleted" in caplog.text


@pytest.mark.parametrize("fault", [FaultKind.ACK_TRUNCATE, FaultKind.ACK_GARBLED])
def test_success_without_a_message_is_uncertain_if_the_channel_cannot_be_read(fault: FaultKind) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            stage.twin.state.overwrite(
                stage.twin.channel, stage.twin.bot.user, deny=Permission.READ_MESSAGE_HISTORY
            )
            await stage.hear("ping")
            stage.twin.inject_fault(fault, EXECUTE)
            with pytest.raises(DeliveryUncertain, match="history"):
                await Webhooks().deliver(stage.find(), words("once"))

            assert stage.texts == ["once"]

    run()


@timeless
async def test_unacknowledged_message_of_a_moved_webhook_is_sent_again() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.WEBHOOK_MOVE, EXECUTE)
        stage.twin.inject_fault(FaultKind.ACK_GARBLED, EXECUTE)
        receipt = await Webhooks().deliver(stage.find(), words("secret"))

        (elsewhere,) = [one for one in stage.twin.state.channels.values() if one.name == "elsewhere"]
        assert (stage.texts, elsewhere.texts) == (["secret"], [])
        assert receipt.id == stage.sent[0].id


@timeless
async def test_who_asks_later_finds_what_arrived() -> None:
    async with on_stage() as stage:
        webhooks, outgoing = Webhooks(), words("once")
        assert await webhooks.find(stage.find(), outgoing) is None
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, EXECUTE)
        stage.twin.inject_fault(FaultKind.ACK_GARBLED, "messages.list")
        with pytest.raises(DeliveryUncertain) as raised:
            await webhooks.deliver(stage.find(), outgoing)
        assert raised.value.retryable
        receipt = await webhooks.find(stage.find(), outgoing)

        assert receipt is not None
        assert receipt.id == stage.sent[0].id


@timeless
async def test_listed_but_unknown_webhook_is_replaced() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, EXECUTE, code=10015)
        await insist(Webhooks(), stage.find(), words("said"))

        assert stage.texts == ["said"]
        assert len(stage.twin.state.webhooks) == 2


@timeless
async def test_discord_is_given_time_to_finish_what_it_did_not_answer() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.STATUS, EXECUTE)
        await insist(Webhooks(), stage.find(), words("said"))
        (asked, _), (read, *_) = stage.twin.log.of(EXECUTE), stage.twin.log.of("messages.list")

        assert read.at - asked.at >= CONFIRM_DELAY_S


@timeless
async def test_a_message_that_arrives_late_and_twice_is_deleted() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks(stage.client)
        stage.twin.inject_fault(FaultKind.CLOSE_BEFORE_COMMIT, EXECUTE)
        await insist(webhooks, stage.find(), words("Hello."))
        await insist(webhooks, stage.find(), words("Hello."))
        await insist(webhooks, stage.find(), words("Another."))
        before = shown(stage)
        # Discord carries out now what it was asked for first.
        hook = await webhooks._cache.get(stage.find())
        for text in ["Hello.", "Of somebody else."]:
            await hook.http.request("POST", hook.path, {"content": text, "username": "Luna"})
        assert len(stage.sent) == 5
        await asyncio.sleep(130)

        assert before == [("Luna", "Hello."), ("Luna", "Hello."), ("Luna", "Another.")]
        assert shown(stage) == [*before, ("Luna", "Of somebody else.")]
        assert webhooks.duplicates_removed == 1
        webhooks.detach()


# --- Messages that carry a name ---


def named(text: str, part: int = 0) -> OutgoingMessage:
    return build_outgoing("turn", part, Message(text, speaker=LUNA), tagged=True)


def as_named(text: str, part: int) -> dict[str, Any]:
    """The request of another process for the same message."""
    display = {"type": 10, "id": make_message_tag("turn", part), "content": text}
    return {"username": "Luna", "flags": 1 << 15, "components": [display]}


@timeless
async def test_a_message_that_carries_a_name_is_known_by_it_and_nothing_else() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks(stage.client)
        hook = await webhooks._cache.get(stage.find())
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, EXECUTE)
        # Another turn says the same meanwhile: by its words no one could tell.
        sending = asyncio.create_task(insist(webhooks, stage.find(), named("Hello.")))
        await stage.twin.until(lambda: stage.sent)
        await hook.http.request("POST", hook.path, as_named("Hello.", 7), params={"with_components": "true"})
        receipt = await sending

        assert len(stage.sent) == 2
        assert receipt.id == stage.sent[0].id
        assert stage.sent[0].draft.components[0]["id"] == make_message_tag("turn", 0)
        assert {"card", "v2"} <= {*receipt.changes}
        webhooks.detach()


@timeless
async def test_of_two_messages_with_one_name_the_later_one_goes_at_once() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks(stage.client)
        receipt = await insist(webhooks, stage.find(), named("Hello."))
        hook = await webhooks._cache.get(stage.find())
        for part in [0, 1]:
            await hook.http.request(
                "POST", hook.path, as_named("Hello.", part), params={"with_components": "true"}
            )
        await asyncio.sleep(1)

        ids = [one.draft.components[0]["id"] for one in stage.sent]
        assert ids == [make_message_tag("turn", 0), make_message_tag("turn", 1)]
        assert stage.sent[0].id == receipt.id
        assert webhooks.duplicates_removed == 1
        webhooks.detach()


@timeless
async def test_a_persona_whose_messages_carry_names_says_all_and_links_what_she_answers() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("hello")
        channel = stage.channel(webhooks=Webhooks(stage.client), reply_to=asked)
        settings = replace(LINES, webhook_identity="component")
        result = await say(channel, model("One.\nTwo.\n"), settings=settings, context=ALTER)

        texts = [one.draft.components[0]["content"] for one in stage.sent]
        assert texts == [f"-# ↩ [alice](<{asked.jump_url}>)\nOne.", "Two."]
        assert len({one.draft.components[0]["id"] for one in stage.sent}) == 2
        assert [one.content for one in await channel.read_back(asked.id)] == []
        again = stage.channel(webhooks=Webhooks(stage.client))
        again._limit.known.clear()
        seen = await again.read_back(asked.id)
        assert [one.content for one in seen] == ["One.", "Two."]
        assert all(one.rich and one.message_tag for one in seen)
        assert result.text == "One.\nTwo."


@timeless
async def test_what_the_bot_says_for_somebody_needs_no_name() -> None:
    async with on_stage() as stage:
        stage.twin.configure(max_webhooks=0)
        settings = replace(LINES, webhook_identity="component")
        await say(
            stage.channel(webhooks=Webhooks(stage.client)), model("One.\n"), settings=settings, context=ALTER
        )

        assert stage.texts == ["**Luna:** One."]
