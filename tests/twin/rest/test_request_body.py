from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discord_twin import Permission, Twin
from discord_twin.errors import ApiError
from discord_twin.options import TwinOptions
from discord_twin.rest.request_body import (
    Form,
    Upload,
    clean_content,
    clean_embeds,
    read_form,
    read_nonce,
    read_webhook_name,
    safe_filename,
)
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
    with pytest.raises(ApiError) as refused:
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
        with suppress(ApiError):
            assert isinstance(read_form(kind, body), Form)


def test_a_part_without_headers_is_no_file() -> None:
    assert read_form(MULTIPART, b"--b-1\r\n\r\nx\r\n--b-1--\r\n") == Form({"": "x"})


def test_a_form_without_a_boundary_is_refused() -> None:
    with pytest.raises(ApiError):
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


PLAIN = TwinOptions()


@given(st.text(st.characters(), max_size=2000))
@settings(max_examples=300)
def test_any_text_within_the_limit_is_read(text: str) -> None:
    read = clean_content(text, PLAIN)

    assert read == read.strip()
    assert read.encode().decode() == read


@pytest.mark.parametrize(("value", "read"), [(None, ""), (5, "5"), (" a ", "a"), ("\u3000a\u2003", "a")])
def test_content_is_text(value: object, read: str) -> None:
    assert clean_content(value, PLAIN) == read


@pytest.mark.parametrize("nonce", [None, 7, "x" * 25])
def test_such_a_nonce_is_good(nonce: object) -> None:
    assert read_nonce(nonce) == nonce


@pytest.mark.parametrize("nonce", ["x" * 26, 1.5, ["x"]])
def test_such_a_nonce_is_refused(nonce: object) -> None:
    with pytest.raises(ApiError):
        read_nonce(nonce)


def test_the_texts_of_an_embed_are_trimmed() -> None:
    embed = {"title": " a ", "footer": {"text": " b "}, "fields": [{"name": " c ", "value": "  "}]}

    (clean,) = clean_embeds([embed])

    assert (clean["title"], clean["footer"]["text"], clean["type"]) == ("a", "b", "rich")
    assert clean["fields"] == [{"name": "c", "value": "", "inline": False}]
    assert embed["title"] == " a "


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Luna", "Luna"),
        ("  Luna \n  Moon ", "Luna Moon"),
        ("Lu\u200bna", "Luna"),
        ("\u202eLuna", "Luna"),
        ("猫猫", "猫猫"),
    ],
)
def test_a_name_is_shown_without_what_cannot_be_seen(name: str, shown: str) -> None:
    assert read_webhook_name(name, PLAIN) == shown


@pytest.mark.parametrize(
    "name", ["", "\u200b", "x" * 81, "Clyde", "DISCORD", "everyone", "HERE", "a```b", "L"]
)
def test_such_a_name_is_refused(name: str) -> None:
    with pytest.raises(ApiError) as refused:
        read_webhook_name(name, PLAIN, "username")

    assert list(refused.value.errors or {}) == ["username"]


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("a\\b.png", "b.png"),
        ("a b  c.png", "a_b_c.png"),
        (".hidden", "hidden"),
        ("", "unknown"),
        ("SPOILER_x.png", "SPOILER_x.png"),
    ],
)
def test_a_file_name_has_no_folders_and_no_spaces(name: str, safe: str) -> None:
    assert safe_filename(name) == safe
