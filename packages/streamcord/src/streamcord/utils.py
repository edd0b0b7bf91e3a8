"""Helpers for programs built on streamcord: caches, redaction, private files, images, hosts, install hints, limits."""

from __future__ import annotations

from ._common.bounded_cache import BoundedCache
from ._common.command_line import Command, Program
from ._common.control_characters import break_fences, strip_controls
from ._common.file_modes import PRIVATE, make_private, open_private
from ._common.hosts import is_local_host
from ._common.image_headers import (
    PNG_SIGNATURE,
    ImageSize,
    as_data_uri,
    frame_sizes,
    image_kind,
    image_size,
    read_data_uri,
)
from ._common.known_secrets import SecretFilter
from ._common.log_format import LogLines, one_line
from ._common.optional_dependencies import Letters, find_missing_letters, install_line, require
from ._common.process_limits import limit_memory, limit_time
from ._common.redaction import STAR, find_secrets, hide_secrets
from ._render.renderer import draw_files
from ._text.markdown.client_renderer import (
    Block,
    LineKind,
    MarkupCode,
    MarkupLine,
    Quote,
    StyledRun,
    read_message,
)
from ._text.pipeline import clean_tool_text
from ._text.rules.common_words import is_common_word
from ._text.rules.link_safety import make_links_safe
from ._turn.debug_log import TEXT_LOGGER

__all__ = [
    "PNG_SIGNATURE",
    "PRIVATE",
    "STAR",
    "TEXT_LOGGER",
    "Block",
    "BoundedCache",
    "Command",
    "ImageSize",
    "Letters",
    "LineKind",
    "LogLines",
    "MarkupCode",
    "MarkupLine",
    "Program",
    "Quote",
    "SecretFilter",
    "StyledRun",
    "as_data_uri",
    "break_fences",
    "clean_tool_text",
    "draw_files",
    "find_missing_letters",
    "find_secrets",
    "frame_sizes",
    "hide_secrets",
    "image_kind",
    "image_size",
    "install_line",
    "is_common_word",
    "is_local_host",
    "limit_memory",
    "limit_time",
    "make_links_safe",
    "make_private",
    "one_line",
    "open_private",
    "read_data_uri",
    "read_message",
    "require",
    "strip_controls",
]
