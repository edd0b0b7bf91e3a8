"""What does my bot do when Discord fails?"""

import discord
import pytest

from discord_twin import FaultKind, Twin
from streamcord import ChannelGone, say
from streamcord.discord import DiscordChannel
from streamcord.testing import ScriptedProvider


async def test_a_lost_response_does_not_duplicate_the_answer(twin: Twin, twin_client: discord.Client) -> None:
    channel = DiscordChannel(twin_client.get_partial_messageable(twin.channel.id))
    twin.inject_fault(
        FaultKind.COMMIT_THEN_STATUS, status=502
    )  # it arrives, but Discord says that it has failed

    await say(channel, ScriptedProvider(["Only once."]))

    assert twin.channel.texts == ["Only once."]


async def test_a_deleted_channel_raises_channel_gone(twin: Twin, twin_client: discord.Client) -> None:
    channel = DiscordChannel(twin_client.get_partial_messageable(twin.channel.id))
    twin.inject_fault(FaultKind.DELETE_CHANNEL)

    with pytest.raises(ChannelGone):
        await say(channel, ScriptedProvider(["Is anybody there?"]))
