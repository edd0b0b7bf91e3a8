"""The page as a tool: faults, permissions, time, links to a state, and the requests and events of a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from chromium import labelled, needs_chromium
from discord_twin import AdjustableClock, ControlApi, FaultKind, Permission, Twin, WebUI
from npm_package import install, needs_node
from twin.web_ui.person_at_page import PersonAtPage, at_page
from twin.web_ui.test_page_bars import complaints

pytestmark = [needs_chromium, pytest.mark.timeout(120)]


async def open_tools(person: PersonAtPage) -> None:
    await person.press_on("#show-tools")
    await person.sees("Newest requests", "#side")


async def test_buttons_let_discord_fail_and_move_time() -> None:
    async with at_page(bot=False, tools=True) as person:
        twin = person.twin
        await open_tools(person)
        await person.choose("429 bucket", "#side")
        await person.sees("429 of the bucket", "#side")
        assert [one.kind for one in twin.faults.pending] == [FaultKind.RATE_USER]
        await person.choose("Forget all", "#side")
        await person.sees("No fault is to come", "#side")
        await person.choose("Revoke", "#side")
        await person.sees("Revoked: send messages", "#side")
        granted = twin.state.permissions(twin.bot.user, twin.channel)
        assert not granted & Permission.SEND_MESSAGES
        await person.choose("Give all back", "#side")
        await person.sees("Nothing is revoked", "#side")
        assert twin.state.permissions(twin.bot.user, twin.channel) & Permission.SEND_MESSAGES
        await person.choose("+ 15 min", "#side")
        await person.sees("moved forward by 15 min", "#side")
        clock = twin.clock
        assert isinstance(clock, AdjustableClock)
        assert clock.advanced == 900
        await person.choose("10 ×", "#side")
        await person.sees("runs 10 times as fast", "#side")
        await person.tab.press("Escape")
        await person.tab.until("!document.body.matches('.panel')")
        person.has_no_faults()


async def test_a_dropped_gateway_and_the_history_of_a_message() -> None:
    async with at_page(tools=True) as person:
        twin = person.twin
        await open_tools(person)
        await person.choose("Drop the gateway", "#side")
        await twin.until(lambda: twin.gateway.resumes, 10)
        twin.fake_user().say(f"<@{twin.bot.user.id}> hello")
        await person.sees("you said hello")
        await person.use_menu("you said hello", "Requests and events")
        await person.sees("200 POST messages.create", "#side")
        await person.sees("event MESSAGE_CREATE", "#side")
        await person.tab.run("document.querySelector('#side details').open = true")
        await person.sees('"content": "you said *hello*"', "#side")
        person.has_no_faults()


async def test_a_link_brings_the_state_to_another_twin_after_a_question() -> None:
    async with at_page(bot=False, tools=True) as person:
        twin = person.twin
        bob = next(one for one in twin.state.users.values() if one.name == "bob")
        twin.say(twin.channel, bob, "kept in the link")
        twin.inject_fault(FaultKind.STATUS, status=503)
        await open_tools(person)
        # Without the permission to copy, the link is shown.
        await person.tab.run("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
        await person.choose("Copy a link", "#side")
        await person.tab.until("document.getElementById('state-link').value.includes('#state=')")
        link = await person.tab.run("document.getElementById('state-link').value")

        async with Twin() as second:
            ControlApi(second)
            page = WebUI(second)
            address = link.replace(twin.base_url, second.base_url)
            tab = await person.browser.open(address, 1280, 800)
            await tab.sees("1 messages and 1 faults", "dialog")
            assert second.channel.texts == []
            await tab.click(labelled("Load", "dialog"))
            await tab.sees("kept in the link", "#rows")
            assert [one.kind for one in second.faults.pending] == [FaultKind.STATUS]
            assert await tab.run("location.hash") == ""
            broken = await person.browser.open(f"{second.base_url}/#state=xxxx", 1280, 800)
            await broken.sees("holds no state", "#state")
            page.close()
        person.has_no_faults()


async def test_without_the_control_api_there_are_no_tools() -> None:
    async with at_page(bot=False) as person:
        assert await person.tab.run("document.getElementById('show-tools').hidden")
        person.has_no_faults()


@needs_node
async def test_axe_finds_nothing_serious_in_the_tools(pytestconfig: pytest.Config) -> None:
    script = (install(Path(__file__).with_name("js"), pytestconfig) / "axe.min.js").read_text()
    async with at_page(tools=True) as person:
        person.twin.fake_user().say(f"<@{person.twin.bot.user.id}> look")
        for one in (person, await person.at("phone")):
            await one.sees("you said look")
            await one.tab.run(f"{script}; 0")
            await open_tools(one)
            await one.sees("messages.create", "#side")
            assert await complaints(one.tab) == []
            await one.fits()
            await one.choose("Close", "#side")
            await one.use_menu("you said look", "Requests and events")
            await one.sees("event MESSAGE_CREATE", "#side")
            assert await complaints(one.tab) == []
