"""discord.py's channels as transports, on the twin."""

from __future__ import annotations

from collections.abc import AsyncIterator

from delivery.stage import on_stage
from streamcord import Attachment, Degree, Message, Settings, say
from streamcord.delivery import Carrier, Transport
from streamcord.delivery.discord_py import DiscordChannel
from streamcord.delivery.parcel import Pings, seal
from virtual import timeless

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
        await say(stage.channel(), model("One.\nTwo."), settings=Settings(pause_chance=0))

        assert stage.texts == ["One.", "Two."]
        assert len(stage.twin.log.typing) == 1


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
        await stage.channel().deliver(seal("t", 0, Message(text), Pings(users=(bob.id,))))

        assert stage.twin.log.pinged == {bob.id}


@timeless
async def test_the_same_parcel_again_is_the_same_message() -> None:
    async with on_stage() as stage:
        channel = stage.channel()
        first = await channel.deliver(seal("t", 0, Message("once")))
        again = await channel.deliver(seal("t", 0, Message("once")))

        assert (first.id, stage.texts) == (again.id, ["once"])


async def test_it_is_a_transport_and_a_carrier() -> None:
    async with on_stage() as stage:
        channel: Transport = stage.channel()

        assert isinstance(channel, Carrier)
