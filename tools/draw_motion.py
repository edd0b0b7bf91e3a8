"""Draws docs/demo.webp, a moving picture: a user types, the bot answers, as the local Discord received it.

The bot runs as in the demo, at its own pace; what happened is noted with its time and drawn afterwards.
The words are the demo's script, so that the picture is about the same each time.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import io
import sys
from dataclasses import dataclass
from pathlib import Path

import draw_demo
from draw_demo import LEFT, QUIET, SIDE, WIDTH, Sheet, draw_message, draw_side
from PIL import Image
from rich.console import Console

from discord_twin import Event, Message
from streamcord_bot.demo.guild import AVATARS, draw_avatar
from streamcord_bot.demo.runner import Demo
from streamcord_bot.demo.screen import Screen
from streamcord_bot.demo.session import DemoSession
from streamcord_bot.demo.user import DemoUser

ROOT = Path(__file__).parent.parent
FIRST, LINES = "show me some code", ("show me a table", "show me your sprites", "roll two dice")
HEIGHT, FOOT = 560, 64
LONGEST, TYPED, READ, LAST = 1.6, 0.07, 1.5, 4.0
"""Seconds that a frame stays at most, between two typed letters, after an answer, and at the end."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a reader saw from some time on."""

    time: float
    messages: tuple[Message, ...]
    typing: bool = False
    input: str = ""


class Witness:
    """Notes what happens in a channel."""

    def __init__(self, demo: Demo) -> None:
        self._channel = demo.twin.channel
        self._typing = False
        self.moments: list[Moment] = []
        demo.twin.state.observe(self._on_event)

    def _on_event(self, event: Event) -> None:
        if event.channel is not self._channel:
            return
        if event.name == "TYPING_START":
            self._typing = True
        elif event.name == "MESSAGE_CREATE" and event.message is not None:
            self._typing = False
        self.record()

    def record(self, typed: str = "") -> None:
        # Edits put another draft into a message, so that shallow copies keep what was seen.
        seen = tuple(copy.copy(one) for one in self._channel.messages.values())
        now = asyncio.get_running_loop().time()
        self.moments.append(Moment(now, seen, self._typing, typed))


async def play() -> list[tuple[Image.Image, float]]:
    options = argparse.Namespace(
        provider=None, model=None, base_url=None, scripted=True, no_install=True, fast=False, script=None
    )
    console = Console(file=io.StringIO(), width=100)
    async with Demo(options, console) as demo:
        person = DemoUser(demo.twin, Screen(console), lambda: demo.app.dispatcher.is_idle)
        session = DemoSession(person)
        # A picture that does not move shows its first frame: a user has written already.
        await session.follow(FIRST)
        await session.wait_for_answer()
        witness = Witness(demo)
        for line in LINES:
            await session.wait_for_answer()
            witness.record()
            await asyncio.sleep(READ)
            for length in range(0, len(line) + 1, 2):
                witness.record(line[:length] or " ")
                await asyncio.sleep(TYPED)
            await session.follow(line)
        await session.wait_for_answer()
        witness.record()
        return [(draw(demo, one), length) for one, length in timed(witness.moments)]


def timed(moments: list[Moment]) -> list[tuple[Moment, float]]:
    """Each moment with how long it is shown; what changes too quickly to be seen is left out."""
    ends = [one.time for one in moments[1:]] + [moments[-1].time + LAST]
    lengths = [end - one.time for one, end in zip(moments, ends, strict=True)]
    kept = [
        (one, min(length, LONGEST)) for one, length in zip(moments, lengths, strict=True) if length > 0.03
    ]
    return [*kept[:-1], (kept[-1][0], LAST)]


def draw(demo: Demo, moment: Moment) -> Image.Image:
    """One frame: the newest messages above the line where people type."""
    avatars = demo.guild.pictures
    pictures = {
        url: demo.twin.state.pictures[url.rpartition("/")[2].partition(".")[0]] for url in avatars.values()
    }
    sheet, last = Sheet(2400), ("", "")
    for message in moment.messages:
        url = message.draft.avatar_url or avatars["luna"]
        heads = (message.shown_name, url) != last or message.draft.reply_to is not None
        last = (message.shown_name, url)
        avatar = pictures[url] if message.by_machine else draw_avatar(AVATARS["star"])
        draw_message(sheet, message, avatar, heads=heads)
    scale = draw_demo.SCALE
    frame = Sheet(HEIGHT)
    shown = HEIGHT - FOOT
    top = max(0, sheet.y + 12 - shown)
    frame.image.paste(
        sheet.image.crop((0, round(top * scale), WIDTH * scale, round((top + shown) * scale))), (0, 0)
    )
    draw_foot(frame, moment)
    names = [one.name for one in demo.twin.state.channels.values()]
    draw_side(frame, demo.twin.guild.name, names, demo.twin.channel.name, HEIGHT)
    return frame.image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def draw_foot(frame: Sheet, moment: Moment) -> None:
    top = HEIGHT - FOOT
    frame.box(SIDE, top, WIDTH, HEIGHT, draw_demo.PAGE, 0)
    frame.box(SIDE + 16, top + 2, WIDTH - 16, top + 38, "#383a40", 8)
    typed = moment.input.strip()
    words, ink = (typed, "#dbdee1") if moment.input else ("Message #general", QUIET)
    end = frame.text(SIDE + 32, top + 10, words, 14, ink=ink)
    if moment.input:
        frame.box(end + 1, top + 11, end + 2.5, top + 29, "#dbdee1", 0)
    if moment.typing:
        for number in range(3):
            left = SIDE + 20 + number * 8
            frame.box(left, top + 46, left + 5, top + 51, "#dbdee1", 2.5)
        frame.text(SIDE + LEFT - 24, top + 41, "Luna is typing …", 11, ink="#dbdee1")


def save(frames: list[tuple[Image.Image, float]], target: Path) -> None:
    first, *others = (image for image, _ in frames)
    lengths = [round(length * 1000) for _, length in frames]
    first.save(target, save_all=True, append_images=others, duration=lengths, loop=0, quality=80, method=4)


def main() -> int:
    target = ROOT / "docs" / "demo.webp"
    frames = asyncio.run(play())
    save(frames, target)
    seconds = sum(length for _, length in frames)
    print(f"docs/demo.webp: {len(frames)} frames, {seconds:.0f} s, {target.stat().st_size // 1024} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
