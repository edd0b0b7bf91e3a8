"""Extract the text of untrusted documents: PDF (with pypdf) and DOCX. It runs in the sandbox process.

Both formats may be bombs: a page of a few bytes that unpacks to gigabytes, XML without an end. The process has little
memory and time, and what is unpacked here is limited before it is parsed.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree as ET

MAX_DOCUMENT_BYTES = 8 * 1024 * 1024
"""A larger document is not read."""
MAX_XML_BYTES = 16 * 1024 * 1024
"""Bytes of the text of a DOCX file, unpacked."""
DOCUMENT_ENDINGS = (".pdf", ".docx")

_WORDS = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


class DocumentError(ValueError):
    """The text of a document cannot be read."""


def extract_text(content: bytes, length: int) -> str:
    """Return up to `length` characters of the text of a document.

    Raises:
        DocumentError: it is neither PDF nor DOCX, is damaged, or pypdf is missing.

    """
    pages = _pdf_pages(content) if b"%PDF-" in content[:1024] else _docx_paragraphs(content)
    found: list[str] = []
    left = length
    try:
        for page in pages:
            found.append(page.strip())
            left -= len(page)
            if left <= 0:
                break
    except DocumentError:
        raise
    except Exception as error:
        # A damaged document raises almost anything; the pages before the damage are of use.
        if not found:
            raise DocumentError(f"It cannot be read ({type(error).__name__}).") from None
    # What is no character of any text would be no use to a model.
    text = "".join(one for one in "\n".join(found) if one.isprintable() or one in "\n\t")
    return text[:length].strip()


def _pdf_pages(content: bytes) -> Iterator[str]:
    try:
        from pypdf import PdfReader  # noqa: PLC0415  (an extra)
    except ImportError:
        raise DocumentError("Reading PDF needs streamcord-bot[documents].") from None
    for page in PdfReader(io.BytesIO(content)).pages:
        yield page.extract_text()


def _docx_paragraphs(content: bytes) -> Iterator[str]:
    """Yield the paragraphs of the main part; tables are paragraphs in their order."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open("word/document.xml") as part:
            xml = part.read(MAX_XML_BYTES + 1)
    except (zipfile.BadZipFile, KeyError, OSError, EOFError, NotImplementedError, RuntimeError):
        raise DocumentError("It is neither PDF nor DOCX.") from None
    if len(xml) > MAX_XML_BYTES or b"<!DOCTYPE" in xml[:4096]:
        raise DocumentError("It is larger than any honest document.")
    # Without a DOCTYPE there are no entities, and the process has little memory.
    for _, element in ET.iterparse(io.BytesIO(xml)):  # noqa: S314
        if element.tag == f"{_WORDS}p":
            yield "".join(_runs(element))
            element.clear()


def _runs(paragraph: ET.Element) -> Iterator[str]:
    for one in paragraph.iter():
        if one.tag == f"{_WORDS}t":
            yield one.text or ""
        elif one.tag in {f"{_WORDS}tab", f"{_WORDS}br"}:
            yield " "
