"""The page of the demo, in a real Chromium: its avatars, and why a message of the bot looks as it does."""

from __future__ import annotations

import pytest

from chromium import chromium, needs_chromium
from demo.sitting import sitting

pytestmark = [needs_chromium, pytest.mark.timeout(120)]


async def test_the_page_of_the_demo_tells_why() -> None:
    async with sitting() as seat, chromium() as browser:
        tab = await browser.open(f"{seat.demo.twin.base_url}/")
        await tab.type("show me your sprites")
        await tab.press("Enter")
        await tab.sees("This one is for three in the morning", "#rows")
        rows = "[...document.querySelectorAll('#rows article')]"
        mad = f"{rows}.find(one => one.innerText.includes('This one is for three'))"
        # An avatar is its picture, or a letter, and never both.
        await tab.until(f"{mad}.querySelector('img.avatar')?.naturalWidth > 0")
        assert await tab.run("document.querySelectorAll('img.avatar[data-letter]').length") == 0
        assert await tab.run(f"{mad}.querySelectorAll('.avatar').length") == 1

        await tab.until(f"{rows}.some(one => one.innerText.includes('Again'))")  # the answer is over
        await tab.run(f"{mad}.focus()")
        await tab.press("w")
        await tab.sees("What the model said", "#side")
        for part in ("message 3 of 4", "the line ends there", "render modifier", "Luna (sleepy):"):
            await tab.sees(part, "#side")
        assert await tab.run("document.querySelector('mark.shown[title]').innerText.trim()") == (
            "This one is for three in the morning..."
        )
        assert "mad" in await tab.run("document.querySelector('.source').innerText")
        await tab.press("Escape")
        await tab.sees("APPS", "#side")
        assert tab.faults == []
        assert tab.elsewhere == []
