"""For people who already hold an SDK's stream: its objects become our events, by the same dialects.

    stream = await AsyncOpenAI().chat.completions.create(model=..., messages=..., stream=True)
    await say(channel, from_openai(stream))

No SDK is imported: its objects are asked for their JSON. SDKs end quietly when a stream breaks off; here that
is `Truncated`, as everywhere. What an SDK raises becomes a `ProviderError`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any

from .._errors import Overloaded, ProviderError, SettingsError
from .._events import ProviderEvent
from .closing import closing
from .dialects import Anthropic, Decoder, Google, OpenAIChat, OpenAIResponses
from .provider_errors import Complaint, find_complaint, to_error
from .sse import ServerEvent

__all__ = ["from_anthropic", "from_google", "from_litellm", "from_openai"]

_LOST = ("Connection", "Timeout", "ReadError", "RemoteProtocol")


def from_openai(stream: AsyncIterable[Any]) -> AsyncGenerator[ProviderEvent, None]:
    """A stream of the `openai` SDK, of chat completions or of responses."""
    return _events(stream, None)


def from_litellm(stream: AsyncIterable[Any]) -> AsyncGenerator[ProviderEvent, None]:
    """A stream of `litellm.acompletion`, which looks like one of chat completions."""
    return _events(stream, OpenAIChat().decoder())


def from_anthropic(stream: AsyncIterable[Any]) -> AsyncGenerator[ProviderEvent, None]:
    """A stream of the `anthropic` SDK: of `create(stream=True)`, or what `stream()` opens."""
    return _events(stream, Anthropic().decoder())


def from_google(stream: AsyncIterable[Any]) -> AsyncGenerator[ProviderEvent, None]:
    """A stream of the `google-genai` SDK's `generate_content_stream`."""
    return _events(stream, Google().decoder())


async def _events(stream: AsyncIterable[Any], decoder: Decoder | None) -> AsyncGenerator[ProviderEvent, None]:
    if not hasattr(stream, "__aiter__"):
        raise SettingsError(
            "stream", "an async stream (await the call, and use the async client)", type(stream)
        )
    failure: ProviderError | None = None
    try:
        async with closing(stream) as chunks:
            async for chunk in chunks:
                values = _values(chunk)
                decoder = decoder or _openai_decoder(values)
                for event in decoder.feed(
                    ServerEvent(str(values.get("type", "message")), json.dumps(values))
                ):
                    yield event
                if decoder.ended:
                    break
    except ProviderError:
        raise
    except Exception as error:
        failure = _as_error(error)
    # Raised out here, since an SDK's exception holds the request and its headers.
    if failure is not None:
        raise failure
    for event in (decoder or OpenAIChat().decoder()).flush():
        yield event


def _openai_decoder(first: dict[str, Any]) -> Decoder:
    """Both kinds of streams come from the same SDK; the events of responses have names."""
    named = isinstance(first.get("type"), str) and "choices" not in first
    return (OpenAIResponses() if named else OpenAIChat()).decoder()


def _values(chunk: object) -> dict[str, Any]:
    """The JSON of an SDK's object: a pydantic model, or a plain dict."""
    if isinstance(chunk, dict):
        return chunk
    dump = getattr(chunk, "model_dump", None)
    if dump is None:
        raise SettingsError("stream", "a stream of the SDK's own objects", type(chunk))
    values: dict[str, Any] = dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
    return values


def _as_error(error: Exception) -> ProviderError:
    """Our error for one of an SDK's, by its status or its name."""
    if isinstance(error, SettingsError):
        raise error
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    # An error in a stream that began well has the status of the beginning.
    number = status if isinstance(status, int) and status >= 400 else None
    name = type(error).__name__
    body = getattr(error, "body", None)
    if complaint := find_complaint(body) or find_complaint({"error": body}):
        return to_error(complaint, number)
    if number is None and any(word in name for word in _LOST):
        return Overloaded(
            f"The connection broke ({name}).",
            user_message="The provider cannot be reached. Try again in a moment.",
        )
    return to_error(Complaint(f"{name}: {error}"), number)
