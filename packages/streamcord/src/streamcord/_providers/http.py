"""Send a request to a model's API with aiohttp and stream the response.

The API key is only sent in one header. `repr` hides it, and every error is redacted before it is raised, because
servers quote what they reject. Errors are raised outside of any `except`, so that they carry no exception of
aiohttp as context, which holds the request's headers.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from urllib.parse import SplitResult, urlunsplit

from .._common.optional_dependencies import install_line
from .._events import KeepAlive, ProviderEvent, StreamPosition, Usage
from .._exceptions import ProviderError, RequestRejected, SettingsError
from .apis.anthropic_models import limits_of
from .apis.base import Decoder, parse, truncated
from .apis.novelai import NovelAI
from .apis.registry import Anthropic, Request
from .error_mapping import find_request_id, redact, to_error
from .model_list import MAX_LIST_BYTES, AvailableModel, list_request, read_model_list
from .presets import PRESETS, Preset
from .prompt import Options, Prompt, check_prompt
from .response_reader import MAX_BODY_BYTES, MAX_PAGE_BYTES, ResponseReader, Timeouts, parse_error_body
from .retry_after import retry_after
from .stop_sequences import stop_at
from .url_policy import check_base_url, check_header_value, check_proxy, secrets_in
from .usage import add_usage

try:
    import aiohttp
    from yarl import URL
except ImportError as error:  # pragma: no cover
    raise ImportError(f"Talking to providers needs aiohttp: {install_line('providers')}") from error

from .connection_errors import connection_failure
from .response_body import ResponseBody, read_error_body
from .resumable_stream import Pause, ResumableStream

_log = logging.getLogger(__name__)

MAX_RESUMES = 10
"""How often an answer that its provider pauses is taken up again."""
_HUNG_UP = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)


@dataclass(slots=True, eq=False)
class HttpProvider:
    """A provider that is reached over HTTP. Needs aiohttp (`pip install streamcord[providers]`).

    It opens a session unless it is given one, and closes only its own.

    It has more than 15 attributes because most of them are options of the connection.

    Raises:
        SettingsError: The preset is unknown, or the URL, the key or a header is invalid.

    Example:
        async with HttpProvider("openrouter", key=key, model="qwen/qwen3") as provider:
            await say(channel, provider.stream(user("Hello!")))

    """

    preset: Preset | str
    _: KW_ONLY
    model: str = ""
    """The model, unless the options name another."""
    key: str = field(default="", repr=False)
    """The API key."""
    base_url: str = field(default="", repr=False)
    """The URL of the API; empty for the preset's own."""
    proxy: str = field(default="", repr=False)
    """The address of an HTTP proxy."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    """How long to wait for the provider."""
    max_body_bytes: int = MAX_BODY_BYTES
    """The longest response; 0 for no limit."""
    allow_http: bool = False
    """Whether the key may be sent unencrypted to another machine."""
    session: aiohttp.ClientSession | None = field(default=None, repr=False)
    """A session to use; it stays open."""
    _own: aiohttp.ClientSession | None = field(default=None, init=False, repr=False)
    _entered: bool = field(default=False, init=False, repr=False)
    _running: int = field(default=0, init=False, repr=False)
    _chosen: Preset = field(init=False, repr=False)
    _usage_unsupported: bool = field(default=False, init=False, repr=False)
    _url: SplitResult = field(init=False, repr=False)

    @property
    def continues(self) -> bool:
        """Whether the model continues a prefill exactly where it ends, instead of answering it."""
        api = self._chosen.api
        if isinstance(api, Anthropic):
            return limits_of(self.model).takes_prefill
        quirks = getattr(api, "quirks", None)
        return isinstance(api, NovelAI) or getattr(quirks, "prefill", "message") != "message"

    def __post_init__(self) -> None:
        self._chosen = _preset(self.preset)
        self._url = check_base_url(self.base_url or self._chosen.base_url, allow_http=self.allow_http)
        check_header_value("key", self.key)
        for name, value in self.headers.items():
            check_header_value("headers", name)
            check_header_value(name, value, spaces=True)
        if self.proxy:
            check_proxy(self.proxy)

    async def __aenter__(self) -> HttpProvider:
        self._entered = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the session, if it is our own."""
        self._entered = False
        if self._own is not None:
            await self._own.close()
            self._own = None

    def stream(self, prompt: Prompt, options: Options | None = None) -> AsyncGenerator[ProviderEvent, None]:
        """Stream the answer to a prompt; closing the iterator closes the connection.

        The answer ends at any stop sequence of the options, also at those that the server does not support.

        Args:
            prompt: The conversation.
            options: Parameters of the request.

        Raises:
            ProviderError: The request failed. After a timeout its cause is a `TimeoutError`.

        """
        options = options or Options()
        events = self._events(check_prompt(prompt), options)
        return stop_at(events, options.stop) if options.stop else events

    async def list_models(self) -> tuple[AvailableModel, ...]:
        """Return the models that the provider offers to this key.

        Raises:
            ProviderError: The provider has no such list, or the request failed.

        Example:
            names = [model.name for model in await provider.list_models()]

        """
        try:
            return await self._list_models()
        except ProviderError as error:
            failure = redact(error, self._secrets())
        raise failure

    async def _list_models(self) -> tuple[AvailableModel, ...]:
        response = await self._post(list_request(self._chosen.api))
        try:
            if response.status != 200 or _is_compressed(response):
                raise await self._refusal(response)
            page = await read_error_body(response, self.timeouts.idle, MAX_LIST_BYTES)
        finally:
            response.release()
        return read_model_list(parse(page.decode("utf-8", "replace")))

    async def _events(self, prompt: Prompt, options: Options) -> AsyncGenerator[ProviderEvent, None]:
        self._running += 1
        try:
            async with aclosing(self._read(prompt, options)) as events:
                async for event in events:
                    yield event
        finally:
            self._running -= 1
            # No one will call `aclose`: `say(channel, HttpProvider(...).stream(prompt))`.
            if not (self._entered or self._running):
                await self.aclose()

    async def _read(self, prompt: Prompt, options: Options) -> AsyncGenerator[ProviderEvent, None]:
        api = self._chosen.api
        try:
            request = api.encode(prompt, replace(options, model=options.model or self.model))
            resume: Callable[[Request, Sequence[Mapping[str, Any]]], Request] = getattr(api, "resume", _again)
            used = Usage()
            for left in reversed(range(MAX_RESUMES + 1)):
                # The tokens of the requests before a pause.
                before = used
                async with aclosing(self._read_one(request, options)) as events:
                    async for event in events:
                        if isinstance(event, Usage):
                            event = used = add_usage(before, event)  # noqa: PLW2901 - the same event, corrected
                        if not isinstance(event, Pause):
                            yield event
                            continue
                        # The server paused in the middle of its own tools; with the answer so far it continues.
                        request = resume(request, event.content)
                        options = replace(options, resume=None)
                        yield KeepAlive() if left else event.finish
                if not isinstance(event, Pause):
                    break
        except ProviderError as error:
            failure = redact(error, self._secrets())
        else:
            return
        raise failure

    def _read_one(self, request: Request, options: Options) -> AsyncGenerator[ProviderEvent | Pause, None]:
        """Yield the events of one response; a `Pause` at its end if the provider expects another request."""
        stream = ResumableStream(self._chosen.api, self._ask, self._owner, options.model or self.model)
        if options.resume is not None:
            if not self.owns(options.resume):
                raise truncated("Another provider has to take up this stream.")
            return stream.resume(options.resume)
        keeps: Callable[[Request], bool] | None = getattr(self._chosen.api, "keeps", None)
        return stream.events(request, resumable=keeps is not None and keeps(request))

    @property
    def _owner(self) -> str:
        return f"{self._chosen.api.name}@{self._url.hostname}"

    def owns(self, position: StreamPosition) -> bool:
        """Return whether this provider may take up a stream at this position.

        Args:
            position: A position that this provider, or one with the same API and host, has yielded.

        Example:
            if provider.owns(last):
                await say(channel, provider.stream(prompt, Options(resume=last)))

        """
        return position.owner == self._owner and hasattr(self._chosen.api, "reopen")

    async def cancel(self, position: StreamPosition) -> bool:
        """End an answer that the provider would generate to its end, because it keeps it; return whether it has.

        Closing the stream of such an answer only closes the connection, since another one may take it up.

        Args:
            position: The last position of the stream.

        Example:
            if result.ending is Ending.STOPPED_BY_USER and last:
                await provider.cancel(last)

        """
        if not self.owns(position):
            return False
        try:
            response = await self._open(self._chosen.api.cancel(position))  # type: ignore[attr-defined]
        except ProviderError as error:
            _log.info("an answer could not be cancelled: %s", redact(error, self._secrets()))
            return False
        response.release()
        return True

    async def _ask(self, request: Request, decoder: Decoder) -> ResponseBody:
        """Send the request and return its response, ready to be read."""
        response = await self._open(request)
        return ResponseBody(
            response, ResponseReader(decoder, self.timeouts, max_body_bytes=self.max_body_bytes)
        )

    async def _open(self, request: Request) -> aiohttp.ClientResponse:
        """Return a successful response; if the server rejects `stream_options`, retry without and remember it."""
        if self._usage_unsupported:
            body = {key: value for key, value in request.body.items() if key != "stream_options"}
            request = replace(request, body=body)
        response = await self._post(request)
        if response.status == 200 and not _is_compressed(response):
            return response
        try:
            refusal = await self._refusal(response)
        finally:
            response.release()
        if request.body.get("stream_options") and "stream_options" in str(refusal):
            self._usage_unsupported = True
            return await self._open(request)
        raise refusal

    async def _post(self, request: Request) -> aiohttp.ClientResponse:
        """Return the response as soon as its headers have arrived."""
        body = _body(request) if request.method == "POST" else None
        while True:
            reused: list[bool] = []
            try:
                async with asyncio.timeout(self.timeouts.idle):
                    return await self._send(request, body, reused)
            except (aiohttp.ClientError, OSError, ValueError) as error:
                # A server may close an idle connection just when it is reused: retry on a new one.
                if (
                    reused
                    and isinstance(error, _HUNG_UP)
                    and not isinstance(error, aiohttp.ClientConnectorError)
                ):
                    continue
                failure = connection_failure(self._url.hostname or "", error)
            raise failure

    async def _send(self, request: Request, body: bytes | None, reused: list[bool]) -> aiohttp.ClientResponse:
        session = self._session()
        return await session.request(
            request.method,
            URL(join_url(self._url, request.path), encoded=True),
            data=body,
            headers=self._headers(request),
            proxy=self.proxy or None,
            timeout=aiohttp.ClientTimeout(total=None, connect=self.timeouts.connect),
            allow_redirects=False,
            raise_for_status=False,
            auto_decompress=False,
            read_bufsize=2**16,
            trace_request_ctx=reused if session is self._own else None,
        )

    def _headers(self, request: Request) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream",
            "Accept-Encoding": "identity",
            "User-Agent": "streamcord",
            **request.headers,
            **self.headers,
        }
        if self.key:
            name, prefix = self._chosen.api.key_header
            headers[name] = prefix + self.key
        return headers

    def _session(self) -> aiohttp.ClientSession:
        if self.session is not None:
            if self.session.closed:
                raise RuntimeError(
                    "the session of this HttpProvider is closed: use the provider inside of its block"
                )
            return self.session
        if self._own is None or self._own.closed:
            # A stream occupies its connection for minutes, so aiohttp's default limit of 100 would queue requests.
            self._own = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                trace_configs=[_reuse_trace()],
            )
        return self._own

    async def _refusal(self, response: aiohttp.ClientResponse) -> ProviderError:
        """Return the error for a response that is not an answer."""
        if 300 <= response.status < 400:
            return RequestRejected(
                f"{self._url.hostname} redirects elsewhere, and secrets do not follow.",
                user_message="The provider has moved. Check the base URL.",
            )
        if response.status == 200:
            return ProviderError(
                "The server compressed its stream, though it was asked not to.",
                user_message="The provider's answer cannot be read. Check the base URL.",
            )
        seconds = self.timeouts.connect
        page = b"" if _is_compressed(response) else await read_error_body(response, seconds, MAX_PAGE_BYTES)
        pause = retry_after(response.headers, datetime.now(UTC))
        error = to_error(parse_error_body(page), response.status, pause)
        error.request_id = find_request_id(response.headers)
        return error

    def _secrets(self) -> list[str]:
        proxy = secrets_in(check_proxy(self.proxy)) if self.proxy else []
        return [self.key, *self.headers.values(), *secrets_in(self._url), *proxy]


