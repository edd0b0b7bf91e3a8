"""The page of the demo, in a real Chromium: its avatars, and why a message of the bot looks as it does."""

from __future__ import annotations

import base64
import json

import pytest

from chromium import chromium, labelled, needs_chromium
from demo.sitting import sitting
from streamcord_bot.demo.guild import AVATARS, draw_avatar
from streamcord_bot.personas.pictures import write_texts

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


async def test_the_page_of_the_demo_says_what_to_try() -> None:
    async with sitting() as seat, chromium() as browser:
        tab = await browser.open(f"{seat.demo.twin.base_url}/")
        await tab.sees("Luna answers here, a message per paragraph.", "#rows")
        buttons = "document.querySelectorAll('.beginning button').length"
        assert await tab.run(buttons) == 5
        await tab.click(labelled("roll two dice", ".beginning"))
        await tab.sees("The dice say", "#rows")
        assert tab.faults == []
        assert tab.elsewhere == []


async def test_an_imported_persona_shows_its_face_on_the_page() -> None:
    card = {"spec": "chara_card_v2", "data": {"name": "Isolde", "first_mes": "I am {{char}}, {{user}}."}}
    chara = base64.b64encode(json.dumps(card).encode())
    picture = write_texts(draw_avatar(AVATARS["orbit"]), {"chara": chara})
    async with sitting() as seat, chromium() as browser:
        twin = seat.demo.twin
        tab = await browser.open(f"{twin.base_url}/")
        twin.slash("persona import", file=("isolde.png", picture))
        await tab.sees("was imported", "#rows", 20)
        twin.slash("persona switch", name="Isolde")
        await tab.sees("From now on", "#rows", 20)
        twin.slash("persona greet")
        await tab.sees("I am Isolde, you.", "#rows", 20)
        row = "[...document.querySelectorAll('#rows article')].find(one => one.innerText.includes('I am Isolde'))"
        await tab.until(f"{row}.querySelector('img.avatar')?.naturalWidth > 0")
        assert "/cdn/emojis/" in await tab.run(f"{row}.querySelector('img.avatar').src")


async def test_optional_value_with_suggestions_can_be_left_empty_by_keyboard() -> None:
    async with sitting() as seat, chromium() as browser:
        tab = await browser.open(f"{seat.demo.twin.base_url}/")
        await tab.type("/settings show")
        await tab.until("document.querySelector('#suggestions [aria-selected=true]') !== null")
        await tab.press("Enter")
        await tab.sees("degree: How human it looks", "#suggestions")
        shown = "document.querySelector('#suggestions [role=option] > span')"
        # The first suggestion is a common setting, and a long one uses the whole width.
        assert (await tab.run(f"{shown}.innerText")).startswith("degree: ")
        assert await tab.run(f"{shown}.getBoundingClientRect().width") > 500
        await tab.press("Enter")
        await tab.sees("Settings in this server", "#rows")
        # An arrow key chooses a suggestion.
        await tab.type("/settings show")
        await tab.until("document.querySelector('#suggestions [aria-selected=true]') !== null")
        await tab.press("Enter")
        await tab.sees("degree: How human it looks", "#suggestions")
        await tab.press("ArrowDown", "Enter")
        assert await tab.run("document.querySelector('.command input').value") == "degree"
        assert tab.faults == []


async def test_name_of_the_language_does_not_cover_code_on_a_phone() -> None:
    async with sitting() as seat, chromium() as browser:
        tab = await browser.open(f"{seat.demo.twin.base_url}/", 390, 780, touch=True)
        await tab.type("show me some code")
        await tab.press("Enter")
        await tab.sees("python", "#rows")
        covered = """(() => {
            const range = document.createRange();
            range.selectNodeContents(document.querySelector(".code pre"));
            const name = document.querySelector(".code .language").getBoundingClientRect();
            return [...range.getClientRects()].some((line) => line.top < name.bottom && line.right > name.left);
        })()"""
        assert await tab.run(covered) is False
