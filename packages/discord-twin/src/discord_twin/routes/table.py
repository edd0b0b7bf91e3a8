"""The REST routes, a file per resource; each file's `ROUTES` is its table of contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rest.routing import RouteTable, described_routes, documented_routes
from . import (
    channels as channel_routes,
)
from . import (
    commands as command_routes,
)
from . import (
    emoji as emoji_routes,
)
from . import (
    guilds as guild_routes,
)
from . import (
    interactions as interaction_routes,
)
from . import (
    members as member_routes,
)
from . import (
    messages as message_routes,
)
from . import (
    pins as pin_routes,
)
from . import (
    reactions as reaction_routes,
)
from . import (
    threads as thread_routes,
)
from . import (
    users as user_routes,
)
from . import (
    webhooks as webhook_routes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    *user_routes.CATALOG_ROUTES,
    *user_routes.ROUTES,
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
