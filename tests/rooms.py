"""The rooms of the house as data: who may import whom, how large things may be, and the exceptions.

A room is a folder or file right under the package. Its own files may always import each other.
"""

from __future__ import annotations

# What people may import: `streamcord` itself ("") and these files beside it.
PUBLIC = {"", "cluster", "discord", "providers", "store", "testing", "twin"}

# Small private parts that know nothing of the rest of the package but its errors: every room may use them.
LEAVES = {"_shared"}

# Which other rooms each room of the library may enter, besides the leaves.
DOORS: dict[str, set[str]] = {
    "_shared": {"_errors"},
    "_events": set(),
    "_errors": {"_result"},
    "_stop": set(),
    "_cast": {"_errors"},
    "_settings": {"_cast", "_errors", "_events"},
    "_result": {"_events"},
    "_core": {"_events", "_settings"},
    "_render": {"_events", "_settings"},
    "_moderation": {"_errors", "_events", "_providers"},
    "_providers": {"_errors", "_events", "_settings"},
    "_delivery": {"_errors", "_events", "_settings", "_stop"},
    "_journal": {"_delivery", "_errors", "_events", "_settings", "_stop", "_store"},
    "_cluster": {"_delivery", "_errors", "_journal", "_stop", "_store"},
    "_discord": {"_delivery", "_errors", "_events", "_settings", "_stop", "twin"},
    "_store": {"_cast", "_errors", "_events", "store"},
    "_turn": {
        "_core", "_delivery", "_discord", "_errors", "_events", "_journal", "_moderation", "_providers",
        "_render", "_result", "_settings", "_stop",
    },
    "cluster": {"_cluster"},
    "discord": {"_delivery", "_discord"},
    "providers": {"_moderation", "_providers"},
    "store": {"_cast", "_errors", "_events", "_journal", "_store"},
    "testing": {"_discord", "_lab", "_testing"},
    "twin": {"_twin"},
}  # fmt: skip

# Programs built on the library. They see what every user sees: the public names of the doors. The value is
# which other programs each may start or show; they have no door of their own.
OUTSIDERS: dict[str, set[str]] = {
    "_bot": set(),
    "_cli": {"_bot", "_demo", "_lab"},
    "_demo": {"_bot", "_lab"},
    "_lab": set(),
    # The client of its fixtures lives where discord.py may be known.
    "_testing": {"_discord"},
    "_twin": set(),
}
# Folders beside the package that show people how to use it: public names only.
SHOWN = ("examples",)

# The only rooms that may know discord.py.
DISCORD_ROOMS = {"_bot", "_discord"}

# Everything in the standard library that neither waits, nor looks at the machine, nor talks.
PURE = {
    "__future__", "bisect", "collections", "contextlib", "copy", "dataclasses", "difflib", "enum",
    "functools", "heapq", "itertools", "math", "operator", "random", "re", "string", "types", "typing",
    "unicodedata",
}  # fmt: skip

MODULE_CAP = 232
"""Modules of the house in `src`, besides the rooms below."""
ADDED_ROOMS: dict[str, int] = {
    "_bot/cluster": 8,
    "_cluster": 8,
    "cluster": 1,
    "_bot/asking": 3,
    "_bot/budget": 8,
    "_bot/durability": 9,
    "_bot/reading": 4,
    "_bot/operating": 6,
    "_bot/story": 3,
    "_bot/safety": 6,
    "_journal": 8,
    "_moderation": 3,
    "_shared/safety": 4,
    "_shared/setup": 1,
    "_demo/plain": 1,
    "_bot/rights": 5,
    "_discord/webhooks/late_twins": 1,
    "_discord/webhooks/namesakes": 1,
    "_core/growth": 3,
    "_core/hiding": 3,
    "_core/rules/openers": 5,
    "_delivery/live": 5,
    "_lab/frames": 1,
    "_discord/replies": 1,
    "_discord/revisions": 1,
    "_store/spending": 1,
    "_store/privacy": 2,
    "_bot/intake": 4,
    "_providers/reads": 7,
    "_turn/sending": 1,
    "_twin/page": 6,
}
"""Folders that stand for a capability of their own, and how many modules each may have."""
FOLDER_CAP = 15
"""Modules in one folder, besides its `__init__`."""

# Two classes with one name, and why both keep it.
TWICE = {
    "Attachment": "the twin shows Discord's own objects under Discord's own names",
    "Emoji": "as Attachment",
    "Message": "as Attachment",
}

# Source files without a test file of their own, and what tests them.
TESTED_ELSEWHERE = {
    "__main__.py": "two lines that call the command line: tests/cli",
    "_bot/services.py": "the whole bot on a twin: tests/bot/test_client.py and the scenarios",
    "providers.py": "a door, names only: tests/test_exports.py and tests/providers",
    "store.py": "a door, names and a protocol: tests/test_exports.py and tests/store",
    "testing.py": "a door, names only: tests/test_exports.py and tests/testing",
    "twin.py": "a door, names only: tests/test_exports.py and tests/twin",
}

# --- What is not kept yet; each list only ever shrinks. ---------------------------------------------------

# Private names that outsiders still import.
STILL_PRIVATE: dict[str, set[str]] = {}
STILL_LARGE: set[str] = set()
STILL_TWICE = {"Part"}
STILL_UNTESTED: set[str] = set()
STILL_IN_A_CYCLE: set[str] = set()
