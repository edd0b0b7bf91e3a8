"""Play a group role play with three imported cards (PNG, JSON, CHARX) on the local Discord, and take pictures of it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests")]

from bot.role_play import play, role_play_model  # noqa: E402
from bot.stage import make_config, on_stage  # noqa: E402
from chromium import chromium  # noqa: E402
from discord_twin import WebUI  # noqa: E402


async def main(folder: Path) -> int:
    """Play the scene, save two pictures, and print every message."""
    async with on_stage(role_play_model(), config=make_config(answer={"debounce": 0.0})) as stage:
        WebUI(stage.twin)
        await play(stage)
        shown = list(stage.twin.channel.messages.values())
        for one in shown:
            print(f"{one.shown_name}: {one.content}")
        async with chromium() as browser:
            page = await browser.open(f"{stage.twin.base_url}/", 1100, 1500)
            await page.sees("Again you, alice?", "#rows")
            await page.picture(folder / "role-play.png")
            phone = await browser.open(f"{stage.twin.base_url}/", 390, 780, touch=True)
            await phone.sees("Again you, alice?", "#rows")
            await phone.picture(folder / "role-play-phone.png")
    unfilled = [one for one in shown if "{{" in one.content]
    print(f"{len(shown)} messages, {len(unfilled)} with an unfilled macro; pictures in {folder}")
    return 1 if unfilled else 0


if __name__ == "__main__":
    pictures = Path(sys.argv[1] if len(sys.argv) > 1 else "build/role-play")
    pictures.mkdir(parents=True, exist_ok=True)
    raise SystemExit(asyncio.run(main(pictures)))
