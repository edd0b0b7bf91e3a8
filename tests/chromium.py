"""A real Chromium without a window, driven over its DevTools protocol: clicks, keys and eyes of a person.

It reaches nothing but 127.0.0.1. What goes wrong on a page (errors of scripts, refused resources, requests to
other hosts) is kept, so that a test can say that nothing did.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium (Debian's package chromium, or its path in $CHROMIUM)"
)
_ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--mute-audio",
    "--remote-debugging-port=0", "--remote-debugging-address=127.0.0.1", "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
_PATIENCE = 10.0
_KEYS: dict[str, tuple[str, int, str]] = {
    "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "Tab": ("Tab", 9, ""),
    "ArrowUp": ("ArrowUp", 38, ""), "ArrowDown": ("ArrowDown", 40, ""), "Delete": ("Delete", 46, ""),
    "Backspace": ("Backspace", 8, ""), " ": ("Space", 32, " "),
}  # fmt: skip


class Browser:
    """A running Chromium; each tab is a window of its own."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._tabs: dict[str, Tab] = {}

    async def call(self, method: str, session: str | None = None, **given: Any) -> Any:
        self._number += 1
        answer = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        message = {"id": self._number, "method": method, "params": given}
        await self._socket.send_json({**message, **({"sessionId": session} if session else {})})
        async with asyncio.timeout(30):
            return await answer

    async def listen(self) -> None:
        async for frame in self._socket:
            said = json.loads(frame.data)
            if waiting := self._waiting.pop(said.get("id", 0), None):
                if "error" in said:
                    waiting.set_exception(RuntimeError(said["error"]["message"]))
                else:
                    waiting.set_result(said["result"])
            elif tab := self._tabs.get(said.get("sessionId", "")):
                tab.hear(said["method"], said["params"])

    async def open(self, url: str, width: int = 1280, height: int = 800, *, touch: bool = False) -> Tab:
        """A new tab, which has loaded the page."""
        context = await self.call("Target.createBrowserContext")
        made = await self.call(
            "Target.createTarget", url="about:blank", browserContextId=context["browserContextId"],
            width=width, height=height,
        )  # fmt: skip
        attached = await self.call("Target.attachToTarget", targetId=made["targetId"], flatten=True)
        tab = Tab(self, attached["sessionId"], made["targetId"], urlsplit(url).netloc)
        self._tabs[tab.session] = tab
        for domain in ("Page", "Runtime", "Network", "Log"):
            await tab.call(f"{domain}.enable")
        await tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )
        await tab.call("Emulation.setFocusEmulationEnabled", enabled=True)
        # Nothing slides, so that nothing is missed.
        calm = [{"name": "prefers-reduced-motion", "value": "reduce"}]
        await tab.call("Emulation.setEmulatedMedia", features=calm)
        if touch:
            await tab.call("Emulation.setTouchEmulationEnabled", enabled=True)
        await tab.call("Page.navigate", url=url)
        await tab.until("document.readyState === 'complete' && document.body.dataset.link === 'live'")
        return tab


