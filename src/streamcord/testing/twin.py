"""Point an unchanged discord.py at a twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..delivery.redirect import redirect_discord_py

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ..twin import Twin

__all__ = ["connect_discord_py"]


def connect_discord_py(twin: Twin) -> AbstractContextManager[None]:
    """Let every discord.py client in this process talk to `twin` instead of Discord, until the block ends.

    Pass `guild_ready_timeout=0.05` to the client, or it waits two seconds for further guilds.
    """
    return redirect_discord_py(twin.api_url, twin.gateway_url, twin.cdn_url)
