"""One MCP server: a connection that is opened when it is needed, watched, and given up for a while if it fails.

The SDK's client lives in one task per connection, because its task groups must be left by the task that entered
them. A call that fails because the connection broke ends that task; the next call opens a new one. After several
failures in a row the server is left alone for a while, so that answers do not wait for it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import mcp_types
from mcp import Client, MCPError

from .._common.control_characters import strip_controls
from .._common.redaction import hide_secrets
from .._events import Decision
from .._exceptions import SettingsError, ToolError
from .._providers.tools import AskUser
from .elicitation import as_ask, as_response
from .http_transport import http_transport
from .stdio_transport import ENDED, stdio_transport

CONNECT_TIMEOUT_S = 30.0
CALL_TIMEOUT_S = 60.0
CLOSE_TIMEOUT_S = 8.0
"""The SDK waits for a process to end; afterwards its task is abandoned."""
CLOSED_TIMEOUT_S = 2.0
MAX_FAILURES = 3
"""After this many failures in a row the server is left alone."""
FIRST_PAUSE_S, MAX_PAUSE_S = 30.0, 600.0
MAX_ROUNDS = 10
"""How often a server may ask during one call."""
MAX_QUESTIONS = 5
"""How much a server may ask at once."""
MAX_PAGES = 10
MAX_TOOLS = 64
MAX_ERROR_CHARS = 300
MAX_STEP_CHARS = 400
_NAME = re.compile("[a-z][a-z0-9]{0,19}")

_log = logging.getLogger(__name__)


class McpServer:
    """A server of tools, as a process of this machine or by HTTP.

    It has more than 15 attributes because it keeps how to connect, the connection, and how often it failed.

    Args:
        name: Short and unique: it is the beginning of the names of its tools.
        command: The program and its arguments, for a server on this machine.
        url: The address of a server on the network.
        environment: Variables of the process, besides a few harmless ones such as PATH.
        headers: Headers of each request, such as `Authorization`.
        timeout: Seconds for one call.
        ask_timeout: Seconds for which a question of the server can be answered.
        legacy: Whether to speak the protocol from before 2026-07-28. Servers that ask in the middle of a call need it.

    Raises:
        SettingsError: The name is not usable, or there is not exactly one of `command` and `url`.

    Example:
        async with McpServer("files", ["npx", "-y", "@modelcontextprotocol/server-filesystem", "/data"]) as server:
            tools = await from_mcp(server, allow=["read_*", "list_*"])

    """

    def __init__(  # noqa: PLR0913 - all of a server
        self,
        name: str,
        command: Sequence[str] = (),
        *,
        url: str = "",
        environment: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = CALL_TIMEOUT_S,
        ask_timeout: float = 900.0,
        legacy: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not _NAME.fullmatch(name):
            raise SettingsError("name", "1 to 20 small letters and digits, beginning with a letter", name)
        if bool(command) == bool(url):
            raise SettingsError(name, "given either a command or a url")
        self.name = name
        self.timeout = timeout
        self._command = [*command]
        self._url = url
        self._environment = dict(environment or {})
        self._headers = dict(headers or {})
        self._ask_timeout = ask_timeout
        self._mode = "legacy" if legacy else "auto"
        self._clock = clock
        # The open connection, and what ends it.
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        # Allows one attempt to connect at a time.
        self._connecting = asyncio.Lock()
        # A server of the older protocol asks in the middle of a call, and does not say of which: so one at a time.
        self._legacy_lock = asyncio.Lock()
        # Whose call a question of such a server belongs to.
        self._legacy_ask: AskUser | None = None
        # What the question of such a server has raised in the call that it belongs to.
        self._legacy_error: asyncio.Future[Any] | None = None
        # Why the last connection ended, in words.
        self._ended = ENDED
        self._failures = 0
        # Until when the server is left alone.
        self._paused_until = 0.0
        self.error = ""
        """Why it was not available the last time; empty if it was."""

    async def __aenter__(self) -> McpServer:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def is_connected(self) -> bool:
        """Whether a connection is open."""
        return self._client is not None

    @property
    def pause(self) -> float:
        """Seconds for which the server is still left alone; 0 if it is not."""
        return max(0.0, self._paused_until - self._clock())

    async def close(self) -> None:
        """Close the connection and end the process."""
        self._closing.set()
        task, self._task, self._client = self._task, None, None
        if task is not None:
            done, _ = await asyncio.wait({task}, timeout=CLOSE_TIMEOUT_S)
            if not done:
                task.cancel()
                await asyncio.wait({task}, timeout=CLOSE_TIMEOUT_S)

    async def list_tools(self) -> list[mcp_types.Tool]:
        """Return the tools that the server offers, at most 64.

        Raises:
            ToolError: The server cannot be reached, or does not answer.

        """
        found: list[mcp_types.Tool] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await self._guard(partial(_list_page, cursor=cursor))
            found += page.tools
            cursor = page.next_cursor
            if not cursor or len(found) >= MAX_TOOLS:
                break
        return found[:MAX_TOOLS]

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        ask: AskUser,
        progress: Callable[[str], None] = lambda _: None,
    ) -> mcp_types.CallToolResult:
        """Call a tool and return its result; questions of the server go to `ask`.

        Args:
            tool: The name that the server uses.
            arguments: The arguments, already checked.
            ask: Asks the user.
            progress: Called with what the server says meanwhile.

        Raises:
            ToolError: The server cannot be reached, does not answer, or refuses.
            AnswerSuspended: The answer ends with a question of the server.

        """

        async def on_progress(done: float, total: float | None, message: str | None) -> None:
            share = f"{100 * done / total:.0f} %" if total else ""
            # Cut first: a server may send megabytes, again and again.
            said = strip_controls((message or "")[:MAX_STEP_CHARS])[:80]
            progress(" ".join(filter(None, [share, said])))

        responses, state = await self._earlier_answers(tool, ask)
        for _ in range(MAX_ROUNDS):
            result = await self._guard(
                lambda client, given=responses, at=state: self._send(  # type: ignore[misc]
                    client, tool, arguments, given, at, ask, on_progress
                )
            )
            if isinstance(result, mcp_types.CallToolResult):
                return result
            if not isinstance(result, mcp_types.InputRequiredResult):
                raise ToolError(f"The server {self.name} answered with something else than a result.")
            state = result.request_state
            responses = await self._answer(tool, result, ask)
        raise ToolError(f"The server {self.name} asked {MAX_ROUNDS} times without coming to an end.")

    # --- Questions of the server -----------------------------------------------------------------

    async def _answer(
        self, tool: str, result: mcp_types.InputRequiredResult, ask: AskUser
    ) -> dict[str, Any] | None:
        """Ask the user what the server wants to know, and return the answers."""
        requests = result.input_requests or {}
        if len(requests) > MAX_QUESTIONS:
            raise ToolError(f"The server {self.name} asks {len(requests)} things at once.")
        answers: dict[str, Any] = {}
        for key, request in requests.items():
            if not isinstance(request, mcp_types.ElicitRequest):
                raise ToolError(
                    f"The server {self.name} wants to use the model itself, which is not allowed."
                )
            kept = {
                "tool": tool,
                "state": result.request_state,
                "key": key,
                "params": request.params.model_dump(mode="json", by_alias=True, exclude_none=True),
                "answers": {
                    name: one.model_dump(mode="json", by_alias=True) for name, one in answers.items()
                },
                "left": len(requests) - len(answers) - 1,
            }
            decision = await ask(as_ask(self.name, request.params, kept, self._ask_timeout))
            answers[key] = as_response(request.params, decision)
        if not requests:
            # It only wants to be asked again.
            await asyncio.sleep(0.25)
        return answers or None

    async def _earlier_answers(self, tool: str, ask: AskUser) -> tuple[dict[str, Any] | None, str | None]:
        """Return where a call continues that is made again after a decision: the answers, and the server's state.

        The state is text of the server; it is sent back as it is, and nothing is read from it.
        """
        mine = [
            (asked, kept)
            for asked, _ in ask.earlier
            if (kept := _read_state(asked.state)).get("tool") == tool
        ]
        # Questions that were asked together are answered together.
        complete = [
            at for at, (_, kept) in enumerate(mine) if kept.get("state") is not None and not kept["left"]
        ]
        if not complete:
            return None, None
        # Each known decision is taken in its turn, so that a further question is a new one.
        decisions = [await ask(asked) for asked, _ in mine[: complete[-1] + 1]]
        kept = mine[complete[-1]][1]
        given = {name: mcp_types.ElicitResult.model_validate(one) for name, one in kept["answers"].items()}
        answer = as_response(_read_params(kept["params"]), decisions[-1])
        return {**given, str(kept["key"]): answer}, str(kept["state"])

    async def _on_legacy_question(
        self,
        context: Any,  # noqa: ANN401, ARG002 - of the SDK
        params: Any,  # noqa: ANN401
    ) -> mcp_types.ElicitResult | mcp_types.ErrorData:
        """Answer a question that a server of the older protocol asks in the middle of a call."""
        ask, failed = self._legacy_ask, self._legacy_error
        if ask is None or failed is None:
            return mcp_types.ElicitResult(action="decline")
        try:
            decision: Decision = await ask(as_ask(self.name, params, {}, self._ask_timeout))
            return as_response(params, decision)
        except Exception as error:
            # The call fails with it, here only the server is told.
            if not failed.done():
                failed.set_exception(error)
            return mcp_types.ElicitResult(action="cancel")

    # --- The connection --------------------------------------------------------------------------

    async def _send(
        self,
        client: Client,
        tool: str,
        arguments: Mapping[str, Any],
        answers: dict[str, Any] | None,
        state: str | None,
        ask: AskUser,
        on_progress: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - of the SDK
        def send() -> Any:  # noqa: ANN401
            return client.session.call_tool(
                tool,
                dict(arguments),
                progress_callback=on_progress,
                input_responses=answers,
                request_state=state,
                allow_input_required=True,
                allow_claimed=True,
            )

        if client.protocol_version >= "2026-07-28":
            return await send()
        async with self._legacy_lock:
            self._legacy_ask, self._legacy_error = ask, asyncio.get_running_loop().create_future()
            calling = asyncio.ensure_future(send())
            try:
                await asyncio.wait({calling, self._legacy_error}, return_when=asyncio.FIRST_COMPLETED)
                if self._legacy_error.done():
                    self._legacy_error.result()
                return await calling
            finally:
                calling.cancel()
                self._legacy_ask = None
                # Its exception is raised above, or the call was cancelled.
                self._legacy_error.cancel()
                await asyncio.gather(calling, return_exceptions=True)

    async def _guard(self, act: Callable[[Client], Any]) -> Any:  # noqa: ANN401 - of the SDK
        """Run a request on an open connection; a broken connection is closed and counted."""
        client = await self._connect()
        task, closing = self._task, self._closing
        assert task is not None
        work = asyncio.ensure_future(act(client))
        try:
            while True:
                waiting: set[asyncio.Future[Any]] = {work, task}
                await asyncio.wait(waiting, timeout=self.timeout, return_when=asyncio.FIRST_COMPLETED)
                if work.done() or task.done() or not self._waits_for_user:
                    break
        finally:
            if not work.done():
                work.cancel()
        is_closed = work.done() and not work.cancelled() and _is_closed(work.exception())
        if is_closed:
            # Why it was closed is known a moment later.
            await asyncio.wait({task}, timeout=CLOSED_TIMEOUT_S)
        is_broken = is_closed or closing.is_set() or task.done()
        if work.done() and not work.cancelled() and not (is_broken and work.exception()):
            return self._result_of(work)
        reason = self._ended if is_broken else f"did not answer within {self.timeout:g} seconds"
        if self._task is task:
            # Other calls on the same connection have not counted the failure yet.
            await self._fail(f"the server {reason}")
        raise ToolError(
            f"The MCP server {self.name} {reason}. It is unknown whether the call was carried out."
        )

    @property
    def _waits_for_user(self) -> bool:
        """Whether a question of an older server waits for the user, whose time is not the server's."""
        return self._legacy_ask is not None and self._legacy_ask.waits > 0

    def _result_of(self, work: asyncio.Future[Any]) -> Any:  # noqa: ANN401 - of the SDK
        error = work.exception()
        if error is None:
            self._failures, self.error = 0, ""
            return work.result()
        if isinstance(error, MCPError):
            raise ToolError(_in_words(error)) from None
        if isinstance(error, RuntimeError | ValueError):
            # The SDK found that a result does not fit its schema, or could not read it.
            why = _in_words(error)
            raise ToolError(f"The MCP server {self.name} gave a result that cannot be read: {why}") from None
        raise error

    async def _connect(self) -> Client:
        """Return the open connection, or open one."""
        async with self._connecting:
            if self._client is not None and self._task is not None and not self._task.done():
                return self._client
            if (pause := self.pause) > 0:
                raise ToolError(
                    f"The MCP server {self.name} is not available; try again in {pause:.0f} seconds."
                )
            await self.close()
            self._closing = asyncio.Event()
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._ended = ENDED
            self._task = asyncio.create_task(self._run(ready, self._closing))
            self._task.add_done_callback(self._on_end)
            starting: set[asyncio.Future[Any]] = {ready, self._task}
            await asyncio.wait(starting, timeout=CONNECT_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
            if ready.done() and not ready.cancelled() and ready.exception() is None:
                self._client = ready.result()
                return self._client
            error = self._task.exception() if self._task.done() and not self._task.cancelled() else None
            await self._fail(_in_words(error) if error else "it did not answer in time")
            raise ToolError(f"The MCP server {self.name} cannot be reached.")

    def _on_end(self, task: asyncio.Task[None]) -> None:
        """Keep why a connection on the network has ended; a process says it itself."""
        error = None if task.cancelled() else task.exception()
        if error is not None and self._url:
            self._ended = f"ended: {_in_words(error)}"

    async def _run(self, ready: asyncio.Future[Client], closing: asyncio.Event) -> None:
        """Hold one connection open until it is closed or breaks."""
        async with self._transport(closing) as (received, outgoing):
            client = Client(
                _Streams(received, outgoing),
                mode=self._mode,
                elicitation_callback=self._on_legacy_question,
                client_info=mcp_types.Implementation(name="streamcord", version="1"),
                cache=None,
            )
            async with client:
                ready.set_result(client)
                await closing.wait()

    @asynccontextmanager
    async def _transport(self, closing: asyncio.Event) -> AsyncIterator[Any]:
        if self._command:

            def on_end(reason: str) -> None:
                self._ended = reason
                closing.set()

            async with stdio_transport(self._command, self._environment, self.name, on_end) as streams:
                yield streams
        else:
            async with http_transport(self._url, self._headers) as streams:
                yield streams[:2]

    async def _fail(self, reason: str) -> None:
        """Count a failure and close the connection."""
        self._failures += 1
        self.error = reason
        _log.warning("MCP server %s failed (%d in a row): %s", self.name, self._failures, reason)
        if self._failures >= MAX_FAILURES:
            pause = min(MAX_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (self._failures - MAX_FAILURES))
            self._paused_until = self._clock() + pause
        await self.close()


async def _list_page(client: Client, cursor: str | None) -> mcp_types.ListToolsResult:
    return await client.list_tools(cursor=cursor, cache_mode="bypass")


def _is_closed(error: BaseException | None) -> bool:
    return isinstance(error, MCPError) and error.error.code == mcp_types.CONNECTION_CLOSED


class _Streams:
    """Streams that are open already, in the form of a transport of the SDK."""

    def __init__(self, received: Any, outgoing: Any) -> None:  # noqa: ANN401 - of the SDK
        self._streams = (received, outgoing)

    async def __aenter__(self) -> Any:  # noqa: ANN401 - of the SDK
        return self._streams

    async def __aexit__(self, *_: object) -> None:
        pass


def _in_words(error: BaseException) -> str:
    """Return an error of a server or of the SDK in one bounded line."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    text = " ".join(strip_controls(hide_secrets(str(error)[: 10 * MAX_ERROR_CHARS])).split())
    return (text or type(error).__name__)[:MAX_ERROR_CHARS]


def _read_state(state: str) -> dict[str, Any]:
    """Return what was kept with a question; empty if it was not one of a server."""
    try:
        found = json.loads(state)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read_params(params: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of the SDK
    kind = (
        mcp_types.ElicitRequestURLParams if params.get("mode") == "url" else mcp_types.ElicitRequestFormParams
    )
    return kind.model_validate(params)
