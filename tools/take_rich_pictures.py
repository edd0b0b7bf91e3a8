"""Take pictures of one answer with words, two pictures, five sources and code, as bubbles and live, on the page.

The real bot asks a server that speaks OpenAI's Responses API. A third picture shows a diagram and a formula.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "packages/streamcord/src"), str(ROOT / "tests"), str(ROOT / "tools")]

from take_pictures import keep  # noqa: E402

from bot.rich_stream import rich_stream  # noqa: E402
from bot.stage import make_config, on_stage  # noqa: E402
from chromium import Browser, chromium  # noqa: E402
from discord_twin import WebUI  # noqa: E402
from providers.loopback import serving, streaming  # noqa: E402
from streamcord.providers import HttpProvider, Provider  # noqa: E402
from streamcord.testing import ScriptedProvider  # noqa: E402

SIZE = (1000, 1250)
BUBBLES = {"degree": 2, "typing": "off"}
LIVE = {"degree": 0, "delivery": "live", "live_limit": 4000}
DRAWN = (
    "A model call in three steps:\n\n```mermaid\nsequenceDiagram\n  participant U as User\n  participant B as Bot\n"
    "  participant M as Model\n  U->>B: Question\n  B->>M: Prompt\n  M-->>B: Stream\n  B-->>U: Edits\n```\n\n"
    "A rotation is:\n\n$$R(\\theta) = \\begin{pmatrix} \\cos\\theta & -\\sin\\theta \\\\ \\sin\\theta & \\cos\\theta \\end{pmatrix}$$\n\n"
    "That is all."
)


async def show(
    browser: Browser, name: str, provider: Provider, settings: dict[str, object], last: str
) -> None:
    """Ask, wait for the last words, and keep the page."""
    config = make_config(settings=settings, answer={"buttons": True, "debounce": 0.0})
    async with on_stage(provider, config=config) as stage:
        page = WebUI(stage.twin)
        tab = await browser.open(f"{stage.twin.base_url}/", *SIZE)
        stage.ask("why are orange cats male?" if name != "drawn" else "how does it work?")
        await tab.sees(last, "#rows")
        await stage.quiet()
        await keep(tab, f"answer-{name}")
        page.close()
        assert not tab.faults, tab.faults


async def main() -> None:
    """Take all pictures."""
    async with serving(streaming(*rich_stream())) as server, chromium() as browser:
        for name, settings in (("bubbles", BUBBLES), ("live", LIVE)):
            async with HttpProvider("openai-responses", base_url=server.url, key="k", model="m") as provider:
                await show(browser, name, provider, settings, "4. ")
        await show(browser, "drawn", ScriptedProvider([DRAWN]), BUBBLES, "That is all")


if __name__ == "__main__":
    asyncio.run(main())
