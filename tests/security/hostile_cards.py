"""Hostile cards and pictures by the thousand: honest ones, damaged and stretched at random by a seed."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from security.hostile_files import (
    PNG,
    animated_png,
    draw,
    gif,
    gif_frame,
    jpeg,
    jpeg_frame,
    png,
    png_chunk,
    webp,
    webp_canvas,
    webp_frame,
    webp_lossless,
    webp_lossy,
)

__all__ = ["HEAVY", "card_png", "heavy_file", "hostile_file", "shared_chunk"]

_MOTION: dict[str, Any] = {"save_all": True, "duration": 50}
HONEST = (
    *(draw(kind) for kind in ("PNG", "JPEG", "GIF", "WEBP")),
    draw("JPEG", progressive=True),
    draw("WEBP", lossless=True),
    animated_png(1, 1),
    gif((9, 9), gif_frame(9, 9), gif_frame(3, 3, 2, 2)),
    webp(webp_canvas(9, 9), webp_frame(9, 9, webp_lossless(9, 9))),
)
CARD: dict[str, Any] = {
    "spec": "chara_card_v3",
    "data": {
        "name": "Luna",
        "description": "{{char}} is a cat.",
        "first_mes": "Hello {{user}}.",
        "tags": ["cat"],
        "assets": [{"type": "emotion", "name": "mad", "uri": "__asset:0", "ext": "png"}],
        "character_book": {"entries": [{"content": "The moon is cheese.", "constant": True}]},
        "extensions": {"streamcord": {"aliases": ["Lu"], "alter": True}},
    },
}


def card_png(card: object, *more: bytes, keyword: bytes = b"ccv3") -> bytes:
    """A picture with a card, and more chunks after it."""
    text = png_chunk(b"tEXt", keyword + b"\0" + base64.b64encode(json.dumps(card).encode()))
    return png((4, 4), between=text + b"".join(more))


def packed_text(keyword: bytes, content: bytes, *, international: bool = False) -> bytes:
    """A compressed text of a PNG."""
    if international:
        return png_chunk(b"iTXt", keyword + b"\0\1\0\0\0" + zlib.compress(content, 9))
    return png_chunk(b"zTXt", keyword + b"\0\0" + zlib.compress(content, 9))


def shared_chunk(sprites: int = 50, side: int = 1100) -> bytes:
    """A small card of many sprites that all name one part of the file, which unpacks to megabytes."""
    picture = png((side, side))[:-12] + png_chunk(b"prIv", bytes(3_700_000)) + png_chunk(b"IEND", b"")
    assets = [
        {"type": "emotion", "name": f"sprite {number}", "uri": "__asset:0"} for number in range(sprites)
    ]
    card = {**CARD, "data": {**CARD["data"], "assets": assets}}
    return card_png(card, packed_text(b"chara-ext-asset_:0", base64.b64encode(picture)))


# --- Pictures -------------------------------------------------------------------------------------------


def _side(random: Random) -> int:
    return random.choice((0, 1, 2, 255, 4096, 4097, 13_000, 16_383, 65_535))


def _bomb(random: Random) -> bytes:
    width, height = _side(random), _side(random)
    far = (min(width, 65_535), min(height, 65_535), random.choice((0, 1, 60_000)), 0)
    makers: Sequence[Callable[[], bytes]] = (
        lambda: gif((_side(random), 1), gif_frame(*far)),
        lambda: gif((1, 1), *[gif_frame(1, 1)] * random.randrange(300), gif_frame(*far)),
        lambda: png((1, 1), (width, height)),
        lambda: png((width, height)),
        lambda: animated_png(*far),
        lambda: jpeg(random.randbytes(random.randrange(9)), jpeg_frame(*far[:2], random.randrange(192, 208))),
        lambda: b"\xff\xd8" + jpeg_frame(*far[:2]),
        lambda: webp(webp_canvas(width + 1, height + 1), webp_lossless(1, 1)),
        lambda: webp(webp_canvas(1, 1), webp_frame(width + 1, height + 1, webp_lossy(*far[:2]))),
        lambda: webp(webp_lossless(min(width, 16_383) + 1, min(height, 16_383) + 1)),
    )
    return random.choice(makers)()


def _damage(content: bytes, random: Random) -> bytes:
    """The file with some bytes changed, cut out, doubled or put elsewhere."""
    damaged = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 5, 30))):
        at, length = random.randrange(len(damaged) + 1), random.choice((1, 2, 4, 30))
        piece = bytes(damaged[at : at + length])
        match random.randrange(5):
            case 0:
                damaged[at : at + length] = random.randbytes(len(piece))
            case 1:
                del damaged[at : at + length]
            case 2:
                damaged[at:at] = piece * random.choice((1, 2, 1000))
            case 3:
                damaged[at : at + length] = random.choice((b"\xff", b"\0", b"\x7f")) * len(piece)
            case _:
                damaged[at : at + 4] = struct.pack(">I", random.choice((0, 1, 2**31, 2**32 - 1, 70_000)))
    return bytes(damaged[: random.choice((len(damaged), random.randrange(len(damaged) + 1)))])


# --- Cards ----------------------------------------------------------------------------------------------


def _value(random: Random, depth: int = 0) -> object:
    values: Sequence[Callable[[], object]] = (
        lambda: random.choice((None, True, -1, 10**400, 0.1, "", "\ud800", "\0", "{{char}}", "<START>")),
        lambda: "{{char}}<user>{{original}}" * random.choice((1, 100, 3000)),
        lambda: chr(random.randrange(1, 0x10FFFF)) * random.choice((1, 100, 20_000)),
        lambda: [_value(random, depth + 1) for _ in range(random.choice((0, 1, 3, 12)))] if depth < 4 else [],
        lambda: {str(number): _value(random, depth + 1) for number in range(3)} if depth < 4 else {},
        lambda: [[]] * random.choice((10, 1000, 30_000)),
        lambda: CARD["data"],
    )
    return random.choice(values)()


def _asset(random: Random) -> dict[str, object]:
    inside = base64.b64encode(random.choice((*HONEST, _bomb(random)))).decode()
    uris = (f"data:image/png;base64,{inside}", "__asset:0", "https://127.0.0.1/x", "embeded://x", "data:", "")
    name = random.choice(("mad", "\u202e", "x" * 999))
    return {"type": "emotion", "name": name, "uri": random.choice(uris)}


def _card(random: Random) -> bytes:
    fields = {name: value for name, value in CARD["data"].items() if random.random() < 0.9}
    for name in random.choices([*CARD["data"], "nickname", "personality", "system_prompt", "x"], k=3):
        fields[name] = _value(random)
    fields["assets"] = [_asset(random) for _ in range(random.choice((0, 1, 5, 80)))]
    card = random.choice(({"data": fields}, fields, {**CARD, "data": fields}, [fields]))
    text = json.dumps(card, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    match random.randrange(5):
        case 0:
            return text
        case 1:
            return _damage(text, random)
        case 2:
            return card_png(card, packed_text(b"chara-ext-asset_:0", base64.b64encode(random.choice(HONEST))))
        case 3:
            bomb = packed_text(b"chara", bytes(random.choice((1, 2**20, 9 * 2**20))), international=True)
            return card_png(card, bomb, keyword=b"other")
        case _:
            return PNG + _damage(card_png(card)[len(PNG) :], random)


def hostile_file(random: Random) -> tuple[str, bytes]:
    """One file and what to do with it: `card`, `check` or `shrink`."""
    match random.randrange(4):
        case 0:
            return random.choice(("check", "shrink")), _bomb(random)
        case 1:
            return random.choice(("check", "shrink")), _damage(random.choice(HONEST), random)
        case _:
            return "card", _card(random)


NAME = b'{"name": "x", "a": '
ROOM = 8 * 2**20 - 100

HEAVY: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "empty lists": ("card", lambda: NAME + b"[" + b"[]," * (ROOM // 3) + b"1]}"),
    "keys": ("card", lambda: NAME + b"{" + b",".join(b'"%x":[{}]' % at for at in range(ROOM // 14)) + b"}}"),
    "numbers": ("card", lambda: NAME + b"[" + b"1.5," * (ROOM // 4) + b"1]}"),
    "escapes": ("card", lambda: NAME + b'"' + b"\\u00e9" * (ROOM // 6) + b'"}'),
    "depth": ("card", lambda: NAME + b"[" * (ROOM // 2) + b"]" * (ROOM // 2) + b"}"),
    "assets": (
        "card",
        lambda: json.dumps({"name": "x", "assets": [{"type": "emotion"}] * (ROOM // 24)}).encode(),
    ),
    "one part for all sprites": ("card", shared_chunk),
    "packed text": ("card", lambda: card_png(CARD, packed_text(b"chara", bytes(7 * 2**20)))),
    "jpeg markers": ("check", lambda: b"\xff\xd8" + b"\xff\xd0" * (ROOM // 2)),
    "gif frames": ("check", lambda: gif((1, 1), gif_frame(1, 1) * (ROOM // 16))),
    "gif blocks": ("check", lambda: gif((1, 1), b"\x21\xfe" + b"\1x" * (ROOM // 2))),
    **{
        f"large {kind}": ("shrink", partial(draw, kind, 4096, 4096))
        for kind in ("PNG", "JPEG", "GIF", "WEBP")
    },
}
"""Files of many megabytes that each cost as much as a file can."""


def heavy_file(name: str) -> tuple[str, bytes]:
    """What to do with one of them, and the file."""
    kind, make = HEAVY[name]
    return kind, make()
