from __future__ import annotations

from streamcord import discord as discord_py
from streamcord._delivery import outgoing
from streamcord._discord import channel as channels
from streamcord._discord import interaction as interactions
from streamcord._discord.webhooks import sender as webhooks


def test_everything_that_users_of_discord_py_need_is_in_one_place() -> None:
    assert discord_py.DiscordChannel is channels.DiscordChannel
    assert discord_py.DiscordInteraction is interactions.DiscordInteraction
    assert discord_py.AllowedMentions is outgoing.AllowedMentions
    assert discord_py.Webhooks is webhooks.Webhooks
