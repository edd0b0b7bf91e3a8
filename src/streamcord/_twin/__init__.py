"""The local Discord."""

from .._shared.setup import require

require("aiohttp", "The local Discord needs aiohttp", "discord")
