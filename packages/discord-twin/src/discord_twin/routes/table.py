"""The REST routes, a file per resource; each file's `ROUTES` is its table of contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rest.routing import RouteTable, documented_routes
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

__all__ = ["ALL_ROUTES", "missing_routes", "print_routes"]

# Of two routes that fit, the first is taken: `messages/pins` comes before `messages/{message_id}`.
ALL_ROUTES = (
    *reaction_routes.PIN_ROUTES,
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


def print_routes() -> Iterator[str]:
    """Yield both lists as a page of Markdown."""
    yield "## Served\n"
    yield from sorted({f"- `{route.method} {route.path}`" for route in ALL_ROUTES})
    yield "\n## Not served yet\n"
    yield from (f"- `{route}`" for route in missing_routes())
