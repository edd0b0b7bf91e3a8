"""Write docs/twin-rules.md and docs/twin-routes.md from the twin itself: `python tools/twin_pages.py`."""

from __future__ import annotations

from pathlib import Path

from discord_twin.routes.table import print_routes
from discord_twin.validation.table import print_table

DOCS = Path(__file__).parent.parent / "docs"
RULES = """\
# What the twin accepts

Every rule that the local Discord checks in a request's body, with the page of Discord's documentation that it comes
from. A body that breaks one is answered with 400, code 50035 and all its faults, nested as Discord nests them. The page
is printed from the same table that checks the requests (`python tools/twin_pages.py`).

"""
ROUTES = """\
# Routes of the twin

What the local Discord answers, and which documented routes it does not have yet. A request to one of those is answered
with 501 and a sentence that says so, logged, and counted in `twin.log.unknown` (`TwinOptions(strict=False)`: with 404).
Printed from the table of routes (`python tools/twin_pages.py`).

"""


def main() -> None:
    (DOCS / "twin-rules.md").write_text(RULES + "\n".join(print_table()) + "\n", encoding="utf-8")
    (DOCS / "twin-routes.md").write_text(ROUTES + "\n".join(print_routes()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
