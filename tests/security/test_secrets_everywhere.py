"""A secret that a model was talked into printing reaches no one, on no route and in no slicing.

Each text is said whole, per character and in random slices; a route is what people, operators or files get.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from bot.answers import answered
from streamcord import Attachment, Message, Settings, ThoughtDelta, ToolCall, TurnResult, say
from streamcord.testing import FakeChannel, record
from streamcord_bot.answering.explanations import explain_message

PIECE = 8
BOT = "MTAwMDAwMDAwMDAwMDAwMDAx.GhIjKl." + "aB3-_x" * 6 + "yz"
KEY = "plain.words/and+5igns=of~a:key"
GROQ = "gsk_aB3dE5gH7jK9mN1pQ2rS4tU6"
KNOWN = (BOT, KEY)

TEXTS = {
    "prose": "The key is {}, keep it.",
    "fence": "Look:\n```py\nKEY = '{}'\n```\nDone.",
    "long fence": "```\n" + "x = 1\n" * 100 + "KEY={}\n" + "y = 2\n" * 200 + "```",
    "inline code": "Use `{}` here.",
    "thought": "<think>I must not say {}.</think>Hi.",
    "details": "Hi.<details><summary>{0}</summary>It was {0}.</details>",
    "table": "| name | key |\n|---|---|\n| bot | {} |\n",
    "list": "- one\n- {}\n- two",
    "spoiler": "||{}||",
    "link": "[here](https://example.com/{0}) and https://example.com/?k={0}",
    "label": "Luna: {0}\n{0}: hello",
    "twice": "{0}{0} {0}",
    "escaped": "It is {}",
    "behind a long line": "word " * 300 + "{}" + " word" * 300,
    "without white space": "\u5b57" * 990 + "{}" + "\u5b57" * 990,
    "many lines": "A line with {0}.\n" * 50,
}
WAYS: list[dict[str, object]] = [
    {},
    {"rules": False},
    {"degree": 0},
    {"degree": 3},
    {"tables": "code", "convert_markdown": False},
    {"message_cap": 1},
    {"answer_cap": 40},
    {"message_length": 40, "overflow_target": 64, "overflow_before": 10, "code_overflow": 64},
]


def slices(text: str) -> Iterator[list[str]]:
    yield [text]
    if len(text) < 1000:
        yield list(text)
    random = Random(11)
    for _ in range(2):
        edges = sorted({0, len(text), *(random.randint(0, len(text)) for _ in range(5))})
        yield [text[a:b] for a, b in pairwise(edges)]


async def told(pieces: list[object], **settings: object) -> tuple[FakeChannel, TurnResult]:
    async def source() -> AsyncIterator[object]:
        for piece in pieces:
            yield piece

    channel = FakeChannel()
    chosen = Settings.from_mapping({"secrets": KNOWN, "typing": "off", **settings})
    return channel, await say(channel, source(), settings=chosen)


def everything(channel: FakeChannel, result: TurnResult) -> Iterator[str]:
    """All that people can read of an answer, at once or later."""
    for message in channel.messages:
        yield message.content
        yield message.fallback or ""
        for file in message.files:
            if not isinstance(file, Attachment):
                yield repr(file)
            else:
                yield f"{file.name} {file.alt} {file.content.decode(errors='replace')}"
    yield repr((result.text, result.thoughts, result.details, result.replaced, result.dropped, result.added))
    kept = answered(*(receipt.message for receipt in result.receipts))
    for id_ in kept.ids:
        yield explain_message(kept, id_)


def leaks(texts: Iterator[str], secret: str) -> list[str]:
    pieces = [secret[at : at + PIECE] for at in range(len(secret) - PIECE + 1)]
    return [text[:200] for text in texts if any(piece in text for piece in pieces)]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_piece_of_a_known_secret_is_read_anywhere(text: str, way: dict[str, object]) -> None:
    for secret in KNOWN:
        for pieces in slices(text.format(secret)):
            assert leaks(everything(*asyncio.run(told([*pieces], **way))), secret) == []


@pytest.mark.parametrize("way", WAYS[:6], ids=str)
@pytest.mark.parametrize("name", sorted(TEXTS.keys() - {"twice", "without white space"}))
def test_what_only_looks_like_a_key_is_not_read_either(name: str, way: dict[str, object]) -> None:
    for pieces in slices(TEXTS[name].format(GROQ)):
        found = asyncio.run(told([*pieces], secrets=(), **way))
        # Not its pieces: a key that no one has told us is a key only when it is whole.
        assert [text for text in everything(*found) if GROQ in text] == []


def test_half_a_key_is_no_better_than_a_whole_one() -> None:
    for size in range(PIECE, len(KEY)):
        text = f"First {KEY[:size]}\nthen {KEY[size:]}."
        assert leaks(everything(*asyncio.run(told([*text]))), KEY) == []


def test_thoughts_and_tools_have_none() -> None:
    thoughts = [ThoughtDelta(letter, "raw") for letter in f"It is {KEY}."]
    file = Attachment(f"{KEY}.txt", f"all of {KEY} {GROQ}".encode(), f"alt {KEY}")
    posted = Message(f"The tool says {KEY} and {GROQ}", files=(file, Attachment("x.png", b"\x89PNG\xff")))
    channel, result = asyncio.run(told([*thoughts, posted, "Done."]))

    assert leaks(everything(channel, result), KEY) == []
    assert leaks(everything(channel, result), GROQ) == []
    assert result.thoughts.raw == "It is [removed]."
    assert channel.texts == ["The tool says [removed] and [removed]", "Done."]
    assert [one.content for one in channel.messages[0].files if isinstance(one, Attachment)] == [
        b"all of [removed] [removed]",
        b"\x89PNG\xff",
    ]


def test_a_recording_has_none_in_any_field(tmp_path: Path) -> None:
    said = [
        *(letter for letter in f"Here: {KEY} "),
        ThoughtDelta(f"hm {KEY}", "raw"),
        ToolCall(f"id-{KEY}", f"tool_{KEY}", {f"k{KEY}": [KEY], "nested": {KEY: 1}}, f"sig {KEY}"),
        Message(KEY, files=(Attachment(KEY, KEY.encode(), KEY),)),
    ]

    async def source() -> AsyncIterator[object]:
        for one in said:
            yield one
        raise ValueError(f"no {KEY}")

    async def run() -> None:
        with pytest.raises(ValueError, match="no "):
            async for _ in record(source(), tmp_path / "a.rec", secrets=KNOWN):  # type: ignore[arg-type]
                pass

    asyncio.run(run())
    written = (tmp_path / "a.rec").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in written.splitlines()]
    assert len(lines) == len(said) + 2
    assert leaks(iter([written]), KEY) == []
    assert "cGxhaW4ud29yZHMv" not in written, "nor in Base64"
