"""How each family of APIs is asked and understood: pure, one file each."""

from .anthropic import Anthropic
from .base import ApiAdapter, Decoder, Request
from .google import Google
from .google_interactions import GoogleInteractions
from .openai_chat import OpenAIChat, Quirks
from .openai_responses import OpenAIResponses

__all__ = [
    "Anthropic",
    "ApiAdapter",
    "Decoder",
    "Google",
    "GoogleInteractions",
    "OpenAIChat",
    "OpenAIResponses",
    "Quirks",
    "Request",
]
