"""The REST routes, a file per resource; each file's `ROUTES` is its table of contents."""

from __future__ import annotations

from . import (
    channel_routes as channels,
)
from . import (
    command_routes as commands,
)
from . import (
    emoji_routes as emojis,
)
from . import (
    guild_routes as guilds,
)
from . import (
    interaction_routes as interactions,
)
from . import (
    message_routes as messages,
)
from . import (
    user_routes as users,
)
from . import (
    webhook_routes as webhooks,
)

__all__ = ["ALL_ROUTES"]

ALL_ROUTES = (
    *messages.ROUTES,
    *webhooks.ROUTES,
    *interactions.ROUTES,
    *channels.ROUTES,
    *commands.ROUTES,
    *emojis.ROUTES,
    *guilds.ROUTES,
    *users.ROUTES,
)
