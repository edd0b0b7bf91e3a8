"""Unpack CHARX files: a ZIP archive with a character card as `card.json`, beside its pictures.

(https://github.com/kwaroran/character-card-spec-v3/blob/main/SPEC_V3.md#charx)
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterable, Mapping

ZIP_SIGNATURE = b"PK\x03\x04"
EMBEDDED = ("embeded://", "embedded://")
"""How a card names the files beside it; the specification writes it with one `d`."""
ARCHIVE_BYTES = 32 * 1024 * 1024
"""Bytes of all pictures together, unpacked."""
_DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


class ArchiveError(ValueError):
    """A file cannot be used as a CHARX file; the message is for the person who sent it."""


class CharxArchive:
    """A CHARX file. Only what is asked for is unpacked, up to a size, whatever sizes the archive claims.

    Args:
        content: the file.

    Raises:
        ArchiveError: it is damaged, or has no card.

    """

    def __init__(self, content: bytes) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
            self._card = self._archive.getinfo("card.json")
        except KeyError:
            raise ArchiveError("There is no card.json in this file: it is no CHARX.") from None
        except _DAMAGED:
            raise ArchiveError("The file is damaged: download it again.") from None

    def card(self, cap: int) -> bytes:
        """Return the card, of at most `cap` bytes."""
        content = self._unpack(self._card, cap)
        if not content:
            raise ArchiveError(f"The card in this file is empty, or larger than {cap // 2**20} MB.")
        return content

    def files(self, uris: Iterable[str], cap: int) -> Mapping[str, bytes]:
        """Return the files that a card names, by their addresses; one that is larger than `cap` bytes is left out."""
        found: dict[str, bytes] = {}
        left = ARCHIVE_BYTES
        for uri in uris:
            scheme = next((one for one in EMBEDDED if uri.startswith(one)), "")
            if not scheme or uri in found or left <= 0:
                continue
            try:
                info = self._archive.getinfo(uri.removeprefix(scheme))
            except KeyError:
                continue
            found[uri] = self._unpack(info, min(left, cap))
            left -= len(found[uri])
        return found

    def _unpack(self, info: zipfile.ZipInfo, cap: int) -> bytes:
        try:
            with self._archive.open(info) as file:
                content = file.read(cap + 1)
        except _DAMAGED:
            raise ArchiveError("The file is damaged: download it again.") from None
        return content if len(content) <= cap else b""
