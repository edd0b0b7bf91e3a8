"""The REST routes, a file per resource; each file's `ROUTES` is its table of contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rest.routing import RouteTable, described_routes, documented_routes
from . import (
    applications,
    catalogs,
    channels,
    commands,
    emoji,
    guilds,
    interactions,
    invites,
    members,
    messages,
    pins,
    reactions,
    roles,
    stickers,
    threads,
    users,
    webhooks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# Of two routes that fit, the first is taken: `messages/pins` comes before `messages/{message_id}`.
ALL_ROUTES = (
    *pins.ROUTES,
    *reactions.ROUTES,
    *messages.ROUTES,
    *webhooks.ROUTES,
    *interactions.ROUTES,
    *channels.ROUTES,
    *threads.ROUTES,
    *commands.ROUTES,
    *emoji.ROUTES,
    *stickers.ROUTES,
    *guilds.ROUTES,
    *roles.ROUTES,
    *invites.ROUTES,
    *members.ROUTES,
    *catalogs.ROUTES,
    *applications.ROUTES,
    *users.ROUTES,
)


def missing_routes() -> list[str]:
    """Return the routes that Discord documents and the twin does not have."""
    table = RouteTable(ALL_ROUTES)
    return [
        f"{method} {path}" for method, path in documented_routes() if not table.find(method, path.lstrip("/"))
    ]


def undocumented_routes() -> list[str]:
    """Return the routes of Discord's OpenAPI document that neither its documentation nor the twin has."""
    table, documented = RouteTable(ALL_ROUTES), {_shape(*one) for one in documented_routes()}
    return [
        f"{method} {path}"
        for method, path in described_routes()
        if _shape(method, path) not in documented and not table.find(method, path.lstrip("/"))
    ]


def undescribed_routes() -> list[str]:
    """Return the routes that the twin serves and Discord's OpenAPI document does not have."""
    described = {_shape(*one) for one in described_routes()}
    served = {(route.method, route.path) for route in ALL_ROUTES}
    return sorted(f"{method} {path}" for method, path in served if _shape(method, path) not in described)


def _shape(method: str, path: str) -> str:
    """Return a route without the names of its ids, which differ between documents."""
    parts = ("{}" if one.startswith("{") else one for one in path.strip("/").split("/"))
    return f"{method} {'/'.join(parts)}"


def print_routes() -> Iterator[str]:
    """Yield all lists as a page of Markdown."""
    yield "## Served\n"
    yield from sorted({f"- `{route.method} {route.path}`" for route in ALL_ROUTES})
    yield "\n## Served, unknown to Discord's OpenAPI document\n"
    yield from (f"- `{route}`" for route in undescribed_routes())
    yield "\n## Not served yet\n"
    yield from (f"- `{route}`" for route in missing_routes())
    yield "\n## Not served, in the OpenAPI document only\n"
    yield from (f"- `{route}`" for route in undocumented_routes())
