"""Take the pictures of the page that the docs show: the demo's server in a real Chromium, at a desk and on a phone."""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "packages/streamcord/src"), str(ROOT / "tests")]

from PIL import Image  # noqa: E402

from chromium import CHROMIUM, Tab, chromium  # noqa: E402
from demo.sitting import sitting  # noqa: E402
from discord_twin import Twin  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
DESK, PHONE = (1280, 760), (390, 780)
_ROWS = "[...document.querySelectorAll('#rows article')]"


async def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    async with sitting() as seat, chromium() as browser:
        twin = seat.demo.twin
        people(twin)
        desk = await browser.open(f"{twin.base_url}/", *DESK)
        for question, answer in (
            ("show me a table", "Again"),
            ("show me your sprites", "And that is just me again"),
        ):
            await say(desk, question, answer)
        await keep(desk, "page-conversation")
        await why(desk)
        await keep(desk, "page-why")
        await desk.press("Escape")
        await desk.run("document.getElementById('text').focus()")
        await desk.type("/persona switch")
        await desk.sees("/persona switch", "#suggestions")
        await desk.press("Enter")
        await desk.sees("Orbit", "#suggestions")
        await keep(desk, "page-command")
        await desk.press("Escape", "Escape")
        phone = await browser.open(f"{twin.base_url}/", *PHONE, touch=True)
        await phone.sees("And that is just me again", "#rows")
        await keep(phone, "page-phone")
        await phone.tap("#show-places")
        await phone.until("document.querySelector('nav').getBoundingClientRect().left === 0")
        await keep(phone, "page-phone-places")
        assert not desk.faults + phone.faults, desk.faults + phone.faults


def people(twin: Twin) -> None:
    """Add a second user who wrote in another channel."""
    ada = twin.add_user("ada")
    twin.fake_user("grace")
    other = next(one for one in twin.state.channels.values() if one.name == "thoughts")
    twin.say(other, ada, f"Have you seen this, <@{twin.user.id}>?")
    first = twin.say(twin.channel, ada, "Good morning! Is the cat awake?", silent=True)
    twin.users.react(first, "👋", twin.user)


async def say(tab: Tab, question: str, answer: str) -> None:
    await tab.run("document.getElementById('text').focus()")
    await tab.type(question)
    await tab.press("Enter")
    await tab.sees(answer, "#rows")
    await tab.until(f"{_ROWS}.pop().innerText.includes('Continue')")


async def why(tab: Tab) -> None:
    row = f"{_ROWS}.find(one => one.innerText.includes('This one is for three'))"
    await tab.run(f"{row}.focus()")
    await tab.press("w")
    await tab.sees("What the model said", "#side")


async def keep(tab: Tab, name: str) -> None:
    """A small file: as many colours as the eye needs."""
    await tab.until("[...document.images].every(one => one.complete)")
    await tab.run("document.getElementById('phone').replaceChildren()")
    raw = FOLDER / f"{name}.png"
    await tab.picture(raw)
    image = Image.open(io.BytesIO(raw.read_bytes())).convert("RGB")
    image.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(raw, optimize=True)
    print(f"{raw.relative_to(ROOT)}: {image.width} x {image.height}, {raw.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    if CHROMIUM is None:
        raise SystemExit("pictures: needs Chromium (Debian's package chromium, or its path in $CHROMIUM)")
    asyncio.run(main())
