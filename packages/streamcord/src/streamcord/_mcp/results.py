"""What a server's tool returned, as text for the model and as files for the channel: cleaned and bounded."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import mcp_types

from .._common.control_characters import strip_controls
from .._common.image_headers import image_kind
from .._events import Attachment

MAX_FILES = 10
"""Files of one result; Discord takes ten in a message."""
MAX_PARTS = 500
"""Parts of one result; a part may be empty, so their number is limited as well as their length."""
_FILE_NAME = re.compile(r"[^\w.-]+")
_ENDINGS = {"png": ".png", "jpeg": ".jpg", "gif": ".gif", "webp": ".webp"}


class ResultLimits:
    """How much of a result is used."""

    def __init__(self, max_chars: int = 20_000, max_file_bytes: int = 8 * 1024 * 1024) -> None:
        self.max_chars = max_chars
        self.max_file_bytes = max_file_bytes


def clean_text(text: str, max_chars: int) -> str:
    """Return text of a server without controls, cut to a limit, with a note about what was cut."""
    # Cut first: a result may have 50 MB.
    cleaned = strip_controls(text[: max_chars * 2])[:max_chars]
    left = len(text) - len(cleaned)
    return cleaned if len(text) <= max_chars else f"{cleaned}\n[{left} more characters were left out]"


def read_result(
    result: mcp_types.CallToolResult, limits: ResultLimits, attach: Callable[[Attachment], None]
) -> str:
    """Return the text of a result; pictures and files go to `attach`."""
    texts: list[str] = []
    files = length = 0
    for number, block in enumerate(result.content):
        if length > limits.max_chars or number >= MAX_PARTS:
            texts.append("[more was left out]")
            break
        for part in _read_block(block, limits):
            if isinstance(part, str):
                texts.append(part)
                length += len(part)
            elif files < MAX_FILES:
                files += 1
                attach(part)
                texts.append(f"[the file {part.name} was posted for the user]")
            else:
                texts.append("[a further file was left out]")
    if not texts and result.structured_content is not None:
        texts.append(json.dumps(result.structured_content, ensure_ascii=False, default=str))
    return clean_text("\n".join(texts) or "(nothing)", limits.max_chars)


def _read_block(block: Any, limits: ResultLimits) -> Iterator[str | Attachment]:  # noqa: ANN401 - of the SDK
    match block:
        case mcp_types.TextContent():
            yield clean_text(block.text, limits.max_chars)
        case mcp_types.ImageContent() | mcp_types.AudioContent():
            yield _file(block.data, block.mime_type, "", limits)
        case mcp_types.EmbeddedResource():
            resource = block.resource
            if isinstance(resource, mcp_types.TextResourceContents):
                yield clean_text(resource.text, limits.max_chars)
            else:
                yield _file(resource.blob, resource.mime_type or "", str(resource.uri), limits)
        case mcp_types.ResourceLink():
            yield clean_text(f"{block.name}: {block.uri}", 1000)
        case _:
            yield "[content of an unknown kind]"


def _file(data: str, kind: str, uri: str, limits: ResultLimits) -> str | Attachment:
    """Return a file, or why there is none; what a picture is, its bytes say and not the server."""
    if len(data) > limits.max_file_bytes * 4 // 3 + 4:
        return f"[a file of more than {limits.max_file_bytes // 1024 // 1024} MB was left out]"
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "[a file could not be read]"
    if kind.startswith("image/"):
        found = image_kind(content)
        return Attachment(f"picture{_ENDINGS[found]}", content) if found else "[no picture]"
    name = _FILE_NAME.sub("_", uri.rpartition("/")[2])[-80:].strip("._") or "file.bin"
    return Attachment(name, content)
