"""discord.py's channels as transports, on the twin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from delivery.stage import on_stage
from discord_twin import FaultKind, Permission, TwinOptions
from streamcord import (
    Attachment,
    Degree,
    DeliveryError,
    DeliveryUncertain,
    Message,
    MessageRefused,
    Settings,
    Speaker,
    say,
)
from streamcord._delivery.outgoing import AllowedMentions, build_outgoing
from streamcord._delivery.transport import ReliableTransport, Transport
from streamcord._discord.webhooks.sender import Webhooks
from streamcord.discord import DiscordChannel
from virtual_time import now, timeless

LIGHT = Settings(degree=Degree.LIGHT)


async def model(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


@timeless
async def test_an_answer_replies_once_and_pings_nobody() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("hello")
        text = f"Hi @everyone <@{stage.twin.user.id}>!\nSecond line."
        result = await say(DiscordChannel(asked.channel, reply_to=asked), model(text), settings=LIGHT)

        assert "\n".join(stage.texts) == text
        assert [one.draft.reply_ids for one in stage.sent] == [(stage.twin.channel.id, asked.id), None]
        assert stage.twin.log.pings == []
        assert [receipt.id for receipt in result.receipts] == [message.id for message in stage.sent]
        assert result.first_url.endswith(f"/{stage.twin.channel.id}/{stage.sent[0].id}")


@timeless
async def test_typing_is_shown_while_a_message_waits() -> None:
    async with on_stage() as stage:
        slow = Settings(pause_chance=0, typing_delay_min=4.0)
        await say(stage.channel(), model("One.\nTwo."), settings=slow)

        assert stage.texts == ["One.", "Two."]
        assert len(stage.twin.log.typing) == 1


@timeless
async def test_who_is_shown_as_typing_is_not_shown_again_until_a_message_has_come() -> None:
    async with on_stage() as stage:
        first, second = stage.channel(), stage.channel()
        await first.typing()
        await second.typing()
        assert len(stage.twin.log.typing) == 1
        await first.send(Message("Here."))
        # Right after a message a typing indicator would take the place of the next one.
        await asyncio.sleep(1)
        await second.typing()
        assert len(stage.twin.log.typing) == 2
        await asyncio.sleep(8)
        await first.typing()
        assert len(stage.twin.log.typing) == 3


@timeless
async def test_files_carry_their_alt_text_and_a_message_may_be_a_file_alone() -> None:
    async with on_stage() as stage:
        await stage.channel().send(Message("", files=(Attachment("a.txt", b"abc", "three letters"),)))
        (file,) = stage.sent[0].attachments

        assert (file.filename, file.content, file.description) == ("a.txt", b"abc", "three letters")


@timeless
async def test_direct_messages_and_threads_are_channels_too() -> None:
    async with on_stage() as stage:
        direct = await stage.hear("psst", stage.twin.dm())
        await DiscordChannel(direct.channel, reply_to=direct).send(Message("yes?", reply=True))
        start = await stage.find().send("start")
        thread = await start.create_thread(name="talk")
        await DiscordChannel(thread).send(Message("inside"))

        assert stage.twin.dm().texts == ["psst", "yes?"]
        assert stage.twin.state.channels[thread.id].texts == ["inside"]


@timeless
async def test_only_those_who_were_named_are_pinged() -> None:
    async with on_stage() as stage:
        bob = stage.twin.add_user("bob")
        text = f"<@{stage.twin.user.id}> <@{bob.id}> @everyone"
        await stage.channel().deliver(build_outgoing("t", 0, Message(text), AllowedMentions(users=(bob.id,))))

        assert stage.twin.log.pinged == {bob.id}


@timeless
async def test_delivering_the_same_message_again_creates_no_duplicate() -> None:
    async with on_stage() as stage:
        channel = stage.channel()
        first = await channel.deliver(build_outgoing("t", 0, Message("once")))
        again = await channel.deliver(build_outgoing("t", 0, Message("once")))

        assert (first.id, stage.texts) == (again.id, ["once"])


async def test_it_is_a_reliable_transport() -> None:
    async with on_stage() as stage:
        channel: Transport = stage.channel()

        assert isinstance(channel, ReliableTransport)


@timeless
async def test_the_words_of_another_turn_are_not_taken_for_those_that_were_lost() -> None:
    async with on_stage(deaf=True) as stage:
        first, second = stage.channel(), stage.channel()
        await second.deliver(build_outgoing("second", 0, Message("Sure!")))
        stage.twin.inject_fault(FaultKind.CLOSE_BEFORE_COMMIT)
        outgoing = build_outgoing("first", 0, Message("Sure!"))
        with pytest.raises(DeliveryUncertain):
            await first.deliver(outgoing)

        assert await first.find(outgoing) is None


@timeless
async def test_a_history_that_may_not_be_read_proves_nothing() -> None:
    async with on_stage(deaf=True) as stage:
        deny = Permission.READ_MESSAGE_HISTORY
        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user, deny=deny)
        await stage.client.wait_for("guild_channel_update")
        channel, outgoing = stage.channel(), build_outgoing("turn", 0, Message("once"))
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK)
        with pytest.raises(DeliveryUncertain):
            await channel.deliver(outgoing)
        with pytest.raises(DeliveryUncertain):
            await channel.find(outgoing)


@timeless
async def test_who_speaks_for_others_waits_for_his_own_bucket() -> None:
    async with on_stage(TwinOptions()) as stage:
        stage.twin.configure(max_webhooks=0)
        channel = stage.channel(webhooks=Webhooks())
        for number in range(4):
            await channel.send(Message(str(number), speaker=Speaker("Luna")))

        assert channel.pause(Message("next", speaker=Speaker("Luna"))) > 0


@timeless
async def test_too_many_files_are_refused_before_anything_is_sent() -> None:
    async with on_stage() as stage:
        files = tuple(Attachment(f"{number}.txt", b"x") for number in range(11))
        with pytest.raises(MessageRefused) as raised:
            await stage.channel().send(Message("", files=files))

        assert raised.value.code == 30015
        assert stage.twin.log.count("messages.create") == 0


@timeless
async def test_a_client_that_was_closed_ends_the_turn_at_once() -> None:
    async with on_stage() as stage:
        channel = stage.channel()
        await stage.client.close()
        with pytest.raises(DeliveryError):
            await say(channel, model("One."), settings=LIGHT)

        assert now() < 1


@timeless
async def test_another_voice_without_webhooks_is_named_where_it_changes() -> None:
    luna, sol = Speaker("Luna"), Speaker("Sol")
    async with on_stage() as stage:
        channel = stage.channel()
        said = [Message("Hi.", speaker=luna), Message("You too?", speaker=luna), Message("Yes.", speaker=sol)]
        receipts = [
            await channel.send(one) for one in [*said, Message("And me."), Message("Me.", speaker=sol)]
        ]

        assert stage.texts == ["**Luna:** Hi.", "You too?", "**Sol:** Yes.", "And me.", "**Sol:** Me."]
        assert [receipt.changes for receipt in receipts] == [("no_webhook",)] * 3 + [()] + [("no_webhook",)]


@timeless
async def test_name_that_leaves_no_space_is_refused_before_sending() -> None:
    async with on_stage() as stage:
        with pytest.raises(MessageRefused) as raised:
            await stage.channel().send(Message("x" * 1995, speaker=Speaker("Luna")))

        assert raised.value.limit == 2000 - len("**Luna:** ")
        assert stage.texts == []


@timeless
async def test_two_turns_in_one_channel_take_turns() -> None:
    async with on_stage() as stage:
        one, other = stage.channel(), stage.channel()
        async with one.lock():
            waiting = asyncio.create_task(say(other, model("Two."), settings=LIGHT))
            await asyncio.sleep(5)
            assert stage.texts == []
            await one.send(Message("One."))
        await waiting

        assert stage.texts == ["One.", "Two."]
