from __future__ import annotations

import io
import json
import resource
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from PIL import Image

from bot.personas.sample_cards import PLAIN, V2, as_png
from streamcord import Persona
from streamcord.store import Picture, StoredPersona
from streamcord_bot.personas.pictures import plain_png
from streamcord_bot.sandbox.worker import (
    Job,
    join_frame,
    pack_persona,
    read_frame,
    serve,
    unpack_persona,
)

MODULE = "streamcord_bot.sandbox.worker"


def do(*jobs: Job) -> list[Job]:
    """What the process answers to these jobs, here."""
    asked = io.BytesIO(b"".join(piece for job in jobs for piece in join_frame(*job)))
    answers = io.BytesIO()
    serve(asked, answers)
    answers.seek(0)
    return list(iter(lambda: read_frame(answers), None))


def do_one(values: Mapping[str, Any], *files: bytes) -> tuple[Mapping[str, Any], Sequence[bytes]]:
    (answer,) = do((values, files))
    return answer


def run(jobs: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-P", "-m", MODULE]
    return subprocess.run(command, input=jobs, capture_output=True, check=False)


def test_a_job_is_read_as_it_was_written() -> None:
    stream = io.BytesIO(b"".join(join_frame({"do": "x", "text": "ß"}, [b"one", b"", b"three"])))

    assert read_frame(stream) == ({"do": "x", "text": "ß", "files": [3, 0, 5]}, [b"one", b"", b"three"])
    assert read_frame(stream) is None
    assert read_frame(io.BytesIO(b"\0\0")) is None


def test_a_card_is_read_into_a_few_values_and_its_files() -> None:
    said, (card, face) = do_one({"do": "read_card"}, as_png(V2))

    assert (said["name"], said["kind"], said["sprites"], said["refused"]) == ("Luna", "image/png", [], {})
    assert json.loads(card) == V2
    assert face == PLAIN


def test_what_is_refused_is_said_in_words_and_the_next_one_is_read() -> None:
    first, second = do(({"do": "read_card"}, [b"no card"]), ({"do": "check_picture"}, [PLAIN]))

    assert first[0]["error"] == "CardError"
    assert "no JSON" in first[0]["words"]
    assert second[0]["kind"] == "image/png"


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "L", "1", "CMYK"])
def test_a_large_picture_is_made_small(mode: str) -> None:
    drawn = io.BytesIO()
    Image.new(mode, (900, 450)).save(drawn, "JPEG" if mode == "CMYK" else "PNG")
    _, (small,) = do_one({"do": "shrink"}, drawn.getvalue())

    with Image.open(io.BytesIO(small)) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGBA", (256, 128))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (plain_png(4, (0, 0, 0))[:44], "cannot be drawn"),
        (b"BM", "not a picture"),
        (b"GIF89a", "not a picture"),
    ],
)
def test_what_cannot_be_drawn_is_refused(content: bytes, words: str) -> None:
    said, _ = do_one({"do": "shrink"}, content)

    assert words in said["words"]


def test_a_card_is_written() -> None:
    luna = StoredPersona(Persona("Luna", ("Lu",), alter=True), prompt="A cat.", greeting="Mew.")
    sprites = {"mad": Picture("https://example.com/mad.png")}
    values, files = pack_persona(luna, None, sprites, form="json v3", cap=10_000)
    _, (written,) = do_one({"do": "write_card", **values}, *files)

    fields = json.loads(written)["data"]
    assert (fields["name"], fields["description"], fields["first_mes"]) == ("Luna", "A cat.", "Mew.")
    assert [asset["name"] for asset in fields["assets"]] == ["main", "mad"]


def test_a_persona_comes_out_as_it_was_packed() -> None:
    luna = StoredPersona(Persona("Luna", ("Lu",), alter=True), 3, "A cat.", "Mew.", '{"a": 1}', adult=True)
    face = Picture(content=b"face", kind="image/png")
    sprites = {
        "mad": Picture("https://example.com/mad.png"),
        "shy": Picture(content=b"shy", kind="image/gif"),
    }

    assert unpack_persona(*pack_persona(luna, face, sprites), guild=3) == (luna, face, sprites)
    assert unpack_persona(*pack_persona(luna, None, {}), guild=3) == (luna, None, {})


@pytest.mark.parametrize(
    ("content", "died"),
    [
        # Hundreds of megabytes of empty lists.
        (b'{"name": "x", "a": [' + b"[]," * 2_700_000 + b"1]}", True),
        (json.dumps({"name": "x"}).encode(), False),
    ],
)
def test_the_process_ends_before_it_takes_too_much(content: bytes, died: bool) -> None:
    job = b"".join(join_frame({"do": "read_card"}, [content]))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = run(job)

    assert bool(done.returncode) is died
    assert bool(done.stdout) is not died
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 6


def test_the_process_ends_with_its_input() -> None:
    done, damaged = run(b""), run(struct.pack(">I", 10) + b'{"do":')

    assert (done.returncode, done.stdout) == (0, b"")
    assert damaged.returncode != 0
