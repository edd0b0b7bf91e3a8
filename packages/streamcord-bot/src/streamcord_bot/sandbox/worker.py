"""The worker process that parses untrusted files: limited memory, limited time, and no secrets.

It reads jobs from standard input and writes an answer to each on standard output. Job and answer are a JSON object
followed by the bytes of files. The process ends at the end of its input. A file that needs more memory or time than
allowed kills it; only the caller who waits for that file notices.
"""

from __future__ import annotations

import io
import json
import os
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO, TypeAlias

from streamcord import Persona
from streamcord.store import Picture, StoredPersona
from streamcord.utils import limit_memory, limit_time

from ..messages.documents import DocumentError, extract_text
from ..personas.card_export import write_card
from ..personas.character_cards import CardError, read_card
from ..personas.lore_editor import add_lore, import_lore, list_lore, remove_lore, report_card
from ..personas.pictures import SIDE_CAP, PictureError, check_picture

MEMORY_CAP = 256 * 1024 * 1024
"""Bytes of the whole process."""
CPU_LIMIT_S = 1.8
"""Seconds of processor time for one file: less than two, also where the clock is coarse."""
NICENESS = 10
"""The niceness of the worker, so that the bot has priority."""
MAX_SIDE_PIXELS = 256
"""Pixels to which a large picture is made smaller."""

Job: TypeAlias = tuple[Mapping[str, Any], Sequence[bytes]]
"""What to do, or what came of it: a few values, and the bytes of files."""


# --- One job as bytes -----------------------------------------------------------------------------


def join_frame(values: Mapping[str, Any], files: Sequence[bytes]) -> list[bytes]:
    """A job or an answer as pieces to write."""
    head = json.dumps({**values, "files": [len(file) for file in files]}).encode()
    return [struct.pack(">I", len(head)), head, *files]


def read_frame(stream: BinaryIO) -> Job | None:
    """The next job from a stream; `None` where it ends."""
    start = stream.read(4)
    if len(start) < 4:
        return None
    values = json.loads(stream.read(struct.unpack(">I", start)[0]))
    return values, [stream.read(length) for length in values["files"]]


def pack_persona(
    stored: StoredPersona, avatar: Picture | None, sprites: Mapping[str, Picture], **more: object
) -> Job:
    """A persona with its pictures, as a job or an answer; `more` are values that go with it."""
    values = {
        "name": stored.name,
        "aliases": stored.persona.aliases,
        "alter": stored.persona.alter,
        "prompt": stored.prompt,
        "greeting": stored.greeting,
        "adult": stored.adult,
        "kind": avatar.kind if avatar else None,
        "sprites": [(name, sprite.url, sprite.kind) for name, sprite in sprites.items()],
        **more,
    }
    pictures = [avatar.content if avatar else b"", *(sprite.content for sprite in sprites.values())]
    return values, [stored.card.encode(), *pictures]


def unpack_persona(
    values: Mapping[str, Any], files: Sequence[bytes], guild: int = 0
) -> tuple[StoredPersona, Picture | None, dict[str, Picture]]:
    """The persona of such a job or answer, its avatar and its other sprites."""
    card, avatar, *sprites = files
    persona = Persona(values["name"], tuple(values["aliases"]), alter=values["alter"])
    texts = (values["prompt"], values["greeting"], card.decode())
    pictures = {
        name: Picture(url, content, kind)
        for (name, url, kind), content in zip(values["sprites"], sprites, strict=True)
    }
    own = Picture(content=avatar, kind=values["kind"]) if avatar else None
    return StoredPersona(persona, guild, *texts, adult=values["adult"]), own, pictures


# --- What it can do -------------------------------------------------------------------------------


def _read_card(_: Mapping[str, Any], files: Sequence[bytes]) -> Job:
    card = read_card(files[0])
    return pack_persona(
        card.stored, card.picture, card.sprites, refused=dict(card.refused), report=report_card(card.stored)
    )


def _list_lore(_: Mapping[str, Any], files: Sequence[bytes]) -> Job:
    return {"lines": list_lore(files[0].decode())}, ()


def _add_lore(values: Mapping[str, Any], files: Sequence[bytes]) -> Job:
    return {}, (add_lore(files[0].decode(), values["name"], values["keys"], values["content"]).encode(),)


def _remove_lore(values: Mapping[str, Any], files: Sequence[bytes]) -> Job:
    return {}, (remove_lore(files[0].decode(), values["number"]).encode(),)


def _import_lore(values: Mapping[str, Any], files: Sequence[bytes]) -> Job:
    card, report = import_lore(files[0].decode(), values["name"], files[1])
    return {"report": report}, (card.encode(),)


def _check_picture(_: Mapping[str, Any], files: Sequence[bytes]) -> Job:
    return {"kind": check_picture(files[0]).kind}, ()


def _write_card(values: Mapping[str, Any], files: Sequence[bytes]) -> Job:
    return {}, (write_card(*unpack_persona(values, files), values["form"], values["cap"]),)


def _shrink(_: Mapping[str, Any], files: Sequence[bytes]) -> Job:
    """The picture as a small PNG; needs Pillow."""
    check_picture(files[0])
    try:
        from PIL import Image  # noqa: PLC0415  (an extra)
    except ImportError:
        raise PictureError("It is larger than 256 KB, and without streamcord[tables] it stays so.") from None
    Image.MAX_IMAGE_PIXELS = SIDE_CAP * SIDE_CAP
    try:
        with Image.open(io.BytesIO(files[0]), formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            image.draft("RGB", (MAX_SIDE_PIXELS, MAX_SIDE_PIXELS))
            # A palette has no shades between its colours, so it becomes real colours first.
            small = image.convert("RGBA") if image.mode in {"P", "1"} else image
            small.thumbnail((MAX_SIDE_PIXELS, MAX_SIDE_PIXELS))
            small = small.convert("RGBA")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise PictureError(f"It cannot be drawn ({type(error).__name__}).") from None
    drawn = io.BytesIO()
    small.save(drawn, "PNG", optimize=True)
    return {}, (drawn.getvalue(),)


def _read_document(values: Mapping[str, Any], files: Sequence[bytes]) -> Job:
    return {"text": extract_text(files[0], values["length"])}, ()


_JOBS: Mapping[str, Callable[[Mapping[str, Any], Sequence[bytes]], Job]] = {
    "read_card": _read_card,
    "write_card": _write_card,
    "list_lore": _list_lore,
    "add_lore": _add_lore,
    "remove_lore": _remove_lore,
    "import_lore": _import_lore,
    "check_picture": _check_picture,
    "shrink": _shrink,
    "read_document": _read_document,
}


# --- The process itself ---------------------------------------------------------------------------


def serve(jobs: BinaryIO, answers: BinaryIO, limit: Callable[[], object] = lambda: None) -> None:
    """Run jobs until there are no more; `limit` is called before each."""
    while (job := read_frame(jobs)) is not None:
        values, files = job
        limit()
        try:
            said, made = _JOBS[values["do"]](values, files)
        except (CardError, DocumentError, PictureError) as error:
            said, made = {"error": type(error).__name__, "words": str(error)}, ()
        answers.writelines(join_frame(said, made))
        answers.flush()
        # Nothing of one file is left when the next one comes.
        del job, values, files, said, made


def main() -> None:
    """Serve until standard input ends; without memory for a file the process ends at once."""
    limit_memory(MEMORY_CAP)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer, lambda: limit_time(CPU_LIMIT_S))
    except (MemoryError, RecursionError):
        os._exit(1)


if __name__ == "__main__":
    main()
