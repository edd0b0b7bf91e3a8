"""Files of a message: those that stay, those that come with the request, and what is said of them.

https://docs.discord.com/developers/reference#uploading-files
"""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING

from streamcord._shared.image_kinds import image_size

from ..rules.kinds import ListOf
from ..rules.message_rules import ATTACHMENT
from ..rules.rule_table import check
from ..state.model import Attachment
from .refusals import Refusal
from .validation import safe_filename

if TYPE_CHECKING:
    from ..state.model import Json
    from .form import Upload
    from .routing import Call

__all__ = ["read_attachments"]

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
