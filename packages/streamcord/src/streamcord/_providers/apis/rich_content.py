"""Turn what a provider sends besides text into events: pictures, sources, and code that it ran.

All of it is untrusted: sizes are limited, and what cannot be read becomes an event that says so.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..._events import Citation, GeneratedImage, ProviderEvent, TextDelta
from .base import TOO_LARGE, as_dict, as_text, dict_items

MAX_IMAGE_BYTES = 10 * 1024 * 1024
"""The largest file that Discord accepts in every server.

https://docs.discord.com/developers/reference#uploading-files
"""
UNREADABLE = "cannot be read"
MAX_CODE_CHARS = 8000
"""Characters of code, and of its output, that are shown."""
MAX_ALT_CHARS = 1000
MAX_URL_CHARS = 2000
MAX_TITLE_CHARS = 200
MAX_QUOTE_CHARS = 2000

_DATA_URL = re.compile(r"data:[a-z0-9.+-]*/[a-z0-9.+-]*(?:;[^;,]{0,100}){0,5};base64,", re.IGNORECASE)
_BACKTICKS = re.compile(r"`{3,}")
_LANGUAGE = re.compile(r"[a-z0-9+#-]{1,20}")


def image_from_base64(data: object, alt: str = "") -> GeneratedImage:
    """Return a picture from its base64, or what is wrong with it."""
    text = as_text(data)
    if len(text) > MAX_IMAGE_BYTES * 4 // 3 + 4:
        return GeneratedImage(problem=TOO_LARGE)
    try:
        content = binascii.a2b_base64(text)
    except ValueError:
        content = b""
    if not content:
        return GeneratedImage(problem=UNREADABLE)
    return GeneratedImage(content, " ".join(alt.split())[:MAX_ALT_CHARS])


def image_from_url(url: object) -> Iterator[ProviderEvent]:
    """Yield the picture in a `data:` URL, or the address of a picture on the web, which Discord shows itself."""
    text = as_text(url)
    if found := _DATA_URL.match(text):
        yield image_from_base64(text[found.end() :])
    elif (
        text.startswith("https://") and len(text) <= MAX_URL_CHARS and text.isprintable() and " " not in text
    ):
        yield TextDelta(f"\n{text}\n")
    else:
        yield GeneratedImage(problem=UNREADABLE)


def url_citation(url: object, title: object = "", quote: object = "", *, is_placed: bool = False) -> Citation:
    """Return a source by its address or title; both may be missing."""
    address = as_text(url).strip()
    return Citation(
        address if len(address) <= MAX_URL_CHARS else "",
        as_text(title)[:MAX_TITLE_CHARS],
        as_text(quote)[:MAX_QUOTE_CHARS],
        is_placed,
    )


def chat_citations(annotations: object) -> Iterator[Citation]:
    """Yield the sources in a list of annotations, as chat completions, responses and interactions write them."""
    for one in dict_items(annotations):
        source: Mapping[str, Any] = as_dict(one.get("url_citation")) or one
        title = next(
            (
                text
                for key in ("title", "filename", "file_name", "name")
                if (text := as_text(source.get(key)))
            ),
            "",
        )
        url = as_text(source.get("url"))
        if str(one.get("type", "")).endswith("_citation") and (url or title):
            yield url_citation(url, title, source.get("content"))


def code_block(language: object, code: object) -> list[ProviderEvent]:
    """Return code that the provider ran as a code block."""
    name = as_text(language).lower()
    return _block(name if _LANGUAGE.fullmatch(name) else "text", as_text(code))


def output_block(*texts: object) -> list[ProviderEvent]:
    """Return the output of such code as a code block."""
    return _block("text", "\n".join(text.rstrip() for one in texts if (text := as_text(one)).strip()))


def _block(language: str, text: str) -> list[ProviderEvent]:
    text = text.strip("\n")
    if not text.strip():
        return []
    if len(text) > MAX_CODE_CHARS:
        text = f"{text[:MAX_CODE_CHARS]}\n…"
    # A fence in the code would end the block: Discord ends it at the next three backticks anywhere.
    text = _BACKTICKS.sub(lambda found: "\u200b".join(found[0]), text)
    return [TextDelta(f"\n\n```{language}\n{text}\n```\n\n")]