class Tab:
    """One window on a page."""

    def __init__(self, browser: Browser, session: str, target: str, host: str) -> None:
        self._browser = browser
        self._target = target
        self._host = host
        self.session = session
        self.faults: list[str] = []
        self.elsewhere: list[str] = []
        """Requests to other hosts."""
        self.frames: list[dict[str, Any]] = []

    async def call(self, method: str, **given: Any) -> Any:
        return await self._browser.call(method, self.session, **given)

    def hear(self, method: str, said: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self.faults.append(str(details.get("exception", {}).get("description") or details["text"]))
        elif method == "Runtime.consoleAPICalled" and said["type"] in {"error", "warning", "assert"}:
            self.faults.append(
                " ".join(str(one.get("value", one.get("description"))) for one in said["args"])
            )
        elif method == "Log.entryAdded" and said["entry"]["level"] == "error":
            self.faults.append(f"{said['entry']['text']} {said['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            address = urlsplit(said["request"]["url"])
            if address.scheme not in {"data", "blob", "about"} and address.netloc != self._host:
                self.elsewhere.append(said["request"]["url"])

    async def close(self) -> None:
        await self._browser.call("Target.closeTarget", targetId=self._target)

    # Looking

    async def run(self, script: str) -> Any:
        """The value of an expression on the page, which may be a promise."""
        answer = await self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"].get("exception", {}).get("description"))
        return answer["result"].get("value")

    async def until(self, script: str, within: float = _PATIENCE) -> Any:
        """Wait until an expression is true."""
        end = asyncio.get_running_loop().time() + within
        while True:
            found = None
            with suppress(AssertionError, RuntimeError):  # the page is being loaded
                found = await self.run(script)
            if found:
                return found
            if asyncio.get_running_loop().time() > end:
                focus = "document.activeElement.outerHTML.slice(0, 300)"
                fields = "[...document.querySelectorAll('input, textarea')].map(one => one.value).join(' | ')"
                shown = "document.body.innerText.slice(-600)"
                seen = await self.run(
                    f"[{shown}, 'in focus: ' + {focus}, 'in fields: ' + {fields}].join('\\n')"
                )
                raise AssertionError(f"waited {within} s for {script}; the page shows:\n{seen}")
            await asyncio.sleep(0.02)

    async def sees(self, text: str, where: str = "body", within: float = _PATIENCE) -> None:
        """Wait until a text is shown."""
        await self.until(f"document.querySelector({where!r})?.innerText.includes({json.dumps(text)})", within)

    async def picture(self, path: Path) -> None:
        shot = await self.call("Page.captureScreenshot", format="png")
        await asyncio.to_thread(path.write_bytes, base64.b64decode(shot["data"]))

    # Acting

    async def _place(self, find: str) -> tuple[float, float]:
        await self.until(f"!!({find})")
        # A place is taken when nothing has moved it for two frames.
        look = f"""(async () => {{
            const frame = () => new Promise(requestAnimationFrame);
            let last = "", still = 0, box;
            for (let tries = 0; tries < 100 && still < 2; tries += 1) {{
                const found = {find};
                found?.scrollIntoView({{ block: "nearest" }});
                await frame();
                box = found?.getBoundingClientRect() ?? {{ left: 0, top: 0, width: 0, height: 0 }};
                const now = [box.left, box.top, box.width].join();
                still = now === last ? still + 1 : 0;
                last = now;
            }}
            return [box.left + box.width / 2, box.top + box.height / 2, box.width];
        }})()"""
        x, y, width = await self.run(look)
        assert width > 0, f"{find} is not shown"
        return x, y

    async def click(self, find: str, *, button: str = "left") -> None:
        """Click in the middle of an element: a selector, or an expression in brackets."""
        x, y = await self._place(_element(find))
        await self._mouse("mouseMoved", x, y, "none")
        # What is under the pointer may have moved there only now.
        x, y = await self._place(_element(find))
        await self._mouse("mousePressed", x, y, button)
        await self._mouse("mouseReleased", x, y, button)

    async def hover(self, find: str) -> None:
        await self._mouse("mouseMoved", *await self._place(_element(find)), "none")

    async def tap(self, find: str) -> None:
        """Touch an element, as on a phone."""
        x, y = await self._place(_element(find))
        await self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        await self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def _mouse(self, kind: str, x: float, y: float, button: str) -> None:
        given = {"type": kind, "x": x, "y": y, "button": button, "clickCount": 1}
        await self.call("Input.dispatchMouseEvent", **given)

    async def type(self, text: str) -> None:
        """Type a text, as one would: key after key, so that the page can react to each."""
        for sign in text:
            await self.call(
                "Input.dispatchKeyEvent", type="keyDown", text=sign, key=sign, unmodifiedText=sign
            )
            await self.call("Input.dispatchKeyEvent", type="keyUp", key=sign)

    async def paste(self, text: str) -> None:
        """Put a text in at once."""
        await self.call("Input.insertText", text=text)

    async def press(self, *keys: str, shift: bool = False) -> None:
        """Press keys, one after the other."""
        for key in keys:
            code, number, text = _KEYS.get(key, (f"Key{key.upper()}", ord(key.upper()[0]), key))
            given = {
                "key": key,
                "code": code,
                "windowsVirtualKeyCode": number,
                "modifiers": 8 if shift else 0,
            }
            await self.call(
                "Input.dispatchKeyEvent", type="keyDown", **given, **({"text": text} if text else {})
            )
            await self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    async def choose_files(self, selector: str, *paths: Path) -> None:
        """Choose files in an input."""
        document = await self.call("DOM.getDocument")
        node = await self.call("DOM.querySelector", nodeId=document["root"]["nodeId"], selector=selector)
        await self.call("DOM.setFileInputFiles", nodeId=node["nodeId"], files=[str(one) for one in paths])


def _element(find: str) -> str:
    return find if find.startswith("(") else f"document.querySelector({find!r})"


def labelled(text: str, where: str = "body", kinds: str = "button, a, [role=option], label") -> str:
    """The expression for the last thing to press that says this, or is labelled so."""
    wanted = json.dumps(text)
    says = f"(one.ariaLabel ?? '').startsWith({wanted}) || one.innerText.includes({wanted})"
    every = f"[...document.querySelectorAll({where!r} + ' :is({kinds})')]"
    return f"({every}.filter(one => one.offsetParent !== null && ({says})).pop())"


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A Chromium that ends with the block."""
    assert CHROMIUM is not None
    home = Path(tempfile.mkdtemp(prefix="streamcord-chromium-"))
    process = await asyncio.create_subprocess_exec(
        CHROMIUM, *_ARGUMENTS, f"--user-data-dir={home}", "about:blank",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "HOME": str(home), "LANG": "en_US.UTF-8", "LANGUAGE": "en"},
    )  # fmt: skip
    try:
        port, path = await _wait_for(lambda: (home / "DevToolsActivePort").read_text().split("\n")[:2])
        address = f"ws://127.0.0.1:{port}{path}"
        async with aiohttp.ClientSession() as session, session.ws_connect(address, max_msg_size=0) as socket:
            browser = Browser(socket)
            listening = asyncio.create_task(browser.listen())
            try:
                yield browser
            finally:
                await socket.send_json({"id": 0, "method": "Browser.close"})
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)
    finally:
        try:
            async with asyncio.timeout(5):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        shutil.rmtree(home, ignore_errors=True)


async def _wait_for(read: Callable[[], list[str]]) -> list[str]:
    end = asyncio.get_running_loop().time() + 30
    while True:
        try:
            found = read()
        except OSError:
            found = []
        if len(found) == 2:
            return found
        assert asyncio.get_running_loop().time() < end, "Chromium did not start"
        await asyncio.sleep(0.05)
