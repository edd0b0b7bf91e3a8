"""One turn before its first word: what is asked, where, and everything that was decided for it."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from streamcord import Settings
from streamcord.providers import Prompt

from ..conversation.channel_queue import Ask
from ..conversation.context_messages import Conversation
from ..conversation.scene import Scene

__all__ = ["Job"]


@dataclass(frozen=True, slots=True)
class Job:
    """A snapshot: what changes later changes the next turn."""

    turn: str
    ask: Ask
    channel: discord.abc.MessageableChannel
    scene: Scene
    talk: Conversation
    settings: Settings
    prompt: Prompt
    locale: str
