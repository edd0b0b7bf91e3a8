"""The size of a text in bytes: some limits of Discord count bytes, most count characters."""

from __future__ import annotations


def utf8_length(text: str) -> int:
    """Return how many bytes a text has in UTF-8; a lone surrogate counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
