"""The REST routes, a file per resource; each file's `ROUTES` is its table of contents."""

from __future__ import annotations

from . import (
    catalog_routes,
    channel_routes,
    command_routes,
    emoji_routes,
    guild_routes,
    interaction_routes,
    invite_routes,
    member_routes,
    message_routes,
    pin_routes,
    reaction_routes,
    thread_routes,
    user_routes,
    webhook_routes,
)

__all__ = ["ALL_ROUTES"]

# Of two routes that fit, the first is taken: `messages/pins` comes before `messages/{message_id}`.
ALL_ROUTES = (
    *pin_routes.ROUTES,
    *reaction_routes.ROUTES,
    *message_routes.ROUTES,
    *webhook_routes.ROUTES,
    *interaction_routes.ROUTES,
    *channel_routes.ROUTES,
    *thread_routes.ROUTES,
    *command_routes.ROUTES,
    *emoji_routes.ROUTES,
    *guild_routes.ROUTES,
    *member_routes.ROUTES,
    *invite_routes.ROUTES,
    *catalog_routes.ROUTES,
    *user_routes.ROUTES,
)
