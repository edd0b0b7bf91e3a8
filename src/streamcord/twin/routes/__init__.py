"""The REST routes, a file per resource; each file's `ROUTES` is its table of contents."""

from __future__ import annotations

from . import channels, commands, emojis, guilds, interactions, messages, users, webhooks

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
