"""Streams of other libraries as events: SDKs of providers, and agent frameworks."""

from .convert import (
    SdkStream,
    as_stream,
    from_acp,
    from_anthropic,
    from_google,
    from_langchain,
    from_litellm,
    from_openai,
    from_pydantic_ai,
    from_ui_messages,
    read_chunks,
    recognize,
    translate,
)
from .non_streaming import whole_text
from .overlap import drop_overlap
from .wire_text import WIRE_ADVICE, is_wire_text

__all__ = [
    "WIRE_ADVICE",
    "SdkStream",
    "as_stream",
    "drop_overlap",
    "from_acp",
    "from_anthropic",
    "from_google",
    "from_langchain",
    "from_litellm",
    "from_openai",
    "from_pydantic_ai",
    "from_ui_messages",
    "is_wire_text",
    "read_chunks",
    "recognize",
    "translate",
    "whole_text",
]
