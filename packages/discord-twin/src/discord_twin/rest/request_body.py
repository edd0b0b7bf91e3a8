"""Request bodies: JSON, or a form (multipart or URL-encoded) with `payload_json` and `files[n]`.

The whole body is kept for the log, so it is parsed from bytes; every step walks over it once.
https://docs.discord.com/developers/reference#uploading-files

This module also reads the files of a message (kept, uploaded and described) and cleans texts and names as Discord
does: trimmed, without invisible characters, or refused.
Lengths are code points, because "our API uses Python 3"
(https://github.com/discord/discord-api-docs/issues/1315). The fields of each body are in `validation/`.
"""

from __future__ import annotations

import json
import mimetypes
import re
from dataclasses import dataclass, replace
from email.message import Message as Headers
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from ..errors import ApiError, invalid_form
from ..images import image_size
from ..state.models import Attachment
from ..validation.messages import ATTACHMENT
from ..validation.schema import ListOf
from ..validation.table import check, measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..options import TwinOptions
    from ..state.models import Json
    from .routing import Call


_TYPES = (
    'Expected "Content-Type" header to be one of '
    "{'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'}."
)
# `files[0]` is documented; older clients send `file` or `file0`.
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
        raise ApiError(50035, errors={"_errors": [{"code": "CONTENT_TYPE_INVALID", "message": _TYPES}]})
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
        raise ApiError(50109) from None


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
            # Without payload_json the fields of the form are the payload.
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


_MAX_FILES = 10


def read_attachments(call: Call, kept: tuple[Attachment, ...], named: object) -> tuple[Attachment, ...]:
    """Return the files that a message will have; `named` is the `attachments` of the body."""
    named = named or []
    check(ListOf(ATTACHMENT), named, call.options, ("attachments",))
    # The id of a new file is its index in the form, that of a kept file its snowflake.
    described = {str(one["id"]): one for one in named} if isinstance(named, list) else {}
    files = [_edited(one, described[str(one.id)]) for one in kept if str(one.id) in described]
    files += [_store(call, upload, described.get(str(upload.index), {})) for upload in call.form.uploads]
    if len(files) > _MAX_FILES:
        raise ApiError(30015)
    return tuple(files)


def _edited(file: Attachment, described: Json) -> Attachment:
    """Return a kept file; an edit may change its alt text and whether it is hidden, since 2026-06-24."""
    return replace(
        file,
        description=described.get("description", file.description),
        spoiler=bool(described.get("is_spoiler", file.spoiler)),
    )


def _store(call: Call, upload: Upload, described: Json) -> Attachment:
    if len(upload.content) > call.options.file_limit:
        raise ApiError(40005)
    filename = safe_filename(str(described.get("filename") or upload.filename))
    # The file name decides; the Content-Type of the part is the fallback.
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
        spoiler=bool(described.get("is_spoiler")),
    )


# Discord drops NUL and lone surrogates without an error.
_INVALID = re.compile("[\x00\ud800-\udfff]")
# Characters that draw nothing are taken out of names (developers/resources/user, "Usernames and Nicknames").
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
_UNSAFE_IN_FILENAME = re.compile(r"[^A-Za-z0-9_.\-]+")
_NAME_LIMIT = 80
_NONCE_LIMIT = 25
# Paths of the texts of an embed that are trimmed.
_TRIMMED = (("title",), ("description",), ("footer", "text"), ("author", "name"))


def clean_content(value: object, options: TwinOptions) -> str:
    """Return the text as the channel shows it; a number is read as text."""
    text = "" if value is None else str(value)
    text = _INVALID.sub("", text) if options.strip_invalid_unicode else text
    return text.strip() if options.trim_whitespace else text


# https://docs.discord.com/developers/resources/message#embed-object : bots cannot set these two.
_SET_BY_DISCORD = frozenset({"provider", "video"})
_NEEDED_TEXTS = {"footer": "text", "author": "name"}


