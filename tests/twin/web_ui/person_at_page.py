"""A person at the page in a real Chromium, with a real bot on the twin: what both see and do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from chromium import Browser, Tab, chromium, labelled
from discord_twin import AdjustableClock, ChannelType, ControlApi, Message, Twin, TwinOptions, WebUI
from discord_twin.discord_py import running
from twin.web_ui.page_bot import PageBot

WIDTHS = {"desktop": (1280, 800), "phone": (390, 844)}
_SWITCHES = replace(TwinOptions.without_limits(), interaction_deadline_s=10.0)


@dataclass
class PersonAtPage:
    """One person at one window."""

    twin: Twin
    browser: Browser
    tab: Tab
    page: WebUI
    touch: bool = False

    async def press_on(self, find: str) -> None:
        """Click, or touch where there is no mouse."""
        await (self.tab.tap(find) if self.touch else self.tab.click(find))

    async def choose(self, label: str, where: str = "body") -> None:
        """Press what bears this label."""
        await self.press_on(labelled(label, where))

    async def sees(self, text: str, where: str = "#rows", within: float = 10.0) -> None:
        await self.tab.sees(text, where, within)

    async def misses(self, text: str, where: str = "#rows") -> None:
        """Wait until a text is not shown (any more)."""
        await self.tab.until(f"!document.querySelector({where!r}).innerText.includes({json.dumps(text)})")

    async def write(self, text: str) -> None:
        """Write a message and send it."""
        await self.tab.run("document.getElementById('text').focus()")
        await self.tab.type(text)
        await self.tab.press("Enter")

    def row(self, text: str) -> str:
        """The expression for the newest message that says this."""
        wanted = json.dumps(text)
        rows = "[...document.querySelectorAll('#rows article')]"
        bodies = f"[...one.querySelectorAll('.body')].some(body => body.innerText.includes({wanted}))"
        return f"({rows}.filter(one => {bodies}).pop())"

    async def use_bar(self, text: str, action: str) -> None:
        """Press one of the small buttons of a message."""
        row = self.row(text)
        await (self.tab.tap(f"({row}?.querySelector('.body'))") if self.touch else self.tab.hover(row))
        await self.press_on(f"({row}?.querySelector('.actions [aria-label^={json.dumps(action)}]'))")

    async def use_menu(self, text: str, entry: str) -> None:
        """Choose from the menu of a message."""
        if self.touch:
            await self.use_bar(text, "More")
        else:
            await self.tab.click(f"({self.row(text)}?.querySelector('.body'))", button="right")
        await self.choose(entry, "[role=menu]")

    async def closed(self) -> None:
        """Wait until no dialog is open."""
        await self.tab.until("document.querySelector('dialog') === null")

    async def open_drawer(self) -> None:
        """Open the list of channels, where it does not stand open all the time."""
        if self.touch:
            await self.tab.tap("#show-places")
            await self.tab.until("document.querySelector('nav').getBoundingClientRect().left === 0")

    async def go(self, place: str) -> None:
        """Go to a channel."""
        await self.open_drawer()
        await self.choose(place, "#channels")
        if self.touch:
            await self.tab.until("document.querySelector('nav').getBoundingClientRect().right <= 0")
        await self.tab.until(f"document.querySelector('.where')?.innerText === {json.dumps(place)}")

    async def become(self, name: str, *, new: bool = False) -> None:
        """Be someone else."""
        await self.open_drawer()
        await self.press_on("#self button")
        if new:
            await self.choose("New user", "[role=menu]")
            await self.tab.type(name)
            await self.tab.press("Enter")
            await self.closed()
        else:
            await self.choose(name, "[role=menu]")
        await self.tab.until(
            f"document.querySelector('#self span:not(.avatar)').innerText === {json.dumps(name)}"
        )
        if self.touch:
            await self.tab.press("Escape")
            await self.tab.until("document.querySelector('nav').getBoundingClientRect().right <= 0")

    async def use_command(self, name: str) -> None:
        """Type a command until it is the first that is offered, and take it."""
        await self.tab.run("document.getElementById('text').focus()")
        await self.tab.type(f"/{name}")
        wanted = json.dumps(f"/{name}")
        await self.tab.until(
            f"document.querySelector('#suggestions [aria-selected=true] span')?.innerText === {wanted}"
        )
        await self.tab.press("Enter")
        await self.tab.until("document.querySelector('.command') !== null")

    async def at(self, width: str) -> PersonAtPage:
        """The same person at another window."""
        touch = width == "phone"
        tab = await self.browser.open(f"{self.twin.base_url}/", *WIDTHS[width], touch=touch)
        return replace(self, tab=tab, touch=touch)

    async def until(self, text: str) -> Message:
        """Wait until someone has said this on the twin."""

        def find() -> Message | None:
            every = (one for place in self.twin.state.channels.values() for one in place.messages.values())
            return next((one for one in every if text in one.content), None)

        return await self.twin.until(find, 10.0)

    def has_no_faults(self) -> None:
        """Nothing went wrong, and nothing was asked of another host."""
        assert not self.tab.faults, self.tab.faults
        assert not self.tab.elsewhere, self.tab.elsewhere

    async def fits(self) -> None:
        """Nothing sticks out to the right."""
        wide = await self.tab.run(
            "['html', 'body', '#messages', '#rows', '#write', '#side', 'nav'].filter(name => "
            "(one => one.scrollWidth > one.clientWidth + 1)(document.querySelector(name)))"
        )
        assert not wide, f"something is wider than {wide}"


@asynccontextmanager
async def at_page(
    width: str = "desktop", *, bot: bool = True, tools: bool = False
) -> AsyncIterator[PersonAtPage]:
    """A twin with a forum, a second person and a role, a bot on it, and a person at its page."""
    async with AsyncExitStack() as stack:
        twin = await stack.enter_async_context(Twin(_SWITCHES, clock=AdjustableClock()))
        if tools:
            ControlApi(twin)
        page = WebUI(twin)
        stack.callback(page.close)
        twin.add_user("bob")
        twin.state.add_role(twin.guild, "helpers", mentionable=True)
        twin.add_channel("other")
        twin.add_channel("ideas", ChannelType.FORUM)
        if bot:
            await stack.enter_async_context(running(twin, PageBot()))
        browser = await stack.enter_async_context(chromium())
        touch = width == "phone"
        tab = await browser.open(f"{twin.base_url}/", *WIDTHS[width], touch=touch)
        await tab.until("!!document.querySelector('.where')?.innerText")
        yield PersonAtPage(twin, browser, tab, page, touch)
        await asyncio.sleep(0)
