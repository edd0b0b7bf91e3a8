"""Request bodies: JSON, or a form (multipart or URL-encoded) with `payload_json` and `files[n]`.

The whole body is kept for the log, so it is parsed from bytes; every step walks over it once.
https://docs.discord.com/developers/reference#uploading-files

The files of a message are read here, too: those that stay, those that come with the request, and what is said
of them.
"""

from __future__ import annotations

import json
import mimetypes
import re
from dataclasses import dataclass
from email.message import Message as Headers
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from streamcord._shared.image_kinds import image_size

from ..rules.kinds import ListOf
from ..rules.message_rules import ATTACHMENT
from ..rules.rule_table import check
from ..state.model import Attachment
from .refusals import Refusal, invalid_form
from .validation import safe_filename

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..state.model import Json
    from .routing import Call

__all__ = ["Form", "Upload", "read_attachments", "read_form"]

_TYPES = (
    'Expected "Content-Type" header to be one of '
    "{'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'}."
)
_FILE_FIELD = re.compile(r"files\[([0-9]{1,9})\]|file([0-9]{0,9})")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came in."""

    index: int
    filename: str
    content: bytes
    content_type: str


@dataclass(frozen=True, slots=True)
class Form:
    """What a request says."""

    payload: Any
    uploads: tuple[Upload, ...] = ()


def read_form(content_type: str, body: bytes) -> Form:
    """Read a request's body; an empty one is an empty object."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return _read_multipart(content_type, body)
    if not body:
        return Form({})
    if kind == "application/x-www-form-urlencoded":
        return _read_urlencoded(body)
    if kind != "application/json":
        raise Refusal(50035, errors={"_errors": [{"code": "CONTENT_TYPE_INVALID", "message": _TYPES}]})
    return Form(_read_json(body))


def _read_urlencoded(body: bytes) -> Form:
    # py-cord answers interactions so.
    fields = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=1000))
    payload = _read_json(fields.pop("payload_json", "{}").encode())
    return Form({**fields, **payload} if isinstance(payload, dict) else payload)


def _read_json(body: bytes) -> Any:  # noqa: ANN401 - any JSON at all
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(50109) from None


def _read_multipart(content_type: str, body: bytes) -> Form:
    payload: Json = {}
    uploads = []
    for headers, content in _parts(content_type, body):
        name = str(headers.get_param("name", "", "content-disposition"))
        found = _FILE_FIELD.fullmatch(name)
        if name == "payload_json":
            payload = _read_json(content)
        elif found:
            filename = headers.get_filename() or "unknown"
            uploads.append(
                Upload(int(found[1] or found[2] or 0), filename, content, headers.get_content_type())
            )
        else:
            payload[name] = content.decode("utf-8", "replace")
    return Form(payload, tuple(uploads))


def _parts(content_type: str, body: bytes) -> Iterator[tuple[Headers, bytes]]:
    outer = Headers()
    outer["content-type"] = content_type
    boundary = outer.get_param("boundary")
    if not isinstance(boundary, str) or not boundary:
        raise invalid_form("body", "CONTENT_TYPE_INVALID", "Expected a multipart boundary.")
    # The first delimiter has no line break before it; give it one so that all look alike.
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary.encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        headers = Headers()
        for line in filter(None, head.decode("utf-8", "replace").split("\r\n")):
            name, _, value = line.partition(":")
            headers[name.strip()] = value.strip()
        yield headers, content


_MOST_FILES = 10


def read_attachments(call: Call, kept: tuple[Attachment, ...], named: object) -> tuple[Attachment, ...]:
    """The files that a message will have; `named` is the `attachments` of the body."""
    named = named or []
    check(ListOf(ATTACHMENT), named, call.switches, ("attachments",))
    described = {str(one["id"]): one for one in named} if isinstance(named, list) else {}
    files = [one for one in kept if str(one.id) in described]
    files += [_store(call, upload, described.get(str(upload.index), {})) for upload in call.form.uploads]
    if len(files) > _MOST_FILES:
        raise Refusal(30015)
    return tuple(files)


def _store(call: Call, upload: Upload, described: Json) -> Attachment:
    if len(upload.content) > call.switches.file_limit:
        raise Refusal(40005)
    filename = safe_filename(str(described.get("filename") or upload.filename))
    guessed = mimetypes.guess_type(filename)[0] or upload.content_type
    width, height = image_size(upload.content) or (None, None)
    seconds = described.get("duration_secs")
    return Attachment(
        call.state.make_id(),
        filename,
        upload.content,
        guessed,
        described.get("description"),
        width,
        height,
        duration=float(seconds) if seconds is not None else None,
        waveform=described.get("waveform"),
    )