def clean_embeds(embeds: Sequence[Json]) -> tuple[Json, ...]:
    """Embeds that passed the rules, with their texts trimmed."""
    return tuple(_clean_embed(embed) for embed in embeds)


def _clean_embed(embed: Json) -> Json:
    clean: Json = {**_without_nulls(embed), "type": "rich"}
    # Size and description of a picture are found by Discord.
    pictures = {name: clean[name] for name in ("image", "thumbnail") if isinstance(clean.get(name), dict)}
    clean |= {name: {"url": one["url"]} if "url" in one else {} for name, one in pictures.items()}
    for path in _TRIMMED:
        holder = clean.get(path[0]) if len(path) > 1 else clean
        if isinstance(holder, dict) and holder.get(path[-1]) is not None:
            trimmed = {path[-1]: str(holder[path[-1]]).strip()}
            clean.update(trimmed if len(path) == 1 else {path[0]: {**holder, **trimmed}})
    if clean.get("fields"):
        clean["fields"] = [_clean_field(field) for field in clean["fields"]]
    return {name: value for name, value in clean.items() if not _is_dropped(name, value)}


def _without_nulls(value: Json) -> Json:
    """Return an object without the fields that are null: they mean the same as fields that are left out."""
    return {
        name: _without_nulls(one) if isinstance(one, dict) else one
        for name, one in value.items()
        if one is not None
    }


def _is_dropped(name: str, value: object) -> bool:
    """Return whether Discord leaves a part of an embed out: only it sets some, and others need a text to be shown."""
    if name in _SET_BY_DISCORD:
        return True
    needed = _NEEDED_TEXTS.get(name)
    return needed is not None and not (isinstance(value, dict) and value.get(needed))


def _clean_field(field: Json) -> Json:
    texts = {name: str(field[name]).strip() for name in ("name", "value")}
    return {**field, **texts, "inline": field.get("inline") in {True, "true"}}


def check_moderation(text: str, options: TwinOptions) -> None:
    """Refuse what AutoMod and the link filter of this guild block."""
    lowered = text.casefold()
    if any(word.casefold() in lowered for word in options.automod):
        raise ApiError(200000)
    if any(link.casefold() in lowered for link in options.harmful_link):
        raise ApiError(240000)


def read_nonce(value: Any) -> str | int | None:  # noqa: ANN401 - any JSON
    """Return a nonce: a 64-bit number or a string of up to 25 characters."""
    if isinstance(value, str) and len(value) > _NONCE_LIMIT:
        message = f"Must be {_NONCE_LIMIT} or fewer characters long."
        raise invalid_form("nonce", "NONCE_TYPE_TOO_LONG", message)
    if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
        raise invalid_form("nonce", "NONCE_TYPE_INVALID_TYPE", "This field must be a string or integer.")
    return value


def read_webhook_name(value: object, options: TwinOptions, path: str = "name") -> str:
    """Return a webhook's name, or the name of one message, as it will be shown."""
    name = " ".join(_INVISIBLE.sub("", str(value)).split())
    if not name or measure(name, options) > _NAME_LIMIT:
        raise invalid_form(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 80 in length.")
    lowered = name.casefold()
    for part in options.forbidden_names:
        if part in lowered:
            raise invalid_form(path, "USERNAME_INVALID_CONTAINS", f'Username cannot contain "{part}"')
    if lowered in options.forbidden_exact_names or "```" in name:
        raise invalid_form(path, "USERNAME_INVALID_CONTAINS", f'Username cannot be "{lowered}"')
    if len(name) == 1 and not options.single_letter_names:
        raise invalid_form(path, "BASE_TYPE_BAD_LENGTH", "Must be between 2 and 80 in length.")
    return name


def safe_filename(name: str) -> str:
    """Return a file name as the CDN shows it: no folders, no white space."""
    leaf = name.replace("\\", "/").rpartition("/")[2]
    return _UNSAFE_IN_FILENAME.sub("_", leaf).lstrip(".")[:255] or "unknown"
