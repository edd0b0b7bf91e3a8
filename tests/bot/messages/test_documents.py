"""Documents that people send: their text, and files that cost more than any honest one."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from bot.stage import make_config, on_stage
from streamcord.providers import File, Options
from streamcord.testing import ScriptedProvider
from streamcord_bot.config.models import ModelConfig
from streamcord_bot.messages.documents import DocumentError, extract_text
from streamcord_bot.sandbox.client import SandboxClient


def pdf(*pages: str) -> bytes:
    """A PDF with a line on each page."""
    streams = [f"BT /F1 12 Tf 72 720 Td ({page}) Tj ET".encode() for page in pages]
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(streams)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, stream in enumerate(streams):
        rest = "/Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page {rest} /Contents {5 + 2 * at} 0 R >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    out, places = io.BytesIO(b"%PDF-1.4\n"), []
    out.seek(0, io.SEEK_END)
    for number, content in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    table = out.tell()
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    out.write(b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, rows))
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (count, table))
    return out.getvalue()


def docx(xml: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", xml)
    return out.getvalue()


SPACE = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PARAGRAPHS = (
    b"<w:p><w:r><w:t>Dear</w:t><w:tab/><w:t>Ann</w:t></w:r></w:p><w:p><w:r><w:t>Bye</w:t></w:r></w:p>"
)
LETTER = docx(b"<w:document %s><w:body>%s</w:body></w:document>" % (SPACE, PARAGRAPHS))


def test_text_of_documents_is_read_up_to_a_length() -> None:
    assert extract_text(pdf("Hello there", "Page two"), 1000) == "Hello there\nPage two"
    assert extract_text(pdf("Hello there", "Page two"), 5) == "Hello"
    assert extract_text(LETTER, 1000) == "Dear Ann\nBye"


@pytest.mark.parametrize(
    "content",
    [b"", b"MZ", b"%PDF-1.4 nothing else", b"PK\x03\x04 no archive", docx(b"<not xml"), LETTER[:-40]],
)
def test_damaged_document_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(DocumentError):
        extract_text(content, 1000)


def test_entities_are_not_expanded() -> None:
    entities = b'<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><w:document %s>&b;</w:document>' % SPACE

    with pytest.raises(DocumentError, match="larger"):
        extract_text(docx(entities), 1000)


async def test_bomb_costs_the_sandbox_only() -> None:
    reader = SandboxClient()
    try:
        assert await reader.read_document(docx(b"<w:p>" + b" " * 20_000_000), 8000) == ""
        assert await reader.read_document(LETTER, 8000) == "Dear Ann\nBye"
    finally:
        await reader.close()


async def prompt_for(name: str, content: bytes, **model: Any) -> Any:
    config = make_config(models={"main": {"provider": "anthropic", "model": "m", **model}})
    provider = ScriptedProvider(["Fine."])
    async with on_stage({"main": provider}, config=config) as stage:
        stage.ask("read this", files={name: content})
        await stage.twin.next_message()
        await stage.quiet()
    return provider.prompts[-1].messages[-1].parts


async def test_model_that_reads_pdf_gets_the_file() -> None:
    parts = await prompt_for("a.pdf", pdf("Hello"))

    assert [part for part in parts if isinstance(part, File)] == [
        File(pdf("Hello"), "application/pdf", "a.pdf")
    ]


async def test_other_models_get_its_text() -> None:
    parts = await prompt_for("a.pdf", pdf("Hello from the page"), documents=False)

    assert not [part for part in parts if isinstance(part, File)]
    assert "Hello from the page" in parts[0].text


async def test_damaged_document_is_told_in_one_line() -> None:
    parts = await prompt_for("a.docx", b"MZ")

    assert "[file a.docx: it cannot be read]" in parts[0].text


def test_server_at_another_address_is_not_asked_to_read_files() -> None:
    assert ModelConfig(provider="google").native_files == ("application/pdf", "audio/", "video/")
    assert ModelConfig(provider="openai", base_url="http://127.0.0.1:1/v1").native_files == ()
    assert ModelConfig(provider="ollama").native_files == ()
    assert ModelConfig(options=Options(server_tools=({"type": "web_search"},))).options.server_tools


@pytest.mark.parametrize("way", ["beside", "reply", "own"])
async def test_document_of_somebody_else_is_read_only_if_the_question_means_it(way: str) -> None:
    config = make_config(models={"main": {"provider": "anthropic", "model": "m"}})
    provider = ScriptedProvider(["Fine."])
    async with on_stage({"main": provider}, config=config) as stage:
        twin = stage.twin
        sender = twin.user if way == "own" else twin.add_user("mallory")
        sent = twin.say(twin.channel, sender, "look", files={"a.pdf": pdf("Hello")})
        await stage.settled()
        stage.ask("hello", reply_to=sent if way == "reply" else None)
        await twin.next_message()
        await stage.quiet()
    parts = [part for message in provider.prompts[-1].messages for part in message.parts]
    assert any(isinstance(part, File) for part in parts) == (way != "beside")
