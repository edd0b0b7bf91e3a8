"""Take the pictures of `docs/choices.md`: an approval at a desk, and on a phone after it was pressed.

The bot is the real one on the local Discord, the model follows a script, and the page is shown by Chromium.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

from take_pictures import DESK, PHONE, keep  # noqa: E402

from bot.stage import make_config, on_stage  # noqa: E402
from bot.test_choices import custom_ids  # noqa: E402
from chromium import CHROMIUM, chromium, labelled  # noqa: E402
from discord_twin import Message, Twin, WebUI  # noqa: E402
from streamcord import ToolCall  # noqa: E402
from streamcord.providers import tool  # noqa: E402
from streamcord.testing import ScriptedProvider  # noqa: E402
from twin.conftest import FREE  # noqa: E402


@tool
async def deploy(version: str, environment: str) -> str:
    """Deploy a version."""
    return f"{version} is out on {environment}"


LUNCH = {"question": "Where shall we eat?", "choices": ["Pizza", "Sushi", "Salad"], "own_words": True}
SCRIPT: tuple[list[Any], ...] = (
    [
        "All tests of 1.2 are green. ",
        ToolCall("1", "deploy", {"version": "1.2", "environment": "production"}),
    ],
    ["Version 1.2 is out on production. The first requests look fine."],
    ["Good question, it is nearly noon. ", ToolCall("2", "offer_choices", LUNCH)],
)


async def main() -> None:
    """Take the pictures."""
    settings = {"typing": "off", "delivery": "live"}
    config = make_config(tools={"approve": {"deploy": "first"}}, settings=settings)
    twin = Twin(FREE)
    page = WebUI(twin)
    async with chromium() as browser, twin:
        async with on_stage(ScriptedProvider(*SCRIPT), config=config, twin=twin, tools=[deploy]) as stage:
            desk = await browser.open(f"{twin.base_url}/", *DESK)
            stage.ask("deploy 1.2 to production, please")
            card = await twin.until(lambda: _asked(stage.said()))
            await desk.sees("For this conversation", "#rows")
            await keep(desk, "choices-approval")
            await desk.click(labelled("Once", "#rows"))
            await desk.sees("look fine", "#rows")
            assert not custom_ids(card)
            stage.ask("and what about lunch?")
            await desk.sees("Something else", "#rows")
            phone = await browser.open(f"{twin.base_url}/", *PHONE, touch=True)
            await phone.sees("Something else", "#rows")
            await keep(phone, "choices-phone")
            assert not desk.faults + phone.faults, desk.faults + phone.faults
        page.close()


def _asked(said: list[Message]) -> Message | None:
    return next((one for one in said if custom_ids(one)), None)


if __name__ == "__main__":
    if CHROMIUM is None:
        raise SystemExit("pictures: needs Chromium (Debian's package chromium, or its path in $CHROMIUM)")
    asyncio.run(main())
