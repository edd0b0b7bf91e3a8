"""The PYTHONPATH with which tests start our commands in processes of their own."""

from __future__ import annotations

import os
from pathlib import Path

import discord_twin
import streamcord
import streamcord_bot

# The sources under test, even if another clone is installed in the environment.
SOURCE_PATH = os.pathsep.join(
    str(Path(file).parent.parent)
    for file in (streamcord.__file__, streamcord_bot.__file__, discord_twin.__file__)
)
