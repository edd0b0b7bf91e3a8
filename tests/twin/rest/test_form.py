from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamcord._twin.rest.form import Form, Upload, read_form
from streamcord._twin.rest.refusals import Refusal
from streamcord.twin import Permission, Twin
from twin.api import Api

# --- Form ---

MULTIPART = 'multipart/form-data; boundary="b-1"'


def part(name: str, content: bytes, filename: str | None = None, kind: str | None = None) -> bytes:
    head = f'Content-Disposition: form-data; name="{name}"' + (f'; filename="{filename}"' if filename else "")
    lines = [head, *([f"Content-Type: {kind}"] if kind else [])]
    return b"--b-1\r\n" + "\r\n".join(lines).encode() + b"\r\n\r\n" + content + b"\r\n"


def test_an_empty_body_is_an_empty_object() -> None:
    assert read_form("", b"") == Form({})


def test_json_is_read_whatever_its_type() -> None:
    assert read_form("application/json", b"[1]").payload == [1]


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000])
def test_broken_json_is_refused(body: bytes) -> None:
    with pytest.raises(Refusal) as refused:
        read_form("application/json", body)

    assert refused.value.code == 50109


def test_a_form_has_a_payload_and_files() -> None:
    body = (
        part("payload_json", b'{"content": "x"}', kind="application/json")
        + part("files[1]", b"\x89PNG\r\n\r\n--b", "ä b.png", "image/png")
        + part("file", b"", "c.txt")
        + part("extra", b"text")
        + b"--b-1--\r\n"
    )
    form = read_form(MULTIPART, body)

    assert form.payload == {"content": "x", "extra": "text"}
    assert form.uploads == (
        Upload(1, "ä b.png", b"\x89PNG\r\n\r\n--b", "image/png"),
        Upload(0, "c.txt", b"", "text/plain"),
    )


@given(st.lists(st.binary(max_size=200).filter(lambda content: b"--b-1" not in content), max_size=5))
@settings(max_examples=300)
def test_files_come_out_as_they_went_in(contents: list[bytes]) -> None:
    parts = [part(f"files[{index}]", content, "f") for index, content in enumerate(contents)]
    form = read_form(MULTIPART, b"".join(parts) + b"--b-1--\r\n")

    assert [upload.content for upload in form.uploads] == contents


@given(st.binary(max_size=300))
@settings(max_examples=300)
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    for kind in (MULTIPART, "application/json"):
        with suppress(Refusal):
            assert isinstance(read_form(kind, body), Form)


def test_a_part_without_headers_is_no_file() -> None:
    assert read_form(MULTIPART, b"--b-1\r\n\r\nx\r\n--b-1--\r\n") == Form({"": "x"})


def test_a_form_without_a_boundary_is_refused() -> None:
    with pytest.raises(Refusal):
        read_form("multipart/form-data", b"x")


# --- Attachments ---

VOICE = {"id": "0", "duration_secs": 1.5, "waveform": "AAAA"}


async def test_a_voice_message_is_one_audio_file_and_nothing_else(twin: Twin, api: Api) -> None:
    made = (await api.upload({"v.ogg": b"OggS"}, flags=1 << 13, attachments=[VOICE])).json
    (file,) = made["attachments"]

    assert (file["duration_secs"], file["waveform"], file["content_type"]) == (1.5, "AAAA", "audio/ogg")
    assert (await api.edit(made["id"], content="x")).outcome == (400, 50162)


@pytest.mark.parametrize(
    ("files", "fields", "code"),
    [
        ({"v.ogg": b"x"}, {"content": "x", "attachments": [VOICE]}, 50159),
        ({"v.ogg": b"x", "w.ogg": b"x"}, {"attachments": [VOICE]}, 50160),
        ({"v.txt": b"x"}, {"attachments": [VOICE]}, 50160),
        ({"v.ogg": b"x"}, {"attachments": [{"id": "0"}]}, 50161),
    ],
)
async def test_a_wrong_voice_message(
    api: Api, files: dict[str, bytes], fields: dict[str, Any], code: int
) -> None:
    assert (await api.upload(files, flags=1 << 13, **fields)).outcome == (400, code)


async def test_voice_needs_its_right(twin: Twin, api: Api) -> None:
    twin.state.overwrite(twin.channel, twin.bot.user, deny=Permission.SEND_VOICE_MESSAGES)
    answer = await api.upload({"v.ogg": b"OggS"}, flags=1 << 13, attachments=[VOICE])

    assert answer.outcome == (403, 50173)


async def test_files_stay_or_go_as_the_edit_names_them(twin: Twin, api: Api) -> None:
    made = (await api.upload({"a.txt": b"a", "b.txt": b"b"}, content="x")).json
    kept = [{"id": made["attachments"][1]["id"]}]
    edited = (await api.edit(made["id"], attachments=kept)).json

    assert [one["filename"] for one in edited["attachments"]] == ["b.txt"]
    wrong = await api.edit(made["id"], attachments="all")
    assert wrong.errors["attachments"]["_errors"][0]["code"] == "LIST_TYPE_CONVERT"


async def test_eleven_files_are_too_many(api: Api) -> None:
    assert (await api.upload({f"{n}.txt": b"x" for n in range(11)})).outcome == (400, 30015)


async def test_a_picture_of_an_embed_has_the_address_of_its_file(twin: Twin, api: Api) -> None:
    embed = {"image": {"url": "attachment://a.png"}, "thumbnail": {"url": "https://a.b/c.png"}}
    (shown,) = (await api.upload({"a.png": b"x"}, embeds=[embed])).json["embeds"]

    assert shown["image"]["url"].startswith(twin.cdn_url)
    assert shown["thumbnail"]["url"] == "https://a.b/c.png"
