"""Show a progress line while a tool runs, and remove it afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus

import discord

from streamcord import KeepAlive, TextDelta, ThoughtDelta, ToolCall
from streamcord.discord import RequestPriority, wait_for_request_slot
from streamcord.utils import hide_secrets, one_line, strip_controls

from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate
from ..personas.server_personas import escape
from ..ui.notices import as_container

SHOW_AFTER_S = 1.0
"""A tool that is quicker than this gets no line."""
CHANGE_DEBOUNCE_S = 0.2
"""A line that is shown is changed or removed only if the state is stable for this long."""
MAX_NAME_CHARS = 40
MAX_STEP_CHARS = 60
MAX_TOOLS_SHOWN = 3
MAX_THOUGHT_CHARS, SHOWN_THOUGHT_CHARS = 2000, 300
# Modes that show thoughts and are edited while they run.
_DRAFTS = frozenset({"draft", "card"})
DRAFT_EDIT_INTERVAL_S = 2.0
"""Time between two edits of a draft."""


class ToolProgress:
    """Shows a line when a tool of one answer takes more than a second, and removes it when text arrives.

    In mode `draft` it shows the tools and the newest thoughts and is edited while they run. Mode `card` is the same
    in a Components V2 container; if Discord rejects that, it becomes a draft. Requests are never cancelled, because
    discord.py breaks its rate limit locks when a waiting request is cancelled.

    It has more than 15 attributes because it joins what is shown, the message that shows it and the task that edits it.
    """

    def __init__(
        self,
        channel: discord.abc.Messageable,
        locale: str,
        show_after_s: float = SHOW_AFTER_S,
        mark: Callable[[int, str], None] = lambda *_: None,
        hide: Callable[[str], str] = hide_secrets,
        mode: str = "line",
    ) -> None:
        self._mode = mode
        # Names of the last tools, the newest last.
        self._tools: list[str] = []
        # What the newest tool says that it does now.
        self._step = ""
        # The end of the model's thoughts.
        self._thought = ""
        # The text of the line as it is shown.
        self._said = ""
        # Called with the id of the line and its text, so that a successor can delete it; before it is sent with id 0.
        self._mark = mark
        # Removes secrets: a model may call a tool by any name.
        self._hide = hide
        self._channel = channel
        self._locale = locale
        self._show_after_s = show_after_s
        # The tool that runs; empty while the model writes text.
        self._tool = ""
        self._closed = False
        # Set when the state has changed.
        self._changed = asyncio.Event()
        self._line: discord.Message | None = None
        self.left: list[int] = []
        """Lines that could not be deleted."""
        self._worker: asyncio.Task[None] | None = None

    def on_event(self, event: object) -> None:
        """Update the line after an event of the model."""
        match event:
            case _ if self._mode == "off":
                pass
            case KeepAlive(tool=name, step=step) if name and step:
                self._step = step
                self._set_tool(name)
            case ToolCall(name=name) | KeepAlive(tool=name) if name:
                self._tools, self._step = [*self._tools, name][-MAX_TOOLS_SHOWN:], ""
                self._set_tool(name)
            case ThoughtDelta(text) if self._mode in _DRAFTS and text.strip():
                # Keep more than is shown, so that a secret at the edge is still recognized.
                self._thought = (self._thought + text)[-MAX_THOUGHT_CHARS:]
                self._set_tool(self._tool or "…")
            case TextDelta(text) if self._tool and text.strip():
                self._tools, self._step, self._thought = [], "", ""
                self._set_tool("")
            case _:
                pass

    async def close(self) -> None:
        """Remove the line: the answer is over."""
        if self._worker is not None:
            self._closed = True
            self._changed.set()
            await self._worker

    def _set_tool(self, tool: str) -> None:
        self._tool = tool
        self._changed.set()
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while await self._is_wanted():
            if self._mode in _DRAFTS:
                await self._show_draft()
            # A state that changes again soon is not shown at all.
            elif not await self._changes_within(CHANGE_DEBOUNCE_S if self._line else self._show_after_s):
                await (self._show(self._tool) if self._tool else self._remove())
        await self._remove()

    async def _is_wanted(self) -> bool:
        """Wait for a change; false once the answer is over."""
        if not self._closed:
            await self._changed.wait()
        self._changed.clear()
        return not self._closed

    async def _changes_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        return self._changed.is_set()

    async def _show_draft(self) -> None:
        """Show the newest state at a fixed interval, since thoughts change all the time."""
        due = asyncio.get_running_loop().time() + (
            DRAFT_EDIT_INTERVAL_S if self._line else self._show_after_s
        )
        while self._tool and not self._closed:
            left = due - asyncio.get_running_loop().time()
            if left <= 0:
                await self._show(", ".join(self._tools))
                return
            self._changed.clear()
            await self._changes_within(left)
        await self._remove()

    def _compose_lines(self, tools: str) -> str:
        name = "".join(letter for letter in self._hide(tools) if letter.isalnum() or letter in "_-, ")
        lines = [translate(self._locale, "tool", tool=name[:MAX_NAME_CHARS])] if name else []
        if lines and (step := one_line(strip_controls(self._hide(self._step)))[:MAX_STEP_CHARS]):
            lines[0] += f" {escape(step)}"
        if thought := " ".join(self._hide(self._thought).split())[-SHOWN_THOUGHT_CHARS:]:
            lines.append(f"💭 …{escape(thought)}")
        return "\n".join(f"-# {line}" for line in lines)

    async def _show(self, tool: str) -> None:
        text = self._compose_lines(tool)
        if self._line is not None and text == self._said:
            return
        self._said = text
        with suppress(*REQUEST_ERRORS):
            if self._line is None:
                if not await wait_for_request_slot(self._channel, RequestPriority.COURTESY):
                    return
                self._mark(0, text)
                self._line = await self._begin(text)
                self._mark(self._line.id, text)
            elif self._mode == "card":
                await self._line.edit(view=as_container(text), allowed_mentions=NO_PINGS)
            else:
                await self._line.edit(content=text, allowed_mentions=NO_PINGS)

    async def _begin(self, text: str) -> discord.Message:
        if self._mode == "card":
            try:
                return await self._channel.send(
                    view=as_container(text), silent=True, allowed_mentions=NO_PINGS
                )
            except discord.HTTPException as error:
                # 400: Components V2 are not allowed here.
                if error.status != HTTPStatus.BAD_REQUEST:
                    raise
                self._mode = "draft"
        return await self._channel.send(text, silent=True, allowed_mentions=NO_PINGS)

    async def _remove(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            try:
                await line.delete()
            except REQUEST_ERRORS:
                self.left.append(line.id)
