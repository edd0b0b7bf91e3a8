"""How each family of APIs is asked and understood: pure, one file each."""

from .anthropic import Anthropic
from .base import Decoder, Dialect, Request
from .google import Google
from .openai import OpenAIChat, Quirks
from .openai_responses import OpenAIResponses

__all__ = [
    "Anthropic",
    "Decoder",
    "Dialect",
    "Google",
    "OpenAIChat",
    "OpenAIResponses",
    "Quirks",
    "Request",
]
