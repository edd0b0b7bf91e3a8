"""Declare settings classes: typed fields with descriptions, ranges and clear errors."""

from __future__ import annotations

from ._common.fields import (
    FieldSpec,
    UnknownKey,
    build,
    check_fields,
    convert,
    fields_of,
    setting,
    unknown_key,
)
from ._settings import read_settings

__all__ = [
    "FieldSpec",
    "UnknownKey",
    "build",
    "check_fields",
    "convert",
    "fields_of",
    "read_settings",
    "setting",
    "unknown_key",
]
