"""Write docs/twin-rules.md and docs/twin-routes.md from the twin itself: `python tools/twin_pages.py`."""

from __future__ import annotations

from pathlib import Path

from discord_twin.routes.table import print_routes
from discord_twin.validation.table import print_table

DOCS = Path(__file__).parent.parent / "docs"
RULES = """\
# Rules of the twin

The local Discord checks these rules in request bodies; each names its source in Discord's documentation. A body that breaks
one gets status 400, code 50035 and a nested list of all errors, as from Discord.

This page is printed from the table that checks the requests (`python tools/twin_pages.py`).

"""
ROUTES = """\
# Routes of the twin

The local Discord serves the routes of the first list. Those of the second are documented, but missing in Discord's OpenAPI
document of July 2026. The third and fourth list what it does not have: documented, and in the OpenAPI document only. A request to a
missing route gets 501 with an explanation, is logged, and is counted in `twin.log.unknown`. With `TwinOptions(strict=False)` it
gets 404.

This page is printed from the table of routes (`python tools/twin_pages.py`).

"""


def main() -> None:
    (DOCS / "twin-rules.md").write_text(RULES + "\n".join(print_table()) + "\n", encoding="utf-8")
    (DOCS / "twin-routes.md").write_text(ROUTES + "\n".join(print_routes()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
