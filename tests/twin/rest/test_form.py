from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamcord._twin.rest.form import Form, Upload, read_form
from streamcord._twin.rest.refusals import Refusal

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
