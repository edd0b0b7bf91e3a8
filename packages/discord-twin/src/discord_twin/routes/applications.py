"""The application of the bot itself.

https://docs.discord.com/developers/resources/application
"""

from __future__ import annotations

from ..rest.routing import Call, Reply, Route
from ..state.serializers import (
    serialize_application,
)
from ..validation.guild_objects import APPLICATION
from ..validation.table import check


def read_application(call: Call) -> Reply:
    """GET /oauth2/applications/@me and /applications/@me ."""
    shape = serialize_application(call.bot)
    # The flag says that the privileged intent is turned on.
    return Reply(shape if call.options.message_content_intent else {**shape, "flags": 0})


def change_application(call: Call) -> Reply:
    """PATCH /applications/@me : the twin keeps the description only."""
    payload = check(APPLICATION, call.payload, call.options)
    if "description" in payload:
        given = payload["description"]
        # With translations it is an object.
        call.bot.description = str((given.get("default") if isinstance(given, dict) else given) or "")
    return read_application(call)


ROUTES = (
    Route("applications.own", "GET", "/oauth2/applications/@me", read_application),
    Route("applications.own", "GET", "/applications/@me", read_application),
    Route("applications.edit_own", "PATCH", "/applications/@me", change_application),
)
