"""All settings, in one group per stage (`Settings`), and the values that belong to one answer (`AnswerContext`)."""

from .._personas import Emoji, Person, Persona, Sprite
from .context import NO_CONTEXT, AnswerContext
from .groups import (
    DISCORD_LIMIT,
    DISPLAY_BYTES,
    LIVE_LIMIT,
    LIVE_LIMIT_BYTES,
    CaptureSettings,
    DeliverySettings,
    NormalizeSettings,
    PlanSettings,
    SegmentSettings,
    SplitSettings,
    TurnSettings,
)
from .model import MAX_STOP_STRINGS, Settings, as_stop_strings, read_settings

__all__ = [
    "DISCORD_LIMIT",
    "DISPLAY_BYTES",
    "LIVE_LIMIT",
    "LIVE_LIMIT_BYTES",
    "MAX_STOP_STRINGS",
    "NO_CONTEXT",
    "AnswerContext",
    "CaptureSettings",
    "DeliverySettings",
    "Emoji",
    "NormalizeSettings",
    "Person",
    "Persona",
    "PlanSettings",
    "SegmentSettings",
    "Settings",
    "SplitSettings",
    "Sprite",
    "TurnSettings",
    "as_stop_strings",
    "read_settings",
]