def _again(request: Request, _: Sequence[Mapping[str, Any]]) -> Request:
    return request


def _reuse_trace() -> aiohttp.TraceConfig:
    """Return a trace that marks requests on reused connections, in the list given as request context."""
    trace = aiohttp.TraceConfig()

    async def mark_reused(_: object, request: SimpleNamespace, __: object) -> None:
        request.trace_request_ctx.append(True)

    trace.on_connection_reuseconn.append(mark_reused)
    return trace


def _preset(preset: Preset | str) -> Preset:
    if isinstance(preset, Preset):
        return preset
    if preset not in PRESETS:
        raise SettingsError("preset", "one of " + ", ".join(PRESETS), preset)
    return PRESETS[preset]


# --- Requests and responses ------------------------------------------------------------------------------


def join_url(base: SplitResult, path: str) -> str:
    """Append a path to the base URL; both may have a query."""
    suffix, _, query = path.partition("?")
    queries = "&".join(filter(None, (base.query, query)))
    return urlunsplit((base.scheme, base.netloc, f"{base.path.rstrip('/')}/{suffix}", queries, ""))


def _body(request: Request) -> bytes:
    """Encode the request body as JSON; a lone surrogate becomes a replacement character."""
    try:
        text = json.dumps(request.body, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = ""
    if not text:
        raise RequestRejected(
            "The options hold something that JSON cannot say.",
            user_message="The request cannot be written. Check the extra options.",
        )
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _is_compressed(response: aiohttp.ClientResponse) -> bool:
    """Return whether the body is compressed: we ask for no compression, so it may be a decompression bomb."""
    return response.headers.get("Content-Encoding", "").strip().lower() not in {"", "identity"}
